"""Compares quantities with Kubernetes' own, over generated texts; NUMAGATE_QUANTITIES sets how many."""

import json
import os
from collections.abc import Iterator
from collections.abc import Sequence
from random import Random

from differential import quantities
from differential.oracle import Answer
from differential.oracle import Oracle
from differential.oracle import Question

from webhook.domain.quantity import Quantity
from webhook.domain.quantity import QuantityError

COUNT = int(os.environ.get("NUMAGATE_QUANTITIES", "20000"))
SEED = int(os.environ.get("NUMAGATE_SEED", "1"))
BATCH = 50_000
SHOWN = 20

HUGE = 9e18
"""From here on Go's Value answers 0, or what wrapping around left; ours saturates."""
HUGE_NEGATIVE = 9e9
"""Below this, negative, Go's Value is wrong; above, it rounds up, down or the wrong way, by its path."""

LATE_SHARE = 0.005
"""At most this share of the texts may be too long for Go to read in time."""


def test_quantities_are_read_written_rounded_and_added_as_by_kubernetes(oracle: Oracle) -> None:
    texts = list(quantities.texts(COUNT, SEED))
    found: list[str] = []
    late = 0
    for start in range(0, len(texts), BATCH):
        asked = questions(texts[start : start + BATCH], Random(SEED + start))  # noqa: S311 - the same again next time
        for question, answer in zip(asked, oracle.ask(asked), strict=True):
            if "timeout" in answer:
                late += 1
            else:
                found += (f"{question}: {line}" for line in differences(question, answer))
    assert found[:SHOWN] == []
    assert late <= max(5, COUNT * LATE_SHARE)


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


def questions(texts: Sequence[str], random: Random) -> list[Question]:
    """Ask each text, and where Go can compute with it, a second one beside it."""
    seconds = [text for text in texts if is_ordinary(text)]
    return [
        {"op": "quantity", "text": text, "other": random.choice(seconds)}
        if is_ordinary(text)
        else {"op": "quantity", "text": text}
        for text in texts
    ]


def is_ordinary(text: str) -> bool:
    """Tell whether Go can add and compare a quantity within its time."""
    if len(text) >= 200 or quantities.exponent_is_huge(text):
        return False
    try:
        return abs(Quantity.parse(text).exponent) < 500
    except QuantityError:
        return False


def differences(question: Question, answer: Answer) -> Iterator[str]:
    """Yield what is not as Kubernetes says."""
    try:
        ours = Quantity.parse(question["text"])
    except QuantityError:
        if answer["ok"]:
            yield f"refused, but is {answer['text']}"
        return
    if not answer["ok"]:
        yield f"read as {ours}, but refused: {answer}"
        return
    whole = answer["asInt64"]
    yield from unequal("text", str(ours), answer["text"])
    yield from unequal("format", ours.format.value, answer["format"])
    yield from unequal("as_int64", ours.as_int64(), None if whole is None else int(whole))
    yield from unequal("rounded up", str(ours.round_up_milli()), answer["roundedUp"])
    size = float(answer["approximate"])
    yield from unequal_numbers("value", ours.value, int(answer["value"]), size)
    yield from unequal_numbers("milli", ours.milli, int(answer["milli"]), size * 1000)
    if "other" in question:
        yield from pair_differences(ours, Quantity.parse(question["other"]), answer["pair"])


def pair_differences(ours: Quantity, other: Quantity, pair: Answer) -> Iterator[str]:
    """Yield what is not as Kubernetes says of two quantities."""
    yield from unequal("comparison", (ours > other) - (ours < other), pair["cmp"])
    yield from unequal("equality", ours == other, pair["cmp"] == 0)
    yield from unequal("sum", str(ours + other), pair["sum"])
    yield from unequal("difference", str(ours - other), pair["difference"])


def unequal(what: str, ours: object, theirs: object) -> Iterator[str]:
    """Yield a line if two answers differ."""
    if ours != theirs:
        yield f"{what} is {ours!r}, should be {theirs!r}"


def unequal_numbers(what: str, ours: int, theirs: int, size: float) -> Iterator[str]:
    """Yield a line if two numbers differ where Go's is to be trusted, or ours is no huge number where it is not."""
    if size >= HUGE or size <= -HUGE:
        if ours * size < HUGE * HUGE:
            yield f"{what} is {ours}, should be about {size}"
    elif size < 0:
        if size > -HUGE_NEGATIVE and abs(ours - theirs) > 2:
            yield f"{what} is {ours}, should be {theirs}"
    else:
        yield from unequal(what, ours, theirs)
