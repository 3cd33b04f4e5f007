"""Shows which policy governs each pod of manifests, why it is that one, and what holds there."""

from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass

from webhook.domain.levels import Modes
from webhook.domain.manifest import Manifest
from webhook.domain.pod_location import PodLocation
from webhook.domain.pointer import field_path
from webhook.domain.policy import Policy
from webhook.domain.workload import Workload
from webhook.engine import exempt
from webhook.engine import lint
from webhook.engine import reported
from webhook.engine.ruling import rule
from webhook.engine.ruling import why_not
from webhook.engine.world import World


@dataclass(frozen=True, slots=True)
class PassedOver:
    """A policy that does not govern the pod, and why."""

    name: str
    why: str


@dataclass(frozen=True, slots=True)
class Governance:
    """What holds for one pod template: `policy` and `modes` are None where no policy matches.

    `exemption` says in one line why the pod is not judged all the same, or is empty; `expired` are those
    that are over. `passed_over` are the policies
    that were asked before, and those that would match and were not asked any more.
    """

    file: str
    line: int
    kind: str
    name: str
    namespace: str
    path: str
    policy: Policy | None
    modes: Modes | None
    exemption: str
    expired: tuple[str, ...]
    passed_over: tuple[PassedOver, ...]


def find(
    manifests: Sequence[Manifest], *, world: World, workloads: Sequence[Workload], default_namespace: str
) -> Iterator[Governance]:
    """Yield what holds for every pod template of a known kind, in the order of `manifests`."""
    around = lint.survey(manifests, world, workloads, default_namespace)
    for manifest in manifests:
        workload = around.workload(manifest)
        for location in () if workload is None else around.locate(manifest, workload):
            yield _governance(manifest, location, around)


def _governance(manifest: Manifest, location: PodLocation, around: lint.Surroundings) -> Governance:
    namespace, pod, world = around.namespace(manifest), location.pod, around.world
    labels = world.namespaces.get(namespace, {})
    claims = world.claims.within(namespace)
    asked = [(one, why_not(one.match, pod, namespace, labels, claims)) for one in world.policies]
    ruling = rule(pod, namespace, world)
    policy = None if ruling is None else ruling.policy
    return Governance(
        file=manifest.file,
        line=manifest.positions.at(location.root),
        kind=lint.type_of(manifest)[1],
        name=reported.name_of(manifest),
        namespace=namespace,
        path=field_path((*manifest.place, *location.root)),
        policy=policy,
        modes=None if ruling is None else ruling.modes,
        exemption=(lint.why_exempt(pod, ruling, around) or "") if ruling else "",
        expired=tuple(one.message for one in exempt.ineffective(pod, ruling)) if ruling else (),
        passed_over=tuple(_passed_over(asked, policy)),
    )


def _passed_over(asked: Sequence[tuple[Policy, str | None]], chosen: Policy | None) -> Iterator[PassedOver]:
    for policy, why in asked:
        if policy is not chosen:
            yield PassedOver(policy.name, why or f"matches as well, but {_after(policy, chosen)}")


def _after(policy: Policy, chosen: Policy | None) -> str:
    """Say what puts a policy behind the one that was chosen."""
    if chosen is None or policy.priority != chosen.priority:
        return f"its priority is {policy.priority}"
    if policy.order[1] != chosen.order[1]:
        return "it has no match"
    return "its name comes later"
