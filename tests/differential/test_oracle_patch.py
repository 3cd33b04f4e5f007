"""Compares JSON patches with the API server's library and an independent one, a few: `make differential` has more."""

import pytest
from differential.oracle import Oracle
from differential.patch_comparison import Patches

COUNT = 900
SEED = 1
SHOWN = 5


def test_patches_make_what_the_api_server_and_an_independent_library_make_of_them(oracle: Oracle) -> None:
    found = Patches(oracle.ask, SEED).compare(0, COUNT)

    assert [text() for text in found.differences[:SHOWN]] == []
    assert found.outcomes["pods patched"] > COUNT // 4


@pytest.mark.parametrize(
    ("document", "patch"),
    [
        ({"a": None}, [{"op": "add", "path": "/a/b", "value": 1}]),
        ({}, [{"op": "remove", "path": "/a"}]),
        ({"a": [1]}, [{"op": "add", "path": "/a/2", "value": 1}]),
        ({"a": 1}, [{"op": "test", "path": "/a", "value": 2}]),
    ],
)
def test_a_patch_that_does_not_apply_is_told(oracle: Oracle, document: object, patch: object) -> None:
    (answer,) = oracle.ask([{"op": "patch", "document": document, "patch": patch}])

    assert (answer["ok"], "document" in answer) == (False, False)
