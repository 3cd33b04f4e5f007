"""Judges one pod: what is wrong as written, what a repair makes of it, what remains."""

from dataclasses import dataclass

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
from webhook.domain.pod import PodFacts
from webhook.domain.pod import QOSClass
from webhook.domain.policy import Governs
from webhook.domain.policy import Policy
from webhook.domain.raw import JsonObject
from webhook.domain.recognition import is_inference
from webhook.engine.amend import amend
from webhook.engine.decision import Outcome
from webhook.engine.subject import gather
from webhook.engine.world import World

CHECKS: tuple[Check, ...] = registry.load(webhook.checks, "CHECK", Check)


@dataclass(frozen=True, slots=True)
class ClassVerdict:
    """Whether an empty node of a class takes the pod: `fits` is "yes", "no" or "unenforced"; `reason` is one line."""

    name: str
    fits: str
    fits_after_repair: str
    reason: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on one pod or pod template.

    `findings` are of the pod as written; `remaining` are the faults that no repair cures and that the policy enforces:
    where there are any, there are no `edits`. `level` and `qos` are as written; `repaired_level` is the level after
    `edits`. `repaired` is the pod with them, and `subject` what the checks saw of it.
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


def judge_pod(pod: JsonObject, world: World, *, modes: Modes) -> Judgement:
    """Judge a pod as the policy's `modes` say. Never raises: what cannot be read is an INVALID finding."""
    policy = world.policy
    facts = read(pod)
    subject = gather(facts, policy, world.classes)
    findings = find(subject)
    invalid = any(finding.severity is Severity.INVALID for finding in findings)
    governed = _governed(facts, subject, policy)
    after, after_findings, repaired = subject, findings, pod
    edits: tuple[Edit, ...] = ()
    remaining = _enforced(findings, modes) if governed else ()
    if governed and not invalid and any(finding.severity is Severity.FAULT for finding in findings):
        amended = amend(pod, subject, lambda new: gather(new, policy, world.classes), level=modes.repair)
        amended_findings = findings if amended.subject is subject else find(amended.subject)
        remaining = _enforced(amended_findings, modes)
        if not remaining:
            after, after_findings, repaired = amended.subject, amended_findings, amended.pod
            edits = amended.edits
    return Judgement(
        outcome=_outcome(subject, findings, remaining, edits, governed=governed, invalid=invalid),
        governed=governed,
        level=reached(subject, findings),
        repaired_level=reached(after, after_findings),
        qos=facts.qos,
        classes=tuple(_class_verdict(now, then) for now, then in zip(subject.fits, after.fits, strict=True)),
        findings=findings,
        remaining=remaining,
        edits=edits,
        repaired=repaired,
        subject=after,
    )


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
    if any(fit.fits is Fits.YES for fit in subject.fits):
        return Level.ALIGNED
    pinning = [fit for fit in subject.fits if fit.node_class.kubelet.cpu_manager_policy == "static"]
    return Level.EXCLUSIVE if pinning or not subject.fits else Level.GUARANTEED


def _governed(facts: PodFacts, subject: Subject, policy: Policy) -> bool:
    if not subject.accelerators:
        return False
    if policy.governs is Governs.ACCELERATORS:
        return True
    return is_inference(facts, subject.mains, policy.recognition)


def _enforced(findings: tuple[Finding, ...], modes: Modes) -> tuple[Finding, ...]:
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
    enforced = governed and not any(finding.severity is Severity.FAULT for finding in findings)
    return Outcome.ACCEPT if enforced or not findings else Outcome.WARN


def _class_verdict(now: ClassFit, then: ClassFit) -> ClassVerdict:
    return ClassVerdict(now.node_class.name, now.fits.value, then.fits.value, now.reason)


_GRAVITY = {Severity.INVALID: 0, Severity.FAULT: 1, Severity.WARNING: 2}


def _order(finding: Finding) -> tuple[int, int]:
    return _GRAVITY[finding.severity], -finding.level
