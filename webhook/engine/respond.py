"""Turns findings into decisions."""

from collections.abc import Iterable
from collections.abc import Mapping

from webhook.domain.finding import Finding
from webhook.domain.levels import Level
from webhook.domain.levels import Modes
from webhook.domain.pointer import Path
from webhook.domain.pointer import field_path
from webhook.domain.policy import Policy
from webhook.engine import messages
from webhook.engine.decision import Decision
from webhook.engine.decision import Outcome


def skip(reason: str, policy: Policy) -> Decision:
    """Let a request pass that is none of our business, and say so in the audit log."""
    return Decision(Outcome.SKIP, allowed=True, audit={"decision": "skip", "reason": reason, "policy": policy.name})


def deny(findings: tuple[Finding, ...], audit: Mapping[str, str], places: tuple[Path, ...] = ()) -> Decision:
    """Refuse with every finding: in the message what fits, in the causes all.

    `places` run beside `findings`, where these are not about the object itself.
    """
    places = places or tuple(finding.path for finding in findings)
    lines = [messages.line(finding, place) for finding, place in zip(findings, places, strict=True)]
    return Decision(
        outcome=Outcome.DENY,
        allowed=False,
        message=messages.refusal(lines),
        causes=tuple((messages.escape(field_path(place)), line) for place, line in zip(places, lines, strict=True)),
        audit={**audit, "decision": "deny"},
        findings=findings,
    )


def admit(
    outcome: Outcome, findings: tuple[Finding, ...], warnings: Iterable[str], audit: Mapping[str, str]
) -> Decision:
    """Let a request pass with warnings."""
    return Decision(outcome, allowed=True, warnings=messages.capped(warnings), audit=audit, findings=findings)


def warned(findings: Iterable[Finding], modes: Modes) -> tuple[str, ...]:
    """Write the findings that warn mode covers."""
    return tuple(messages.finding_warning(finding) for finding in findings if finding.level <= modes.warn)


def audit(
    outcome: Outcome, findings: Iterable[Finding], modes: Modes, policy: Policy, level: Level | None = None
) -> Mapping[str, str]:
    """Write the audit annotations: stable values, no manifest text."""
    codes = sorted({finding.code for finding in findings if finding.level <= modes.audit})
    return {
        "decision": outcome.value,
        "policy": policy.name,
        **({"level": str(level)} if level is not None else {}),
        **({"findings": ",".join(codes)} if codes else {}),
    }
