"""Laws of JSON patches, over any JSON documents."""

import copy
import json
from typing import TypeAlias

from hypothesis import given
from hypothesis import strategies as st

from webhook.domain.jsonpatch import apply
from webhook.domain.jsonpatch import diff

Json: TypeAlias = dict[str, "Json"] | list["Json"] | str | int | float | bool | None

SCALARS = st.none() | st.booleans() | st.integers(-2, 2) | st.floats(-2, 2) | st.sampled_from(["", "1", "a/b"])
KEYS = st.sampled_from(["", "a", "b", "a/b", "~", "~1", "0", "-"])
DOCUMENTS: st.SearchStrategy[Json] = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12
)


def exact(document: object) -> str:
    """Write a document so that true, 1 and 1.0 differ, and the order of keys does not matter."""
    return json.dumps(document, sort_keys=True)


@given(DOCUMENTS, DOCUMENTS)
def test_the_difference_applied_to_the_first_gives_the_second(before: Json, after: Json) -> None:
    assert exact(apply(before, diff(before, after))) == exact(after)


@given(DOCUMENTS)
def test_a_document_does_not_differ_from_its_copy(document: Json) -> None:
    assert diff(document, copy.deepcopy(document)) == ()


@given(DOCUMENTS, DOCUMENTS)
def test_neither_difference_nor_application_changes_a_document(before: Json, after: Json) -> None:
    texts = exact(before), exact(after)
    apply(before, diff(before, after))
    assert (exact(before), exact(after)) == texts


@given(DOCUMENTS, DOCUMENTS)
def test_no_operation_can_be_left_out(before: Json, after: Json) -> None:
    operations = diff(before, after)
    for index in range(len(operations)):
        rest = operations[:index] + operations[index + 1 :]
        assert exact(apply(before, rest)) != exact(after)


@given(DOCUMENTS, DOCUMENTS)
def test_no_path_is_touched_twice_and_every_operation_survives_json(before: Json, after: Json) -> None:
    operations = diff(before, after)
    paths = [operation.path for operation in operations]
    assert len(set(paths)) == len(paths)
    assert all(set(json.loads(json.dumps(step.as_dict()))) >= {"op", "path"} for step in operations)
