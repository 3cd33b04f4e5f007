"""LimitRanges fill in what the API server's LimitRanger would."""

from typing import Any

import pytest
from builders import GPU
from builders import container
from builders import pod

from webhook.engine.limit_range import ContainerDefaults
from webhook.engine.limit_range import apply
from webhook.engine.limit_range import read

KEY = "kubernetes.io/limit-ranger"
BOTH = ContainerDefaults(requests={"cpu": "100m", "memory": "64Mi"}, limits={"cpu": "200m", "memory": "128Mi"})


def limit_range(*items: object) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "LimitRange", "spec": {"limits": list(items)}}


def resources(applied: Any, key: str = "containers", index: int = 0) -> Any:
    return applied["spec"][key][index]["resources"]


def annotation(applied: Any) -> Any:
    return applied["metadata"]["annotations"][KEY]


@pytest.mark.parametrize(
    ("item", "requests", "limits"),
    [
        ({"default": {"cpu": "1"}}, {"cpu": "1"}, {"cpu": "1"}),
        ({"defaultRequest": {"cpu": "1"}}, {"cpu": "1"}, {}),
        ({"max": {"cpu": "8"}}, {"cpu": "8"}, {"cpu": "8"}),
        ({"min": {"cpu": "1"}}, {"cpu": "1"}, {}),
        ({"min": {"cpu": "1"}, "max": {"cpu": "8"}}, {"cpu": "8"}, {"cpu": "8"}),
        ({"default": {"cpu": "2"}, "max": {"cpu": "8"}}, {"cpu": "2"}, {"cpu": "2"}),
        ({"default": {"cpu": "2"}, "defaultRequest": {"cpu": "1"}}, {"cpu": "1"}, {"cpu": "2"}),
    ],
)
def test_defaults_follow_from_each_other_as_in_the_api_server(
    item: dict[str, Any], requests: dict[str, str], limits: dict[str, str]
) -> None:
    assert read(limit_range({"type": "Container", **item})) == ContainerDefaults(requests=requests, limits=limits)


@pytest.mark.parametrize("item", [{"type": "Pod", "max": {"cpu": "8"}}, {"max": {"cpu": "8"}}, "x", None])
def test_items_for_other_things_than_containers_fill_in_nothing(item: object) -> None:
    assert read(limit_range(item)) == ContainerDefaults(requests={}, limits={})


def test_a_container_that_names_nothing_gets_everything() -> None:
    applied = apply(pod(container("a")), [BOTH])
    assert resources(applied) == {"limits": BOTH.limits, "requests": BOTH.requests}
    assert annotation(applied) == (
        "LimitRanger plugin set: cpu, memory request for container a; cpu, memory limit for container a"
    )


def test_a_written_limit_is_also_the_request_and_is_kept() -> None:
    applied = apply(pod(container("a", limits={GPU: "1", "cpu": "8"})), [BOTH])
    assert resources(applied) == {
        "limits": {GPU: "1", "cpu": "8", "memory": "128Mi"},
        "requests": {"memory": "64Mi"},
    }


def test_init_containers_are_named_as_such() -> None:
    full = container("a", requests={"cpu": "1", "memory": "1"}, limits={"cpu": "1", "memory": "1"})
    applied = apply(pod(full, init=(container("b"),)), [BOTH])
    assert annotation(applied).endswith("cpu, memory limit for init container b")


def test_the_first_of_several_ranges_wins_and_the_annotation_names_the_values_of_all() -> None:
    second = ContainerDefaults(requests={}, limits={"cpu": "4", "ephemeral-storage": "1Gi"})
    applied = apply(pod(container("a")), [BOTH, second])
    assert resources(applied)["limits"] == {"cpu": "200m", "memory": "128Mi", "ephemeral-storage": "1Gi"}
    assert annotation(applied).endswith("; ephemeral-storage limit for container a")


def test_other_annotations_are_kept_and_the_pod_itself_is_not_changed() -> None:
    written = pod(container("a"), annotations={"x": "y"})
    before = pod(container("a"), annotations={"x": "y"})
    assert apply(written, [BOTH])["metadata"]["annotations"]["x"] == "y"  # type: ignore[index]  # an object
    assert before == written


@pytest.mark.parametrize(
    "untouched", [{}, {"spec": None}, {"spec": {"containers": "x"}}, {"spec": {"containers": [1, None]}}]
)
def test_what_has_no_containers_is_answered_as_it_is(untouched: dict[str, Any]) -> None:
    assert apply(untouched, [BOTH]) is untouched


def test_without_ranges_the_pod_is_answered_as_it_is() -> None:
    written = pod()
    assert apply(written, []) is written
