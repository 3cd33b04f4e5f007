"""Turns findings into decisions."""

from collections.abc import Iterable
from collections.abc import Mapping

from webhook.domain.finding import Finding
from webhook.domain.fit import ClassFit
from webhook.domain.fraction import fraction_of
from webhook.domain.levels import Level
from webhook.domain.levels import Modes
from webhook.domain.pointer import Path
from webhook.domain.pointer import field_path
from webhook.domain.policy import Policy
from webhook.engine import messages
from webhook.engine.decision import Decision
from webhook.engine.decision import Outcome
from webhook.engine.exempt import Exemption

_MOST_VALUE = 1024
"""Bytes of a value in the audit log."""
_MOST_REASON = 256
"""Bytes of a reason in the audit log; what a person wrote may be of any length."""


def skip(reason: str, policies: Iterable[Policy] = ()) -> Decision:
    """Let a request pass that is none of our business, and say so in the audit log."""
    return Decision(Outcome.SKIP, allowed=True, audit={"decision": "skip", "reason": reason, **named(policies)})


def exempt(exemption: Exemption, policies: Iterable[Policy] = ()) -> Decision:
    """Let a request pass that is exempt, with who said so, why, and until when."""
    audit = {"decision": "skip", **named(policies), **use_of(exemption)}
    return Decision(Outcome.SKIP, allowed=True, audit=audit, exempt_by=exemption.by)


def use_of(exemption: Exemption) -> Mapping[str, str]:
    """Note the use of an exemption in the audit log."""
    audit = {"reason": f"exempt {exemption.by}", "exempt-by": exemption.by}
    if exemption.reason:
        audit["exempt-reason"] = messages.cut_bytes(messages.escape(exemption.reason), _MOST_REASON)
    if exemption.until is not None:
        audit["exempt-until"] = f"{exemption.until.isoformat()}"
    return audit


def named(policies: Iterable[Policy]) -> Mapping[str, str]:
    """Name the policies in the audit log, each once; nothing where there is none."""
    names = ",".join(dict.fromkeys(policy.name for policy in policies))
    return {"policy": messages.cut_bytes(names, _MOST_VALUE)} if names else {}


def deny(findings: tuple[Finding, ...], audit: Mapping[str, str], places: tuple[Path, ...] = ()) -> Decision:
    """Refuse with every finding: in the message what fits, in the causes all (but for a flood of them).

    `places` run beside `findings`, where these are not about the object itself.
    """
    places = places or tuple(finding.path for finding in findings)
    lines = [messages.line(finding, place) for finding, place in zip(findings, places, strict=True)]
    return Decision(
        outcome=Outcome.DENY,
        allowed=False,
        message=messages.refusal(messages.lines(findings, places)),
        causes=messages.causes([(field_path(place), line) for place, line in zip(places, lines, strict=True)]),
        audit={**audit, "decision": "deny"},
        findings=findings,
    )


def admit(
    outcome: Outcome, findings: tuple[Finding, ...], warnings: Iterable[str], audit: Mapping[str, str]
) -> Decision:
    """Let a request pass with warnings."""
    return Decision(outcome, allowed=True, warnings=messages.capped(warnings), audit=audit, findings=findings)


def warned(findings: Iterable[Finding], modes: Modes, where: str | None = None) -> tuple[str, ...]:
    """Write the findings that warn mode covers; `where` is the pod in an object that has several."""
    return tuple(messages.finding_warning(finding, where) for finding in findings if finding.level <= modes.warn)


def audit(
    outcome: Outcome,
    findings: Iterable[Finding],
    modes: Modes,
    policies: Iterable[Policy],
    *,
    level: Level | None = None,
    fits: Iterable[ClassFit] = (),
) -> Mapping[str, str]:
    """Write the audit annotations: stable values, no manifest text."""
    codes = sorted({finding.code for finding in findings if finding.level <= modes.audit})
    fraction = fraction_of(fits)
    return {
        "decision": outcome.value,
        **named(policies),
        **({"level": str(level)} if level is not None else {}),
        **({"findings": ",".join(codes)} if codes else {}),
        **({"fits": str(fraction)} if fraction is not None else {}),
    }
