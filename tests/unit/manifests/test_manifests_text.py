"""YAML that people can read and every parser reads back."""

import yaml

from webhook.manifests.text import dump


def test_fields_keep_their_order() -> None:
    assert dump([{"kind": "B", "a": 1}]) == "kind: B\na: 1\n"


def test_texts_of_several_lines_are_blocks() -> None:
    assert dump([{"text": "a ||\nb"}]) == "text: |-\n  a ||\n  b\n"


def test_short_lists_of_plain_values_stay_in_one_line() -> None:
    assert dump([{"a": ["v1"], "b": [{"c": 1}]}]) == "a: [v1]\nb:\n- c: 1\n"


def test_long_lists_take_a_line_for_each_value() -> None:
    assert dump([{"a": ["x" * 40, "y" * 40]}]).count("\n") == 3


def test_the_same_value_twice_is_written_twice() -> None:
    shared = {"app": "numagate"}

    assert "&" not in dump([{"a": shared, "b": shared}])


def test_what_was_written_can_be_read_back() -> None:
    value = {"a": "'\"\\", "b": "yes", "c": "1e3", "d": "ünï\n\n x", "e": [], "f": {}, "g": None, "h": "a: b # c"}

    assert list(yaml.safe_load_all(dump([value, value]))) == [value, value]
