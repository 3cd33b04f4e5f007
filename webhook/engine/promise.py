"""Writes the promise into a pod, and finds one that was forged or changed."""

from collections.abc import Iterator
from dataclasses import dataclass

from webhook.domain import keys
from webhook.domain.expectation import Expectation
from webhook.domain.expectation import decode
from webhook.domain.expectation import expect
from webhook.domain.finding import Finding
from webhook.domain.finding import Severity
from webhook.domain.levels import Level
from webhook.domain.pointer import Path
from webhook.domain.policy import Policy
from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text_map
from webhook.domain.rewrite import set_value
from webhook.engine.judge import Judgement

_ALIGNMENT: Path = ("metadata", "annotations", keys.ALIGNMENT)
_LEVEL: Path = ("metadata", "labels", keys.LEVEL)
_IMMUTABLE: tuple[Path, ...] = (_ALIGNMENT, _LEVEL, ("metadata", "annotations", keys.NUMA_NODES))


@dataclass(frozen=True, slots=True)
class Signed:
    """A pod with the promise in it, and what to say about an incoming one that was replaced."""

    pod: JsonObject
    warnings: tuple[str, ...]


def promised(judgement: Judgement, policy: Policy, level: Level | None = None) -> Expectation:
    """Compute the promise for a judged pod, as repaired; for the level that it reached, unless another is given."""
    subject = judgement.subject
    return expect(
        subject.facts,
        subject.accelerators,
        level=judgement.repaired_level if level is None else level,
        numa_nodes=subject.numa_nodes,
        policy=policy.name,
        generation=policy.generation,
    )


def sign(judgement: Judgement, policy: Policy) -> Signed:
    """Write annotation and label into the repaired pod of a governed, admitted judgement; remove them from any other.

    A label that is there is never changed: the validating pass refuses a wrong one.
    """
    pod = judgement.repaired
    annotations = get_text_map(get_object(pod, "metadata"), "annotations")
    incoming = annotations.get(keys.ALIGNMENT)
    if not judgement.governed or judgement.remaining or judgement.repaired_level is Level.NONE:
        if incoming is None or judgement.remaining:
            return Signed(pod, ())
        return Signed(_without_alignment(pod), (f"annotation {keys.ALIGNMENT} removed: only numagate writes it",))
    text = promised(judgement, policy).encode()
    signed = pod if incoming == text else set_value(pod, _ALIGNMENT, text)
    if keys.LEVEL not in get_object(pod, "metadata", "labels"):
        signed = set_value(signed, _LEVEL, str(judgement.repaired_level))
    known = None if incoming is None else decode(incoming)
    warnings: tuple[str, ...] = ()
    if incoming is not None and (known is None or not known.same_shape(promised(judgement, policy))):
        warnings = (f"annotation {keys.ALIGNMENT} replaced: only numagate writes it",)
    return Signed(signed if isinstance(signed, dict) else pod, warnings)


def forged(judgement: Judgement, policy: Policy, *, repairing: bool) -> Iterator[Finding]:
    """Compare the promise on a new pod with the one that its spec earns; a missing one is only reported.

    A pod with faults that remain was seen by the mutating pass and left alone, so it carries none.

    `policy` and `generation` are information: replicas may reload at different moments. For the same reason a promise
    of another generation may name another level, but none above the earned one unless the mutating pass wrote it
    (`repairing`), which overwrites what a user wrote.
    """
    facts = judgement.subject.facts
    text, label = facts.annotations.get(keys.ALIGNMENT), facts.labels.get(keys.LEVEL)
    if not judgement.governed or judgement.repaired_level is Level.NONE:
        for code, path, value in (("forged-promise", _ALIGNMENT, text), ("forged-level", _LEVEL, label)):
            if value is not None:
                yield _finding(code, path, f"this pod earns no {path[-1]}: remove it", value)
        return
    earned = promised(judgement, policy)
    claimed = None if text is None else decode(text)
    level = earned.level
    if text is None and repairing and not judgement.remaining:
        yield _missing()
    elif text is not None and (claimed is None or not _is_earned(claimed, judgement, policy)):
        what = "the promise does not match the pod's spec: remove the annotation, numagate writes it"
        yield _finding("forged-promise", _ALIGNMENT, what, text)
    elif claimed is not None:
        may_differ = claimed.generation != policy.generation and (
            repairing or claimed.reached <= judgement.repaired_level
        )
        level = claimed.level if may_differ else level
        if claimed.level != level:
            what = f"the promised level is not {level}: remove the annotation, numagate writes it"
            yield _finding("forged-promise", _ALIGNMENT, what, text)
    if label is not None and label != level:
        yield _finding("forged-level", _LEVEL, f"the pod reaches level {level}: remove the label or write that", label)


def _is_earned(claimed: Expectation, judgement: Judgement, policy: Policy) -> bool:
    """Compare what spec and claimed level decide; whether that level is reached is another question."""
    return claimed.same_shape(promised(judgement, policy, claimed.reached))


def changed(new: JsonObject, old: JsonObject) -> Iterator[Finding]:
    """Compare the promise of an updated pod with the one it had; it is never recomputed."""
    had = keys.ALIGNMENT in get_object(old, "metadata", "annotations")
    for path in _IMMUTABLE:
        section, key = str(path[1]), str(path[2])
        before, after = get_object(old, "metadata", section).get(key), get_object(new, "metadata", section).get(key)
        if before == after or (key == keys.NUMA_NODES and not had):
            continue
        what = "removed" if after is None else "added" if before is None else "changed"
        yield _finding("changed-promise", path, f"{key} may not be {what} on a pod that exists", _text(after))


def _without_alignment(pod: JsonObject) -> JsonObject:
    annotations = dict(get_object(pod, "metadata", "annotations"))
    del annotations[keys.ALIGNMENT]
    stripped = set_value(pod, ("metadata", "annotations"), annotations)
    return stripped if isinstance(stripped, dict) else pod


def _missing() -> Finding:
    what = "numagate's mutating pass did not see this pod: it carries no promise to verify alignment against"
    return Finding("missing-promise", Severity.WARNING, Level.GUARANTEED, _ALIGNMENT, what)


def _finding(code: str, path: Path, message: str, actual: str | None) -> Finding:
    shown = None if actual is None else actual[:64]
    return Finding(code, Severity.FAULT, Level.GUARANTEED, path, message, actual=shown)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
