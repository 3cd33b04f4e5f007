"""CPU values that somebody wrote to break a parser: each is decided on, and as Go reads it."""

from typing import Any

import pytest
from builders import GPU
from builders import container
from builders import mutating
from builders import pod
from builders import request
from builders import world
from hostile import CPUS

from webhook.engine.decision import Outcome
from webhook.engine.review import review

ROWS = [
    pytest.param(value, code, id=f"{code}-{number}")
    for code, values in CPUS.items()
    for number, value in enumerate(values)
]
WORLD = world()


def asking_for(cpu: object) -> dict[str, Any]:
    """Make a pod with a GPU and so much CPU."""
    return pod(container(limits={"cpu": cpu, "memory": "32Gi", GPU: "1"}))


@pytest.mark.parametrize(("value", "code"), ROWS)
def test_a_hostile_cpu_value_has_its_finding(value: object, code: str) -> None:
    decision = review(request(asking_for(value)), WORLD)

    assert code in {finding.code for finding in decision.findings}
    assert decision.allowed is (code == "missing-promise")


@pytest.mark.parametrize(("value", "code"), ROWS)
def test_what_cannot_be_a_value_is_never_repaired(value: object, code: str) -> None:
    decision = review(mutating(asking_for(value)), WORLD)

    assert decision.allowed
    assert (decision.patch == ()) is (code in {"malformed-quantity", "misfit"})
    assert (decision.outcome is Outcome.INVALID) is (code == "malformed-quantity")
