"""Keeps asking a serving replica about the same pods, and notes every answer that is not as it should be."""

import itertools
import threading
from base64 import b64decode
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from dataclasses import field
from typing import Any

import httpx
from controlplane.replicas import Replica
from serving import review_body

RATE = 30.0
"""Reviews a second."""


@dataclass(frozen=True, slots=True)
class Question:
    """A pod, the pass that is asked about it, and the right answer: "allowed", "repaired" or "denied"."""

    review_pass: str
    namespace: str
    pod: dict[str, Any]
    wanted: str


@dataclass(slots=True)
class Pressure:
    """What came back: how often each answer, and those that were wrong or none."""

    seen: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def note(self, question: Question, answer: str) -> None:
        """Take one answer."""
        self.seen[answer] += 1
        if answer != question.wanted:
            self.wrong.append(f"{question.review_pass} in {question.namespace}: {answer}, not {question.wanted}")


@contextmanager
def pressure(replica: Replica, questions: list[Question]) -> Iterator[Pressure]:
    """Ask in turn, over one kept-alive connection, for the time of a `with` block."""
    found, stop = Pressure(), threading.Event()
    worker = threading.Thread(target=_ask, args=(replica, questions, found, stop), name="pressure")
    worker.start()
    try:
        yield found
    finally:
        stop.set()
        worker.join()


def answer_of(replica: Replica, question: Question) -> str:
    """Ask once; answer "allowed", "repaired", "denied", or what went wrong."""
    body = review_body(obj=question.pod, namespace=question.namespace)
    try:
        reply = replica.http.post(
            f"/{question.review_pass}", content=body, headers={"Content-Type": "application/json"}
        )
    except httpx.TransportError as error:
        return f"no answer: {error!r}"
    if reply.status_code != httpx.codes.OK:
        return f"status {reply.status_code}"
    response = reply.json()["response"]
    if not response["allowed"]:
        return "denied"
    return "repaired" if b64decode(response.get("patch", "")) else "allowed"


def _ask(replica: Replica, questions: list[Question], found: Pressure, stop: threading.Event) -> None:
    for question in itertools.cycle(questions):
        if stop.wait(1 / RATE):
            return
        found.note(question, answer_of(replica, question))
