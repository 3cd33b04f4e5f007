"""What the kubelet of one version knows: its feature gates, and the fields of its configuration with their kinds."""

import difflib
from collections.abc import Iterable
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from webhook.domain.versions import Version

ALPHA: Final = "ALPHA"
BETA: Final = "BETA"
_ALL: Final = {"AllAlpha": ALPHA, "AllBeta": BETA}
"""Gates that stand for all others of a stage that are not written (component-base/featuregate)."""


@dataclass(frozen=True, slots=True)
class Gate:
    """A feature gate: its stage, whether it is on by default and stays so, and the gates it does not work without."""

    stage: str
    on: bool
    locked: bool = False
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Known:
    """The knowledge about a version; `exact` is False where that version is not in our table, but a neighbour of it.

    A field's kind is "boolean", "integer", "number", "text", "duration" or "object", or "list of" or "map of" one.
    """

    version: Version
    gates: Mapping[str, Gate]
    fields: Mapping[str, str]
    exact: bool = True

    def in_force(self, written: Mapping[str, bool]) -> Mapping[str, bool]:
        """Answer the gates that are not as they come: those written, and those that AllAlpha and AllBeta stand for."""
        found = {name: on for name, on in written.items() if name not in _ALL}
        for name, stage in _ALL.items():
            if name in written:
                same = (gate for gate, known in self.gates.items() if known.stage == stage and gate not in _ALL)
                found.update({gate: written[name] for gate in same if gate not in written})
        return found


def misspelt(word: str, words: Iterable[str]) -> str:
    """Answer the word that this is, but for one or two letters and capitals, or ""; alike is not enough.

    >>> misspelt("TopologyManagr", ["TopologyManager"]), misspelt("CPUManager", ["MemoryManager"])
    ('TopologyManager', '')
    """
    small = {one.lower(): one for one in words}
    for edits in range(3):
        for one, spelt in small.items():
            if _within(word.lower(), one, edits):
                return spelt
    return ""


def _within(word: str, other: str, edits: int) -> bool:
    """Tell whether so many letters that are changed, left out or put in make the one of the other."""
    if abs(len(word) - len(other)) > edits:
        return False
    same = next((place for place, pair in enumerate(zip(word, other, strict=False)) if pair[0] != pair[1]), None)
    if same is None:
        return True
    word, other = word[same:], other[same:]
    return edits > 0 and any(
        _within(left, right, edits - 1) for left, right in ((word[1:], other), (word, other[1:]), (word[1:], other[1:]))
    )


def nearest(word: str, words: Iterable[str]) -> str:
    """Answer the word that is probably meant, or "".

    >>> nearest("reservedSystemCpus", ["reservedSystemCPUs", "systemReserved"])
    'reservedSystemCPUs'
    """
    small = {one.lower(): one for one in words}
    found = difflib.get_close_matches(word[:64].lower(), small, n=1)
    return small[found[0]] if found else ""
