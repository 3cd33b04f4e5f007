"""Finds that something will inject a container which keeps the pod out of QoS class Guaranteed.

What: labels or annotations call an injector (a mesh, a secret agent, a fuse driver), its container is not there yet,
and no annotation gives that container equal requests and limits, with no whole number of CPUs.
Why: injected containers count for the QoS class like all others (pkg/apis/core/v1/helper/qos/qos.go:ComputePodQOS), and
most injectors ask for less than their limits.
Instead: the injector's own settings, as a finding says them.
"""

from collections.abc import Iterator

from webhook.domain import injectors
from webhook.domain.check import Check
from webhook.domain.check import Flaw
from webhook.domain.check import Subject
from webhook.domain.finding import Severity
from webhook.domain.injector import Injector
from webhook.domain.levels import Level
from webhook.domain.resources import CPU
from webhook.domain.resources import MEMORY


def find(subject: Subject) -> Iterator[Flaw]:
    """Yield one flaw per injector and resource; none for a pod that went through all mutations already."""
    if subject.facts.created or subject.facts.resources_set:
        return
    for injector in injectors.coming(subject.facts):
        yield from flaws(injector, subject)


def flaws(injector: Injector, subject: Subject) -> Iterator[Flaw]:
    """Yield what is to be said of one injector that the pod will meet."""
    name = injector.containers[0]
    for key, value, text in injector.unsettled(subject.facts.annotations, _values(name, subject)):
        annotation = injector.keys[key] if injector.keys is not None and not injector.place else None
        yield Flaw(
            path=("metadata", "annotations", annotation) if annotation else ("spec", "containers"),
            message=f"{injector.name} adds {name}: {text}",
            wanted=value or None,
        )


def _values(name: str, subject: Subject) -> dict[str, str]:
    """Answer what a repair would give such a helper."""
    rules = subject.policy.repair
    entry = next((one for one in rules.helpers if one.names(name)), rules.helper_fallback)
    return dict(injectors.EXAMPLES) if entry is None else {CPU: str(entry.cpu), MEMORY: str(entry.memory)}


CHECK = Check(
    code="injected-containers",
    level=Level.GUARANTEED,
    severity=Severity.WARNING,
    remedy="Give containers that are injected later equal requests and limits by their injector's settings.",
    find=find,
)
