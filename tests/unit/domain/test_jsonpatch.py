"""JSON patches: what a difference is made of, and what its application does or refuses."""

import copy
import json

import pytest

from webhook.domain.errors import NumagateError
from webhook.domain.jsonpatch import Operation
from webhook.domain.jsonpatch import PatchError
from webhook.domain.jsonpatch import apply
from webhook.domain.jsonpatch import diff


@pytest.mark.parametrize(
    ("before", "after", "operations"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 2}, [Operation("replace", "/a", 2)]),
        ({"a": 1}, {}, [Operation("remove", "/a")]),
        ({}, {"a": None}, [Operation("add", "/a", None)]),
        ({"a": None}, {"a": {"b": 1}}, [Operation("replace", "/a", {"b": 1})]),
        ({}, {"a": {"b": {"c": 1}}}, [Operation("add", "/a", {"b": {"c": 1}})]),
        ({"a": {}}, {"a": {"b": {"c": 1}}}, [Operation("add", "/a/b", {"c": 1})]),
        ({"a": {"b": 1}}, {"a": None}, [Operation("replace", "/a", None)]),
        ({"a": [1, 2]}, {"a": [1, 3]}, [Operation("replace", "/a/1", 3)]),
        ({"a": [1, 2]}, {"a": [1, 2, 3]}, [Operation("replace", "/a", [1, 2, 3])]),
        ({"a": [{"b": 1}]}, {"a": [{"b": 1, "c": 2}]}, [Operation("add", "/a/0/c", 2)]),
        ({"a": []}, {"a": {}}, [Operation("replace", "/a", {})]),
        ({"a/b~c": 1, "": 1}, {"a/b~c": 2, "": 2}, [Operation("replace", "/", 2), Operation("replace", "/a~1b~0c", 2)]),
        (1, 1, []),
        (1, "1", [Operation("replace", "", "1")]),
        ([1], [True], [Operation("replace", "/0", True)]),
        ([0], [False], [Operation("replace", "/0", False)]),
        ([1], [1.0], [Operation("replace", "/0", 1.0)]),
        ([None], [False], [Operation("replace", "/0", False)]),
    ],
)
def test_a_difference_has_the_fewest_operations(before: object, after: object, operations: list[Operation]) -> None:
    assert list(diff(before, after)) == operations
    assert apply(before, operations) == after


def test_operations_come_in_the_order_of_the_keys_whatever_the_order_in_the_documents() -> None:
    one = diff({"b": 1, "c": 1, "a": 1}, {"d": 1, "a": 2, "b": 2})
    other = diff({"a": 1, "c": 1, "b": 1}, {"b": 2, "d": 1, "a": 2})
    assert [operation.path for operation in one] == ["/a", "/b", "/c", "/d"]
    assert one == other


def test_equal_values_that_are_not_the_same_object_do_not_differ() -> None:
    text = '["a longer text", 1.5, 123456789012]'
    assert diff(json.loads(text), json.loads(text)) == ()


def test_a_remove_has_no_value_and_null_is_a_value() -> None:
    assert Operation("remove", "/a").as_dict() == {"op": "remove", "path": "/a"}
    assert Operation("add", "/a", None).as_dict() == {"op": "add", "path": "/a", "value": None}
    assert Operation("test", "/a", 1).as_dict() == {"op": "test", "path": "/a", "value": 1}


DOCUMENT: dict[str, object] = {"a": {"b": [10, 20, {"c": 1}]}, "x~y": 1, "x/y": 2, "null": None, "0": "zero"}


@pytest.mark.parametrize(
    ("operation", "path", "expected"),
    [
        (Operation("add", "/new", 1), ("new",), 1),
        (Operation("add", "/x~0y", 5), ("x~y",), 5),
        (Operation("replace", "/x~1y", 5), ("x/y",), 5),
        (Operation("replace", "/null", 5), ("null",), 5),
        (Operation("add", "/0", 5), ("0",), 5),
        (Operation("add", "/a/b/0", 5), ("a", "b"), [5, 10, 20, {"c": 1}]),
        (Operation("add", "/a/b/3", 5), ("a", "b"), [10, 20, {"c": 1}, 5]),
        (Operation("add", "/a/b/-", 5), ("a", "b"), [10, 20, {"c": 1}, 5]),
        (Operation("replace", "/a/b/1", 5), ("a", "b"), [10, 5, {"c": 1}]),
        (Operation("remove", "/a/b/0"), ("a", "b"), [20, {"c": 1}]),
        (Operation("remove", "/a/b/2/c"), ("a", "b"), [10, 20, {}]),
        (Operation("remove", "/a/b"), ("a",), {}),
        (Operation("test", "/a/b/2", {"c": 1}), ("a", "b"), [10, 20, {"c": 1}]),
        (Operation("test", "/null", None), ("null",), None),
    ],
)
def test_an_operation_changes_a_copy(operation: Operation, path: tuple[str, ...], expected: object) -> None:
    before = copy.deepcopy(DOCUMENT)
    found = apply(DOCUMENT, [operation])
    for step in path:
        assert isinstance(found, dict)
        found = found[step]
    assert found == expected
    assert before == DOCUMENT


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        (Operation("add", "/a/none/b", 1), "cannot add '/a/none/b': it does not exist"),
        (Operation("replace", "/none", 1), "cannot replace '/none': it does not exist"),
        (Operation("remove", "/none"), "cannot remove '/none': it does not exist"),
        (Operation("test", "/none", None), "cannot test '/none': it does not exist"),
        (Operation("add", "/null/b", 1), "cannot add '/null/b': it has a parent of type NoneType"),
        (Operation("add", "/x~0y/b", 1), "cannot add '/x~0y/b': it has a parent of type int"),
        (Operation("add", "/a/b/4", 1), "cannot add '/a/b/4': it does not exist"),
        (Operation("replace", "/a/b/3", 1), "cannot replace '/a/b/3': it does not exist"),
        (Operation("remove", "/a/b/3"), "cannot remove '/a/b/3': it does not exist"),
        (Operation("replace", "/a/b/-", 1), "cannot replace '/a/b/-': it does not exist"),
        (Operation("add", "/a/b/-/c", 1), "cannot add '/a/b/-/c': it does not exist"),
        (Operation("replace", "/a/b/-1", 1), "cannot replace '/a/b/-1': it does not exist"),
        (Operation("replace", "/a/b/01", 1), "cannot replace '/a/b/01': it does not exist"),
        (Operation("replace", "/a/b/\u0661", 1), "cannot replace '/a/b/\u0661': it does not exist"),
        (Operation("replace", "/a/b/" + "9" * 99, 1), f"cannot replace '/a/b/{'9' * 99}': it does not exist"),
        (Operation("test", "/a/b/0", 11), "cannot test '/a/b/0': it holds another value"),
        (Operation("test", "/a/b/2", {"c": True}), "cannot test '/a/b/2': it holds another value"),
        (Operation("add", "a", 1), "cannot add 'a': it is no JSON pointer"),
        (Operation("add", "/a~2", 1), "cannot add '/a~2': it is no JSON pointer"),
        (Operation("add", "/a~", 1), "cannot add '/a~': it is no JSON pointer"),
        (Operation("remove", ""), "cannot remove '': it is the whole document, which cannot be removed"),
        (Operation("move", "/a"), "cannot move '/a': it needs one of add, replace, remove and test"),
    ],
)
def test_what_does_not_apply_is_an_error_that_names_the_path(operation: Operation, message: str) -> None:
    with pytest.raises(PatchError) as failure:
        apply(DOCUMENT, [operation])
    assert str(failure.value) == message
    assert isinstance(failure.value, NumagateError)


def test_the_whole_document_can_be_replaced_and_tested() -> None:
    assert apply({"a": 1}, [Operation("test", "", {"a": 1}), Operation("replace", "", [])]) == []
    assert apply({"a": 1}, [Operation("add", "", None)]) is None


def test_operations_build_on_one_another() -> None:
    operations = [Operation("add", "/a", {}), Operation("add", "/a/b", []), Operation("add", "/a/b/-", 1)]
    assert apply({}, operations) == {"a": {"b": [1]}}
