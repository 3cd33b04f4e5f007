"""Whether a pod's annotations settle what an injector will add."""

import pytest

from webhook.domain.injector import Injector
from webhook.domain.injector import unpinned

KEYS = {
    ("limits", "cpu"): "x.io/cpu-limit",
    ("requests", "cpu"): "x.io/cpu-request",
    ("limits", "memory"): "x.io/memory-limit",
    ("requests", "memory"): "x.io/memory-request",
}
MEMORY = {"x.io/memory-limit": "1Gi", "x.io/memory-request": "1024Mi"}
VALUES = {"cpu": "250m", "memory": "256Mi"}


def unsettled(annotations: dict[str, str], *, limits_suffice: bool = False) -> list[tuple[str, str]]:
    injector = Injector("X", ("x",), keys=KEYS, limits_suffice=limits_suffice)
    return [(value, text) for _, value, text in injector.unsettled({**MEMORY, **annotations}, VALUES)]


def test_equal_values_settle_the_matter() -> None:
    assert unsettled({"x.io/cpu-limit": "500m", "x.io/cpu-request": "0.5"}) == []


@pytest.mark.parametrize(
    ("annotations", "value"),
    [
        ({}, "250m"),
        ({"x.io/cpu-limit": "0", "x.io/cpu-request": "0"}, "250m"),
        ({"x.io/cpu-limit": "much", "x.io/cpu-request": "much"}, "250m"),
        ({"x.io/cpu-request": "100m"}, "250m"),
        ({"x.io/cpu-limit": "500m"}, "500m"),
        ({"x.io/cpu-limit": "500m", "x.io/cpu-request": "100m"}, "500m"),
        ({"x.io/cpu-limit": "2", "x.io/cpu-request": "2"}, "1990m"),
    ],
)
def test_what_is_missing_unequal_or_whole_is_told_with_a_value(annotations: dict[str, str], value: str) -> None:
    assert unsettled(annotations) == [(value, "annotate x.io/cpu-{limit,request}: " + value)]


def test_a_limit_alone_settles_the_matter_where_the_request_follows_it() -> None:
    assert unsettled({"x.io/cpu-limit": "500m"}, limits_suffice=True) == []


def test_settings_outside_the_pod_are_told_once_unless_their_own_values_are_equal() -> None:
    elsewhere = Injector("X", ("x",), keys=KEYS, place="its ConfigMap")
    ready = Injector("X", ("x",), advice="do so", ready=True)

    assert [text for _, _, text in elsewhere.unsettled({}, VALUES)] == [
        "write equal requests and limits in its ConfigMap"
    ]
    assert list(ready.unsettled({}, VALUES)) == []


@pytest.mark.parametrize(
    ("resource", "value", "expected"),
    [("cpu", "2", "1990m"), ("cpu", "500m", "500m"), ("memory", "1Gi", "1Gi"), ("cpu", "much", "much")],
)
def test_an_injected_container_is_given_no_whole_cpus(resource: str, value: str, expected: str) -> None:
    assert unpinned(resource, value) == expected
