"""Fuzzes one target in a process of its own: `python -m fuzz.child TARGET FOLDER [libFuzzer's options or inputs]`.

With files instead of options it tries these, which is how a finding is looked at again.
"""

import importlib
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

from fuzz.mutation import Mutator
from fuzz.target import Target

LIMIT_SECONDS = 1.0
"""CPU time of one input, twenty times what is wanted: the instrumented code is slow, and so may be the machine."""
PLAIN_SHARE = 0.2
"""So many changes are libFuzzer's own even where the input has a structure."""
SLOWEST = "slowest.bin"


class SlowInputError(Exception):
    """An input took too long."""


class Child:
    """A target, with the clock around it; `atheris` is the module, which not every environment has."""

    def __init__(self, target: Target, folder: Path, atheris: Any) -> None:
        """Prepare to fuzz; the slowest input is kept in `folder`."""
        self._target = target
        self._folder = folder
        self._atheris = atheris
        self._worst = 0.0
        self._mutator = Mutator(target.seeds())

    def check(self, data: bytes) -> None:
        """Try an input."""
        start = time.thread_time()
        self._target.check(data)
        seconds = time.thread_time() - start
        if seconds > self._worst:
            self._worst = seconds
            (self._folder / SLOWEST).write_bytes(data)
        if seconds > LIMIT_SECONDS:
            msg = f"{len(data)} bytes took {seconds:.3f} s"
            raise SlowInputError(msg)

    def mutate(self, data: bytes, max_size: int, seed: int) -> bytes:
        """Change an input: by its structure where it has one, else as libFuzzer does."""
        random = Random(seed)  # noqa: S311  # libFuzzer's seed makes a run repeatable
        changed = None if random.random() < PLAIN_SHARE else self._mutator.mutate(data, random)
        if changed is None or len(changed) > max_size:
            return bytes(self._atheris.Mutate(data, max_size))
        return changed


def main(arguments: list[str]) -> None:
    """Fuzz until libFuzzer ends the process."""
    program, name, folder, *options = arguments
    atheris: Any = importlib.import_module("atheris")
    with atheris.instrument_imports(include=["webhook"]):
        targets = importlib.import_module("fuzz.targets")
    child = Child(targets.TARGETS[name], Path(folder), atheris)
    atheris.Setup([program, *options], child.check, custom_mutator=child.mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv)
