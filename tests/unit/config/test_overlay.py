"""Laying documents over each other."""

from webhook.config.overlay import overlay
from webhook.config.overlay import written


def test_maps_merge_and_lists_replace() -> None:
    base = {"a": {"x": [1, 2], "y": 1}, "b": 1}
    assert overlay(base, {"a": {"x": [3]}, "c": {"z": 1}}) == {"a": {"x": [3], "y": 1}, "b": 1, "c": {"z": 1}}


def test_the_base_is_not_changed() -> None:
    base = {"a": {"x": 1}}
    overlay(base, {"a": {"x": 2}})
    assert base == {"a": {"x": 1}}


def test_a_map_takes_the_place_of_a_word_and_the_other_way_round() -> None:
    assert overlay({"a": "none"}, {"a": {"cpu": 1}}) == {"a": {"cpu": 1}}
    assert overlay({"a": {"cpu": 1}}, {"a": "none"}) == {"a": "none"}


def test_null_takes_a_key_out() -> None:
    assert overlay({"a": 1, "b": 2}, {"a": None, "c": None}) == {"b": 2}


def test_null_is_not_written_but_where_it_means_none() -> None:
    spec = {"modes": None, "repair": {"share": None, "fairShare": None}, "recognition": {"labels": {"a": None}}}
    kept = {"repair": {"share": None}, "recognition": {"labels": {"a": None}}}
    assert written({"kind": "x", "spec": spec, "status": None}) == {"kind": "x", "spec": kept}


def test_a_null_in_an_object_of_a_list_is_not_written_either() -> None:
    assert written({"cores": [{"threads": [0], "uncore": None}, None, [{"a": None}]]}) == {
        "cores": [{"threads": [0]}, None, [{}]]
    }
