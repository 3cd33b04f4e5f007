"""Judges one pod: what is wrong as written, what a repair makes of it, what remains."""

from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import replace

import webhook.checks
from webhook import registry
from webhook.domain.check import Check
from webhook.domain.check import Subject
from webhook.domain.edit import Edit
from webhook.domain.facts import read
from webhook.domain.finding import Finding
from webhook.domain.finding import Severity
from webhook.domain.fit import ClassFit
from webhook.domain.fit import Fits
from webhook.domain.levels import Level
from webhook.domain.levels import Modes
from webhook.domain.pod import QOSClass
from webhook.domain.policy import Classes
from webhook.domain.raw import JsonObject
from webhook.engine.amend import Amendment
from webhook.engine.amend import Gather
from webhook.engine.amend import amend
from webhook.engine.decision import Outcome
from webhook.engine.ruling import Ruling
from webhook.engine.subject import gather
from webhook.engine.subject import governs

ALIGNING = frozenset({"misfit"})
"""Codes that are said once, of the pod as it would be: as written they describe a shape that nobody will run."""
CHECKS: tuple[Check, ...] = registry.load(webhook.checks, "CHECK", Check)


@dataclass(frozen=True, slots=True)
class ClassVerdict:
    """Whether an empty node of a class takes the pod: `fits` is a word of `Fits`; `reason` is one line.

    `nodes` is how many there are, None where nobody counted.
    """

    name: str
    fits: str
    fits_after_repair: str
    reason: str
    nodes: int | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on one pod or pod template.

    `findings` are of the pod as written, with what the repaired one will be warned of; `remaining` are the faults that
    no repair cures and that the policy enforces: where there are any, there are no `edits`. `level` and `qos` are as
    written; `repaired_level` is the level after `edits`. `repaired` is the pod with them, and `subject` what the checks
    saw of it; `told` is what they saw of the pod that has the `remaining` faults, with the others mended.
    """

    outcome: Outcome
    governed: bool
    level: Level
    repaired_level: Level
    qos: QOSClass
    classes: tuple[ClassVerdict, ...]
    findings: tuple[Finding, ...]
    remaining: tuple[Finding, ...]
    edits: tuple[Edit, ...]
    repaired: JsonObject
    subject: Subject
    told: Subject


def judge_pod(pod: JsonObject, ruling: Ruling, *, modes: Modes | None = None, seen: Subject | None = None) -> Judgement:
    """Judge a pod as the ruling's modes say, or other `modes`. Never raises: what cannot be read is an INVALID finding.

    `seen` is what the checks saw of the pod as written, from a judgement with other modes: it need not be simulated
    again.
    """
    modes = modes or ruling.modes
    subject = seen or _kept_shares(pod, gather(read(pod), ruling.policy, ruling.classes, ruling.claims), ruling)
    facts = subject.facts
    findings = find(subject)
    invalid = any(finding.severity is Severity.INVALID for finding in findings)
    governed = governs(facts, subject.accelerators, ruling.policy)
    repair, remaining = Amendment((), pod, subject), _enforced(findings, modes) if governed else ()
    told = subject
    after = findings
    if governed and not invalid and any(finding.severity is Severity.FAULT for finding in findings):
        repair, after, remaining, told = _repair(pod, subject, findings, ruling, modes)
    return Judgement(
        outcome=_outcome(subject, findings, remaining, repair.edits, governed=governed, invalid=invalid),
        governed=governed,
        level=reached(subject, findings),
        repaired_level=reached(repair.subject, after),
        qos=facts.qos,
        classes=tuple(_class_verdict(now, then) for now, then in zip(subject.fits, repair.subject.fits, strict=True)),
        findings=(*findings, *_told_later(findings, after)) if repair.edits else findings,
        remaining=remaining,
        edits=repair.edits,
        repaired=repair.pod,
        subject=repair.subject,
        told=told,
    )


def _kept_shares(pod: JsonObject, subject: Subject, ruling: Ruling) -> Subject:
    """Keep fair shares only where the simulation admits the pod with them; otherwise nobody should be told them."""
    if not subject.shares or not subject.fits:
        return subject
    filled = amend(pod, subject, _gatherer(ruling), level=Level.ALIGNED)
    faults = (finding for finding in find(filled.subject) if finding.severity is Severity.FAULT)
    if any(fault.level is Level.ALIGNED for fault in faults):
        return replace(subject, shares={})
    return subject


def _told_shares(after: Subject, before: Subject) -> Subject:
    """Take the shares that were not kept from a pod whose other values were repaired."""
    return after if before.shares else replace(after, shares={})


def _repair(
    pod: JsonObject, subject: Subject, findings: tuple[Finding, ...], ruling: Ruling, modes: Modes
) -> tuple[Amendment, tuple[Finding, ...], tuple[Finding, ...], Subject]:
    """Answer the repair to keep, its findings, the enforced faults that no repair cures, and the pod that has them.

    A repair reaches the level of the repair mode, or else the level that is enforced, or else nothing is edited. It
    never turns a pod that some node would run into one that every node refuses.
    """
    remaining, told = _enforced(findings, modes), subject
    for level in dict.fromkeys((modes.repair, min(modes.repair, modes.enforce))):
        amended = amend(pod, subject, _gatherer(ruling), level=level)
        after = findings if amended.subject is subject else find(_told_shares(amended.subject, subject))
        faults = tuple(one for one in after if one.severity is not Severity.WARNING and one.level <= level)
        uncured = _enforced(after, modes)
        if not faults and not uncured and not _spoils(subject, amended.subject):
            return amended, after, (), amended.subject
        remaining, told = (uncured, amended.subject) if uncured else (_enforced(findings, modes), subject)
    return Amendment((), pod, subject), findings, remaining, told


def _told_later(findings: tuple[Finding, ...], after: tuple[Finding, ...]) -> Iterator[Finding]:
    """Yield what the repaired pod is warned of for the first time: the validating pass will say it."""
    told = {finding.code for finding in findings}
    return (one for one in after if one.severity is Severity.WARNING and one.code not in told)


def _spoils(before: Subject, after: Subject) -> bool:
    """Tell whether a class that the pod needs would run it as written and refuses it as repaired."""
    lost = [
        then.admission.admitted and not now.admission.admitted
        for then, now in zip(before.fits, after.fits, strict=True)
    ]
    kept = any(fit.admission.admitted for fit in after.fits)
    return any(lost) and (not kept or before.policy.classes is Classes.ALL)


def _gatherer(ruling: Ruling) -> Gather:
    return lambda facts: gather(facts, ruling.policy, ruling.classes, ruling.claims)


def as_refused(judgement: Judgement) -> tuple[Finding, ...]:
    """Answer the findings in the words of a refusal: what no repair cures first, and said of the repaired pod."""
    told = {(finding.code, finding.path) for finding in judgement.remaining}
    codes = {finding.code for finding in judgement.remaining}
    rest = (one for one in judgement.findings if (one.code, one.path) not in told and one.code not in codes & ALIGNING)
    return (*judgement.remaining, *rest)


def find(subject: Subject) -> tuple[Finding, ...]:
    """Run every check, gravest first; equally grave ones in the order of the checks and of what each yields."""
    found = [finding for check in CHECKS for finding in check.run(subject)]
    if subject.facts.unreadable:  # what was not read looks absent: only what is certainly wrong is said
        found = [*subject.facts.unreadable, *(one for one in found if one.severity is Severity.INVALID)]
    return tuple(sorted(found, key=_order))


def reached(subject: Subject, findings: tuple[Finding, ...]) -> Level:
    """Answer the highest level without a fault at or below it; aligned needs a class that takes the pod aligned."""
    spoiled = [finding.level for finding in findings if finding.severity is not Severity.WARNING]
    if spoiled:
        return Level(min(spoiled) - 1)
    if not subject.accelerators:
        return Level.NONE
    aligned = [fit.fits is Fits.YES for fit in subject.fits]
    if any(aligned) and (all(aligned) or subject.policy.classes is Classes.ANY):
        return Level.ALIGNED
    pinning = [fit for fit in subject.fits if fit.node_class.kubelet.cpu_manager_policy == "static"]
    return Level.EXCLUSIVE if pinning or not subject.fits else Level.GUARANTEED


def _enforced(findings: tuple[Finding, ...], modes: Modes) -> tuple[Finding, ...]:
    if modes.enforce is Level.NONE:
        return ()
    return tuple(
        finding
        for finding in findings
        if finding.severity is Severity.INVALID
        or (finding.severity is Severity.FAULT and finding.level <= modes.enforce)
    )


def _outcome(
    subject: Subject,
    findings: tuple[Finding, ...],
    remaining: tuple[Finding, ...],
    edits: tuple[Edit, ...],
    *,
    governed: bool,
    invalid: bool,
) -> Outcome:
    if not subject.accelerators and not subject.facts.claims and not invalid:
        return Outcome.WARN if findings else Outcome.SKIP
    if invalid:
        return Outcome.INVALID
    if remaining:
        return Outcome.DENY
    if edits:
        return Outcome.REPAIR
    enforced = governed and not any(subject.claiming) and not any(one.severity is Severity.FAULT for one in findings)
    return Outcome.ACCEPT if enforced or not findings else Outcome.WARN


def _class_verdict(now: ClassFit, then: ClassFit) -> ClassVerdict:
    return ClassVerdict(now.node_class.name, now.fits.value, then.fits.value, now.reason, now.node_class.nodes)


_GRAVITY = {Severity.INVALID: 0, Severity.FAULT: 1, Severity.WARNING: 2}


def _order(finding: Finding) -> tuple[int, int]:
    return _GRAVITY[finding.severity], -finding.level
