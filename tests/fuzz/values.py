"""Targets: quantities, and JSON patches."""

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from differential.quantities import HOSTILE
from differential.quantities import texts
from fuzz.target import Target
from fuzz.target import refusal

from webhook.domain.jsonpatch import Operation
from webhook.domain.jsonpatch import PatchError
from webhook.domain.jsonpatch import apply
from webhook.domain.jsonpatch import diff
from webhook.domain.quantity import Quantity
from webhook.domain.quantity import QuantityError
from webhook.domain.quantity_text import INT64_MAX
from webhook.domain.quantity_text import INT64_MIN

_SEEDS = 400
_WRITTEN_SHORT = 10**18


def _quantities() -> Iterator[bytes]:
    yield from (text.encode() for text in HOSTILE)
    yield from (text.encode() for text in texts(_SEEDS, 1, first=len(HOSTILE)))


def _check_quantity(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    told = refusal(QuantityError, lambda: Quantity.parse(text))
    assert told.isascii()
    assert told.isprintable()
    if told:
        return
    assert text.isascii()
    quantity = Quantity.parse(text)
    assert INT64_MIN <= quantity.value <= INT64_MAX
    assert INT64_MIN <= quantity.milli <= INT64_MAX
    assert quantity == quantity + Quantity.of_count(0)
    assert quantity.round_up_milli().round_up_milli() == quantity.round_up_milli()
    if abs(quantity.value) < _WRITTEN_SHORT:
        assert Quantity.parse(str(quantity)) == quantity


def _documents() -> Iterator[bytes]:
    pods: tuple[Any, ...] = (
        {"metadata": {}, "spec": {"containers": [{"name": "a"}]}},
        {"metadata": {"labels": {"a/b~c": "1"}}, "spec": {"containers": [{"name": "a", "resources": None}]}},
        {
            "spec": {
                "containers": [{"resources": {"limits": {"nvidia.com/gpu": "1"}}}],
                "volumes": [1, [2, {"~": None}]],
            }
        },
    )
    for one in pods:
        for other in pods:
            yield json.dumps([one, other]).encode()
    steps = ({"op": "test", "path": "/spec", "value": 1}, {"op": "add", "path": "/spec/containers/-", "value": {}})
    more = ({"op": "remove", "path": "/spec/containers/0"}, {"op": "replace", "path": "/a~1b/~0/01", "value": None})
    yield json.dumps([pods[0], [*steps, *more]]).encode()


def _check_patch(data: bytes) -> None:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return
    if not isinstance(found, list) or len(found) != 2:  # before and after
        return
    before, after = found
    made = apply(before, diff(before, after))
    assert _exact(made) == _exact(after)
    steps = [one for one in after if isinstance(one, dict)] if isinstance(after, list) else []
    foreign = [Operation(str(one.get("op")), str(one.get("path")), one.get("value")) for one in steps]
    with suppress(PatchError):
        apply(before, foreign)


def _exact(document: object) -> str:
    return json.dumps(document, sort_keys=True)


QUANTITY = Target("quantity", "the text of a quantity", _quantities, _check_quantity)
PATCH = Target("patch", "the difference of two documents, and its application", _documents, _check_patch)
