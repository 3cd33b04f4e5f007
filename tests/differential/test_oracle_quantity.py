"""Compares quantities with Kubernetes' own: some generated texts, of which `make differential` has more, and values."""

import json
from collections.abc import Sequence
from random import Random

from differential.oracle import Answer
from differential.oracle import Oracle
from differential.quantity_comparison import Quantities

from webhook.domain.quantity import Quantity
from webhook.domain.quantity import QuantityError

COUNT = 20_000
SEED = 1


def test_quantities_are_read_written_rounded_and_added_as_by_kubernetes(oracle: Oracle) -> None:
    found = Quantities(oracle.ask, SEED).compare(0, COUNT)
    assert [text() for text in found.differences[:20]] == []
    assert found.proves


def test_json_values_are_read_as_by_kubernetes(oracle: Oracle) -> None:
    random = Random(SEED)  # noqa: S311 - the same again next time
    texts = ["", "0", " 1", "1 ", "   1.5Gi  ", "a", '"', "\n1", "1\t", "\\", "null"]
    integers = [random.randrange(-(2**70), 2**70) for _ in range(500)]
    values: list[object] = [True, False, [], {}, *texts, *integers]
    asked = [{"op": "quantity", "json": json.dumps(value, ensure_ascii=False)} for value in values]
    assert_read_alike(values, oracle.ask(asked))


def test_floats_are_read_from_the_text_that_go_clients_send(oracle: Oracle) -> None:
    random = Random(SEED)  # noqa: S311 - the same again next time
    values = [0.0, -0.0, 0.5, 1e-6, 9.99e-7, 1e20, 1e21, 9.99e20, 1e300, 5e-324, -1.5]
    values += [10 ** random.uniform(-40, 40) for _ in range(2000)]
    values += [float(random.randrange(10 ** random.randrange(1, 20))) for _ in range(500)]
    values += [round(random.uniform(-1000, 1000), random.randrange(5)) for _ in range(2000)]
    assert_read_alike(values, oracle.ask([{"op": "quantity", "float": value} for value in values]))


def test_what_go_cannot_read_in_time_is_named_and_what_comes_after_it_is_still_answered(oracle: Oracle) -> None:
    texts = ["1", "1e2147483648", "2"]
    answers = oracle.ask([{"op": "quantity", "text": text} for text in texts])
    assert [answer.get("text", answer.get("timeout")) for answer in answers] == ["1", True, "2"]
    assert Quantity.parse("1e2147483648") > Quantity.parse("1e1000000")


def assert_read_alike(values: Sequence[object], answers: Sequence[Answer]) -> None:
    """Compare the canonical texts of JSON values, None where they are no quantities."""
    theirs = [answer["text"] if answer["ok"] else None for answer in answers]
    pairs = zip(values, map(written, values), theirs, strict=True)
    assert [pair for pair in pairs if pair[1] != pair[2]] == []


def written(value: object) -> str | None:
    """Answer the canonical text of a JSON value, None where it is no quantity."""
    try:
        return str(Quantity.from_json(value))
    except QuantityError:
        return None
