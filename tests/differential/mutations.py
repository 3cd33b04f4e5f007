"""Errors to be planted in the simulated kubelet: each in words, and as one change of a text that is there once."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

import webhook

PACKAGE = Path(webhook.__file__).parent
KUBELET = Path("domain", "kubelet")


@dataclass(frozen=True)
class Mutation:
    """An error: what the simulation gets wrong, in which of its files, and how."""

    error: str
    file: str
    old: str
    new: str

    def applied(self) -> str:
        """Answer the text of the file with the error in it.

        Raises:
            ValueError: the place is not there, or not there alone: the code has changed, and so must the mutation.
        """
        text = (PACKAGE / KUBELET / self.file).read_text("utf-8")
        if text.count(self.old) != 1:
            msg = f"{self.file} has {text.count(self.old)} times, and not once: {self.old!r} ({self.error})"
            raise ValueError(msg)
        return text.replace(self.old, self.new)


def load() -> Iterator[Mutation]:
    """Yield the errors of the table beside this file."""
    table = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text("utf-8"))
    for file, found in table.items():
        yield from (Mutation(file=file, **fields) for fields in found)


MUTATIONS = tuple(load())
