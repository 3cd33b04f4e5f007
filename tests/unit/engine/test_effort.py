"""What a decision will cost."""

from dataclasses import replace

import pytest
from builders import container
from builders import pod
from builders import request
from builders import world

from webhook.engine.effort import QUICK_PLACEMENTS
from webhook.engine.effort import is_quick
from webhook.sources.policy_file import load_profile

CLASS = load_profile("generic-2x4")


@pytest.mark.parametrize(
    ("containers", "classes", "quick"),
    [
        (1, 0, True),
        (1, QUICK_PLACEMENTS, True),
        (1, QUICK_PLACEMENTS + 1, False),
        (QUICK_PLACEMENTS, 0, True),
        (QUICK_PLACEMENTS + 1, 1, False),
        (9, 8, False),
    ],
)
def test_containers_times_kinds_of_machines_is_what_costs(containers: int, classes: int, *, quick: bool) -> None:
    known = world(*(replace(CLASS, name=f"class-{number}") for number in range(classes)))
    half = containers // 2
    made = pod(
        *(container(f"c{number}") for number in range(containers - half)),
        init=tuple(container(f"i{number}") for number in range(half)),
    )

    assert is_quick(request(made), known) is quick


def test_of_an_object_with_templates_nobody_knows() -> None:
    assert not is_quick(replace(request(pod(container())), group="apps", kind="Deployment"), world())


def test_a_pod_without_an_object_is_quick() -> None:
    assert is_quick(replace(request(pod(container())), object=None), world())
