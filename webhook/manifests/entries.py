"""The entries of the webhook configurations: for each kind of request, its rules, conditions and time limit."""

from collections.abc import Iterable
from collections.abc import Sequence
from dataclasses import dataclass

from webhook.domain.api import GROUP
from webhook.domain.api import POLICIES
from webhook.domain.api import PROFILES
from webhook.domain.api import VERSION
from webhook.domain.pod_source import PodSource
from webhook.domain.pointer import Path
from webhook.domain.policy import Policy
from webhook.domain.workload import Workload
from webhook.engine.kinds import kinds_of
from webhook.manifests import match
from webhook.manifests.settings import CONTROLLER
from webhook.manifests.settings import NAME
from webhook.manifests.settings import Manifest

FAIL = "Fail"
IGNORE = "Ignore"

_SCOPES = {True: "Namespaced", False: "Cluster", None: "*"}
_MUTATE = "/mutate"
_VALIDATE = "/validate"
_NAMESPACES = "/namespaces"


@dataclass(frozen=True, slots=True)
class Entry:
    """One webhook. `binding` means that a request without an answer is refused, where the mode enforces.

    `conditions` are pairs of a name and a CEL expression; all must hold. `service` is who answers. `namespace` is the
    CEL expression of the name that exemptions are compared with.
    """

    name: str
    path: str
    rules: tuple[Manifest, ...]
    conditions: tuple[tuple[str, str], ...]
    binding: bool
    seconds: int
    service: str = NAME
    namespace: str = "request.namespace"


def mutating(policy: Policy) -> tuple[Entry, ...]:
    """Answer the entries that may patch: pods when they are created, and nothing else."""
    return (
        Entry(
            name="pods.mutate.numagate.io",
            path=_MUTATE,
            rules=(_rule(("CREATE",), ("pods",)),),
            conditions=(("accelerator-or-key", match.pod("object", policy.accelerators)),),
            binding=True,
            seconds=3,
        ),
    )


def validating(policy: Policy) -> tuple[Entry, ...]:
    """Answer the entries that may only refuse or warn."""
    return (
        *(_pods(policy), _promise(policy), _subresources(policy), _claims(policy)),
        *(_templates(policy), _operators(policy), _objects()),
    )


def _pods(policy: Policy) -> Entry:
    return Entry(
        name="pods.validate.numagate.io",
        path=_VALIDATE,
        rules=(_rule(("CREATE",), ("pods",)),),
        conditions=(("accelerator-or-key", match.pod("object", policy.accelerators)),),
        binding=True,
        seconds=5,
    )


def _promise(policy: Policy) -> Entry:
    """Guard the promise of a running pod; finalizers and the kubelet's status reports never wait for numagate."""
    asks = match.requests_accelerator("object", policy.accelerators)
    return Entry(
        name="promise.validate.numagate.io",
        path=_VALIDATE,
        rules=(_rule(("UPDATE",), ("pods", "pods/status")),),
        conditions=(
            ("key-or-placement-changed", f"{match.key_changed()} ||\n({match.placement_changed()}) &&\n{asks}"),
        ),
        binding=True,
        seconds=5,
    )


def _subresources(policy: Policy) -> Entry:
    return Entry(
        name="subresources.validate.numagate.io",
        path=_VALIDATE,
        rules=(_rule(("UPDATE",), ("pods/ephemeralcontainers", "pods/resize")),),
        conditions=(("accelerator-or-key", match.pod("object", policy.accelerators)),),
        binding=True,
        seconds=5,
    )


def _claims(policy: Policy) -> Entry:
    """Show pods whose devices come from resource claims, which are only warned about."""
    return Entry(
        name="claims.validate.numagate.io",
        path=_VALIDATE,
        rules=(_rule(("CREATE",), ("pods",)),),
        # One condition, not two: the API server would compute both for every pod, and few have claims.
        conditions=(("claims-only", f"{match.claims()} && !(\n{match.pod('object', policy.accelerators)})"),),
        binding=False,
        seconds=3,
    )


def _templates(policy: Policy) -> Entry:
    """Judge workloads when they are applied; their pods are judged again, so nothing is lost without an answer."""
    kinds, _ = _kinds(policy)
    paths = (source.base for kind in kinds for source in kind.pods)
    return Entry(
        name="templates.validate.numagate.io",
        path=_VALIDATE,
        rules=_rules(kinds),
        conditions=(("accelerator-or-key", match.templates(paths, policy.accelerators)),),
        binding=False,
        seconds=3,
    )


def _operators(policy: Policy) -> Entry:
    """Judge what operators make pods of, when it is applied; their controllers' own updates stay out of the way.

    What such an object asks for has as many places as there are kinds, so the service looks for it.
    """
    _, kinds = _kinds(policy)
    return Entry(
        name="operators.validate.numagate.io",
        path=_VALIDATE,
        rules=_rules(kinds),
        conditions=(("created-or-respecified", match.created_or_respecified()),),
        binding=False,
        seconds=3,
    )


def _objects() -> Entry:
    """Hold our own objects against their whole grammar.

    It never binds: a numagate that is broken, perhaps by its policy, must not keep anyone from mending the policy. What
    slips through is refused by the controller, which says so in the object's condition.
    """
    rule = _rule(("CREATE", "UPDATE"), (POLICIES, PROFILES), group=GROUP, versions=(VERSION,), scope="Cluster")
    return Entry("objects.validate.numagate.io", _VALIDATE, (rule,), conditions=(), binding=False, seconds=3)


def namespaces(selected: Iterable[str]) -> Entry:
    """Let the controller warn whoever raises the level of a namespace; `selected` are labels that policies select by.

    A new namespace has no pods.
    """
    return Entry(
        name="namespaces.validate.numagate.io",
        path=_NAMESPACES,
        rules=(_rule(("UPDATE",), ("namespaces",), scope="Cluster"),),
        conditions=(("label-changed", match.label_changed(selected)),),
        binding=False,
        seconds=2,
        service=CONTROLLER,
        namespace="object.metadata.name",
    )


def _kinds(policy: Policy) -> tuple[list[Workload], list[Workload]]:
    """Answer the kinds with templates where the built-in kinds have them, and all others; a Pod has its own entries."""
    known = [kind for kind in kinds_of((policy,)) if kind.kind != "Pod"]
    usual = {source for kind in known if kind.required for source in map(_place, kind.pods)}
    alike = [kind for kind in known if usual.issuperset(map(_place, kind.pods))]
    return alike, [kind for kind in known if kind not in alike]


def _place(source: PodSource) -> tuple[Path, Path | None, str]:
    return source.base, source.spec, source.completed_by


def _rules(kinds: Iterable[Workload]) -> tuple[Manifest, ...]:
    """Write one rule for the kinds of a group that have the same versions."""
    grouped: dict[tuple[str, tuple[str, ...], str], set[str]] = {}
    for kind in kinds:
        grouped.setdefault((kind.group, kind.versions, _SCOPES[kind.namespaced]), set()).add(kind.resource)
    return tuple(
        _rule(("CREATE", "UPDATE"), sorted(resources), group=group, versions=versions, scope=scope)
        for (group, versions, scope), resources in sorted(grouped.items())
    )


def _rule(
    operations: Iterable[str],
    resources: Iterable[str],
    *,
    group: str = "",
    versions: Sequence[str] = ("v1",),
    scope: str = "Namespaced",
) -> Manifest:
    return {
        "apiGroups": [group],
        "apiVersions": list(versions),
        "operations": list(operations),
        "resources": list(resources),
        "scope": scope,
    }
