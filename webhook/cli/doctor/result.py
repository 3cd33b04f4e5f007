"""What the doctor says about one thing, and the shape of a probe."""

from collections.abc import Callable
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from webhook.cli.doctor.facts import Facts


class Status(Enum):
    """How a thing is."""

    OK = "ok"
    WARNING = "warning"
    """It works, and something will bite later."""
    PROBLEM = "problem"
    """It does not work, or not for long."""
    UNKNOWN = "unknown"
    """It could not be seen."""


@dataclass(frozen=True, slots=True)
class Result:
    """One line: what was found, and what to do about it, "" for nothing."""

    status: Status
    text: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Probe:
    """A question; `name` is unique, `look` answers it with at least one result. `rank` orders the output."""

    name: str
    rank: int
    look: Callable[[Facts], Iterator[Result]]


def ok(text: str) -> Result:
    """Answer that all is well."""
    return Result(Status.OK, text)


def warning(text: str, remedy: str) -> Result:
    """Answer that something will bite later."""
    return Result(Status.WARNING, text, remedy)


def problem(text: str, remedy: str) -> Result:
    """Answer that something does not work."""
    return Result(Status.PROBLEM, text, remedy)


def unknown(text: str) -> Result:
    """Answer that something could not be seen, and why."""
    return Result(Status.UNKNOWN, text)
