"""Compares quantities with Kubernetes' own, over generated texts."""

from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from random import Random

from differential import quantities
from differential.comparison import Found
from differential.oracle import Answer
from differential.oracle import Ask
from differential.oracle import Question

from webhook.domain.quantity import Quantity
from webhook.domain.quantity import QuantityError

HUGE = 9e18
"""From here on Go's Value answers 0, or what wrapping around left; ours saturates."""
HUGE_NEGATIVE = 9e9
"""Below this, negative, Go's Value is wrong; above, it rounds up, down or the wrong way, by its path."""


@dataclass(frozen=True)
class Quantities:
    """Texts: how they are read, written, rounded, compared and added."""

    ask: Ask
    seed: int
    name: str = "quantities"
    batch: int = 10_000

    def compare(self, first: int, count: int) -> Found:
        """Ask for texts, and compare what Kubernetes reads."""
        found = Found()
        made = questions(list(quantities.texts(count, self.seed, first)), Random(f"{self.seed}/{first}"))  # noqa: S311
        for question, answer in zip(made, self.ask(made), strict=True):
            found.asked += 1
            if "timeout" in answer:
                found.late += 1
                continue
            found.outcomes["read" if answer["ok"] else "refused"] += 1
            found.differences += (partial(str, f"{question}: {line}") for line in differences(question, answer))
        return found


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
