"""Golden texts: what programs should print, section by section in one file that a person can read.

A long line of numagate's refusal is folded, one finding a line, so that a difference shows where it is.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Self

REWRITE = "NUMAGATE_REWRITE_GOLDEN"
_HEAD = re.compile(r"^=== (.+)$", re.MULTILINE)


class Golden:
    """The texts of one file; with the environment variable `REWRITE` they are replaced by those that are compared."""

    def __init__(self, path: Path, preface: str, sections: dict[str, str]) -> None:
        """Take the texts that `path` has, after its `preface`."""
        self.path, self.preface, self.sections = path, preface, sections
        self.rewrites = bool(os.environ.get(REWRITE))

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read the file; what stands before the first section is its preface."""
        preface, *parts = _HEAD.split(path.read_text("utf-8"))
        names, texts = parts[::2], parts[1::2]
        return cls(path, preface, {name: text.strip("\n") for name, text in zip(names, texts, strict=True)})

    def compared(self, name: str, text: str) -> str:
        """Answer `text` as it stands in a section."""
        found = folded(text)
        if self.rewrites:
            self.sections[name] = found
        return found

    def expected(self, name: str) -> str | None:
        """Answer the text of a section, None where there is none yet."""
        return self.sections.get(name)

    def write(self, order: Sequence[str]) -> None:
        """Write the file where that is asked for: the sections in `order`, and no other."""
        if self.rewrites:
            written = [f"=== {name}\n{self.sections[name]}\n\n" for name in order if name in self.sections]
            self.path.write_text(self.preface + "".join(written).rstrip("\n") + "\n", "utf-8")


def folded(text: str) -> str:
    r"""Break a refusal into lines: who refused, then one finding each.

    >>> print(folded("a denied the request: one [x]; two [y]" + chr(10)))
    a denied the request:
        one [x];
        two [y]
    """
    broken = re.sub(r" denied the request: ", " denied the request:\n    ", text.rstrip("\n"))
    return re.sub(r"\]; (?=container |[a-z])", "];\n    ", broken)
