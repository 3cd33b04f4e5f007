"""What the condition `numagate.io/Aligned` of a pod says, and what it is to say next.

The condition in the pod's status is the only memory of what was told, so that an agent that starts anew tells nothing
twice. It is written where something was promised to the pod, and where the pod's readiness waits for it.

A readiness gate knows True and everything else: so where policies count unknown as ready, the condition of a pod with
the gate is True and its reason says why. From the first True on only what stays wrong takes the pod out of service.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from webhook.domain import keys
from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.verdict import Outcome
from webhook.domain.verdict import PodVerdict
from webhook.domain.visible import visible

TRUE: Final = "True"
FALSE: Final = "False"
UNKNOWN: Final = "Unknown"

ALIGNED: Final = "Aligned"
MISALIGNED: Final = "Misaligned"
NOT_KNOWN: Final = "NotKnown"
COUNTS_AS_READY: Final = "UnknownCountsAsReady"
NOTHING_PROMISED: Final = "NothingPromised"
"""The reasons."""

_MOST_TEXT: Final = 1024
"""Bytes of an event's note, by which Kubernetes measures it; a condition's message could have more."""
_ELLIPSIS: Final = "…"
_SHOWN_ALIGNED: Final = "the pod has what it was promised"
_SHOWN_NOTHING: Final = "nothing was promised to the pod, so nothing keeps it from being ready"


@dataclass(frozen=True, slots=True)
class Standing:
    """A condition as it is or will be; `since` is when its status last changed, "" where nobody knows yet."""

    status: str
    reason: str
    message: str
    since: str = ""

    @property
    def head(self) -> tuple[str, str, str]:
        """What it comes to: status, reason and rule. Numbers in the message may change again and again: no news."""
        rule, colon, _ = self.message.partition(": ")
        return self.status, self.reason, rule if colon else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What decides beside the verdict.

    `gated`: the pod's readiness waits for the condition. `settled`: its containers have run for long enough, and
    policies that promise it nothing are newer than the pod. `unknown_is_ready` is the policy's. `lasting` says that the
    pod has not been found aligned for so long that it is no passing state.
    """

    gated: bool
    settled: bool
    unknown_is_ready: bool
    lasting: bool


def read(pod: JsonObject) -> Standing | None:
    """Answer what the pod's condition says, None where it has none."""
    for entry in get_list(get_object(pod, "status"), "conditions"):
        if get_text(entry, "type") == keys.ALIGNED:
            return Standing(
                get_text(entry, "status"),
                get_text(entry, "reason"),
                get_text(entry, "message"),
                get_text(entry, "lastTransitionTime"),
            )
    return None


def is_gated(pod: JsonObject) -> bool:
    """Tell whether the pod's readiness waits for the condition."""
    gates = get_list(get_object(pod, "spec"), "readinessGates")
    return any(get_text(gate, "conditionType") == keys.ALIGNED for gate in gates)


def due(told: Standing | None, verdict: PodVerdict, now: Circumstances) -> Standing | None:
    """Answer what is to be written, or None where what was told still holds."""
    wanted = _wanted(told, verdict, now)
    return None if wanted is None or (told is not None and told.head == wanted.head) else wanted


def _wanted(told: Standing | None, verdict: PodVerdict, now: Circumstances) -> Standing | None:
    if not verdict.rules:
        return Standing(TRUE, NOTHING_PROMISED, _SHOWN_NOTHING) if now.gated and now.settled else None
    if not now.settled:
        return None
    was = told.status if told is not None else ""
    match verdict.outcome:
        case Outcome.ALIGNED:
            return Standing(TRUE, ALIGNED, _cut(_SHOWN_ALIGNED + _but(verdict)))
        case Outcome.MISALIGNED:
            return None if was == TRUE and not now.lasting else Standing(FALSE, MISALIGNED, _text(verdict))
        case Outcome.UNKNOWN:
            return _unknown(was, verdict, now)


def _but(verdict: PodVerdict) -> str:
    """Say what was not promised, so that nobody takes a pod that may run anywhere for one whose CPUs are local."""
    loose = verdict.promise.unpinned if verdict.promise is not None else ()
    return visible(f", and {', '.join(loose)} was promised no CPUs of its own") if loose else ""


def _unknown(was: str, verdict: PodVerdict, now: Circumstances) -> Standing | None:
    """Let what was found before stand: not to see is no finding. A True that no readiness waits for ends in time.

    What passes, such as a kubelet that starts anew, must open no gate: it would stay open for what is found next.
    """
    if not now.lasting or was == FALSE or (was == TRUE and now.gated):
        return None
    if now.gated and now.unknown_is_ready:
        return Standing(TRUE, COUNTS_AS_READY, _text(verdict))
    return Standing(UNKNOWN, NOT_KNOWN, _text(verdict))


def _text(verdict: PodVerdict) -> str:
    """Say which rule decided, where, and why."""
    rule = next((one for one in verdict.rules if one.outcome is verdict.outcome), None)
    if rule is None:
        return _cut(visible(verdict.reason))
    where = f" (container {rule.container})" if rule.container else ""
    return _cut(visible(f"{rule.rule}{where}: {rule.reason}"))


def _cut(text: str) -> str:
    written = text.encode()
    if len(written) <= _MOST_TEXT:
        return text
    return written[: _MOST_TEXT - len(_ELLIPSIS.encode())].decode(errors="ignore") + _ELLIPSIS


def condition(wanted: Standing, told: Standing | None, *, instant: str) -> Mapping[str, object]:
    """Answer the condition as it is written at `instant`."""
    kept = told.since if told is not None and told.status == wanted.status else ""
    return {
        "type": keys.ALIGNED,
        "status": wanted.status,
        "reason": wanted.reason,
        "message": wanted.message,
        "lastTransitionTime": kept or instant,
    }
