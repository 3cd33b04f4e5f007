"""The report: what lint found in manifests, ready for every output format."""

from collections.abc import Mapping
from dataclasses import dataclass

DECISIONS = ("accept", "repair", "deny", "warn", "skip", "invalid", "unknown")
"""Every word that `Result.decision` may be, in the order of summaries."""

_FAILING = frozenset({"repair", "deny", "invalid", "unknown"})


@dataclass(frozen=True, slots=True)
class ReportedClass:
    """What a node class says about a template: `fits` as written, `fits_after_repair`; words of `Fits`.

    `nodes` is how many nodes it has, None where nobody counted.
    """

    name: str
    fits: str
    fits_after_repair: str
    reason: str
    nodes: int | None = None


@dataclass(frozen=True, slots=True)
class ReportedFinding:
    """A finding with its place in the file; `path` is a field path from the root of the document."""

    code: str
    severity: str
    path: str
    line: int
    container: str | None
    message: str
    actual: str | None
    wanted: str | None


@dataclass(frozen=True, slots=True)
class ReportedEdit:
    """What to write into the file: `new` at `path`; `line` is where the field stands, or the nearest one above it.

    `note` says what the value brings with it ("now has a limit"), or is empty.
    """

    path: str
    line: int
    old: str | None
    new: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """The verdict on one pod template; `level` and `qos` are None where no pod could be judged.

    `pods` is how many pods the object makes of it, None where it does not say. `readiness_gate` is what becomes of the
    gate that its policy wants ("added", "present", "unverified"), None where it wants none.
    """

    file: str
    document: int
    line: int
    kind: str
    name: str
    namespace: str
    path: str
    decision: str
    level: str | None
    qos: str | None
    classes: tuple[ReportedClass, ...]
    findings: tuple[ReportedFinding, ...]
    edits: tuple[ReportedEdit, ...]
    pods: int | None = None
    readiness_gate: str | None = None

    @property
    def fails(self) -> bool:
        """Whether this result alone makes lint exit with 1."""
        return self.decision in _FAILING


@dataclass(frozen=True, slots=True)
class ReadError:
    """Something that could not be read; `document` and `line` are None where the whole file is meant."""

    file: str
    document: int | None
    line: int | None
    message: str


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that one run of lint has to say.

    `ignored` counts the objects that hold no pods. `assumed` names the node classes that nobody declared.
    """

    policy: str
    assumed: tuple[str, ...]
    files: int
    results: tuple[Result, ...]
    errors: tuple[ReadError, ...]
    ignored: int

    @property
    def counts(self) -> Mapping[str, int]:
        """How many results there are of each decision."""
        return {word: sum(result.decision == word for result in self.results) for word in DECISIONS}

    def exit_code(self, *, strict: bool = False) -> int:
        """Answer 2 if anything could not be read, 1 if a result fails (`strict`: or warns), else 0."""
        if self.errors:
            return 2
        return int(any(result.fails or (strict and result.decision == "warn") for result in self.results))
