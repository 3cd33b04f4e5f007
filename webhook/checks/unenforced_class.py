"""Finds that no eligible node class both takes the pod and enforces alignment.

What: the kubelets that take the pod run topology manager policy none or best-effort, or CPU manager policy none.
Why: such a node runs the pod misaligned without a word.
Instead: a node pool with restricted or single-numa-node; the policy's `onUnenforced` says what happens until then.
"""

from collections.abc import Iterator

from webhook.domain.check import Check
from webhook.domain.check import Flaw
from webhook.domain.check import Subject
from webhook.domain.finding import Severity
from webhook.domain.fit import Cause
from webhook.domain.fit import Fits
from webhook.domain.levels import Level
from webhook.domain.policy import Answer


def find(subject: Subject) -> Iterator[Flaw]:
    """Yield one flaw, as grave as the policy says, where the pod runs but nothing aligns it."""
    answer = subject.policy.on_unenforced
    unenforced = [fit for fit in subject.fits if fit.fits is Fits.UNENFORCED and fit.cause is not Cause.CLAIMED]
    could = any(fit.fits is Fits.YES or fit.cause in {Cause.UNPINNED, Cause.CLAIMED} for fit in subject.fits)
    if not unenforced or could or answer is Answer.ALLOW:
        return
    yield Flaw(
        path=("spec", "nodeSelector"),
        message="use a node pool with single-numa-node or restricted: nodes of "
        f"{unenforced[0].node_class.name} take the pod but do not align it ({unenforced[0].reason})",
        severity=Severity.FAULT if answer is Answer.DENY else Severity.WARNING,
    )


CHECK = Check(
    code="unenforced-class",
    level=Level.ALIGNED,
    severity=Severity.WARNING,
    remedy="Use a node pool whose kubelet enforces alignment.",
    find=find,
)
