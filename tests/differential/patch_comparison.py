"""Compares JSON patches with the API server's own library, and with one that is nobody's of both."""

import json
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import jsonpatch as independent
from builders import mutating
from builders import world
from differential import patches
from differential.comparison import Found
from differential.oracle import Answer
from differential.oracle import Ask

from webhook.domain import facts
from webhook.domain.jsonpatch import Operation
from webhook.domain.jsonpatch import apply
from webhook.domain.jsonpatch import diff
from webhook.engine.review import review

Steps = list[dict[str, Any]]

WORLD = world()


@dataclass(frozen=True)
class Patched:
    """A document, the patch for it as it leaves on the wire, and what it is to become; `note` is for the table."""

    before: Any
    patch: Steps
    after: Any
    note: str


@dataclass(frozen=True)
class Patches:
    """Patches: those of pods, as written and as the API server has decoded them, and those of other documents."""

    ask: Ask
    seed: int
    name: str = "patches"
    batch: int = 1500

    def compare(self, first: int, count: int) -> Found:
        """Ask for documents with patches, and compare what becomes of them."""
        found = Found()
        seed = f"{self.seed}/{first}"
        made = [*self._of_pods(count - count // 3, seed), *of_pairs(count // 3, seed)]
        asked = [{"op": "patch", "document": one.before, "patch": one.patch} for one in made]
        for one, answer in zip(made, self.ask(asked), strict=True):
            found.asked += 1
            found.outcomes[one.note] += 1
            found.differences += (
                partial(str, f"{one.before} {one.patch}: {line}") for line in differences(one, answer)
            )
        return found

    def _of_pods(self, count: int, seed: str) -> Iterator[Patched]:
        written = list(patches.pods(count, seed))
        answers = self.ask([{"op": "pod", "pod": pod} for pod in written[::2]])
        decoded = [answer["decoded"] for answer in answers]
        for pod in (*decoded, *written[1::2]):
            steps = review(mutating(pod), WORLD).patch
            yield Patched(pod, as_sent(steps), apply(pod, steps), "pods patched" if steps else "pods left alone")


def of_pairs(count: int, seed: str) -> Iterator[Patched]:
    """Yield patches that make one document of another."""
    for before, after in patches.pairs(count, seed):
        yield Patched(before, as_sent(diff(before, after)), after, "documents")


def as_sent(steps: Sequence[Operation]) -> Steps:
    """Answer the operations as they leave on the wire."""
    sent: Steps = json.loads(json.dumps([step.as_dict() for step in steps]))
    return sent


def differences(one: Patched, answer: Answer) -> Iterator[str]:
    """Yield what is not as both libraries say."""
    alone = independent.apply_patch(one.before, one.patch)
    if exact(alone) != exact(one.after):
        yield f"is {exact(one.after)}, the independent library makes {exact(alone)}"
    if not answer["ok"]:
        yield f"does not apply: {answer['error']}"
        return
    if exact(answer["document"]) != exact(one.after):
        yield f"is {exact(one.after)}, the API server makes {exact(answer['document'])}"
    if answer.get("pod") is not None and one.note != "documents":
        yield from lost(one.after, answer["pod"])


def lost(ours: Any, decoded: Any) -> Iterator[str]:
    """Yield what decoding leaves out of a patched pod: a name that is no field vanishes without a word."""
    for section in ("annotations", "labels"):
        kept = (decoded["metadata"].get(section) or {}, ours["metadata"].get(section) or {})
        if kept[0] != kept[1]:
            yield f"{section} are decoded as {kept[0]}, were {kept[1]}"
    if facts.read(decoded).containers != facts.read(ours).containers:
        yield f"containers are decoded as {decoded['spec']}"


def exact(document: object) -> str:
    """Write a document so that true, 1 and 1.0 differ, and the order of keys does not matter."""
    return json.dumps(document, sort_keys=True)
