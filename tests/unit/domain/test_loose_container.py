"""Containers outside any list."""

import pytest

from webhook.domain.loose_container import LooseContainer
from webhook.domain.own_words import OwnWords

AMOUNTS = {"limits": {"cpu": "8"}}


def test_a_container_in_a_field_keeps_its_name_and_place() -> None:
    container, places = LooseContainer("main", ("runner",)).read({"runner": {"name": "engine", "resources": AMOUNTS}})
    assert container == {"name": "engine", "resources": AMOUNTS}
    assert places == {(): ("runner",)}


def test_a_container_without_a_name_gets_one() -> None:
    assert LooseContainer("main", ("runner",)).read({"runner": {}})[0] == {"name": "main"}


def test_a_container_of_fields_is_put_together() -> None:
    loose = LooseContainer("nim", resources=("resources",), image=("image", "repository"))
    container, places = loose.read({"resources": AMOUNTS, "image": {"repository": "nim/llm"}})
    assert container == {"name": "nim", "image": "nim/llm", "resources": AMOUNTS}
    assert places == {(): (), ("resources",): ("resources",)}


def test_resources_beside_the_container_win_over_those_inside() -> None:
    loose = LooseContainer("main", ("main",), ("resources",))
    inside = {"main": {"resources": {"limits": {"cpu": "4"}}}}
    assert loose.read({**inside, "resources": AMOUNTS})[0]["resources"] == AMOUNTS
    assert loose.read(inside)[0]["resources"] == {"limits": {"cpu": "4"}}


def test_resources_that_are_nowhere_are_missing_where_they_should_be() -> None:
    container, places = LooseContainer("nim", resources=("resources",)).read({})
    assert ("resources" in container, places[("resources",)]) == (False, ("resources",))


def test_translated_resources_are_placed_where_they_are_written() -> None:
    loose = LooseContainer("main", resources=("resources",), words=OwnWords())
    container, places = loose.read({"resources": {"limits": {"gpu": "1"}}})
    assert container["resources"] == {"limits": {"nvidia.com/gpu": "1"}}
    assert places[("resources", "limits", "nvidia.com/gpu")] == ("resources", "limits", "gpu")


def test_resources_of_another_shape_stay_to_be_reported() -> None:
    loose = LooseContainer("main", resources=("resources",), words=OwnWords())
    assert loose.read({"resources": "lots"})[0]["resources"] == "lots"


@pytest.mark.parametrize(
    ("loose", "value", "there"),
    [
        (LooseContainer("a", ("runner",)), {}, False),
        (LooseContainer("a", ("runner",)), {"runner": {}}, True),
        (LooseContainer("a", ("runner",), always=True), {}, True),
        (LooseContainer("a", resources=("resources",)), {}, True),
        (LooseContainer("a", where=("on",)), {"on": True}, True),
        (LooseContainer("a", where=("on",)), {"on": False}, False),
        (LooseContainer("a", where=("on",)), {}, False),
    ],
)
def test_a_container_is_there_where_its_fields_are(
    loose: LooseContainer, value: dict[str, object], there: bool
) -> None:
    assert loose.is_in(value) is there
