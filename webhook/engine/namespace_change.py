"""What a change of a namespace's labels means: which labels have no effect, and whether more may be refused."""

from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import replace

from webhook.domain import keys
from webhook.domain.finding import Finding
from webhook.domain.finding import Severity
from webhook.domain.levels import Level
from webhook.domain.policy import Policy
from webhook.domain.raw import JsonObject
from webhook.engine import namespace_levels
from webhook.engine.exempt import why_exempt_always
from webhook.engine.namespace_levels import CODE
from webhook.engine.ruling import Ruling
from webhook.engine.ruling import may_match_in
from webhook.engine.ruling import modes_in
from webhook.engine.ruling import rule
from webhook.engine.world import World

Labels = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Change:
    """New labels of a namespace in the place of old ones."""

    namespace: str
    old: Labels
    new: Labels


@dataclass(frozen=True, slots=True)
class Rulings:
    """What governs a pod before and after the change."""

    before: Ruling | None
    after: Ruling | None

    @property
    def may_refuse_more(self) -> bool:
        """Tell whether the pod may be refused after the change for what it was not refused before."""
        if self.after is None or self.after.modes.enforce is Level.NONE:
            return False
        if self.before is None or self.before.policy is not self.after.policy:
            return True
        return self.after.modes.enforce > self.before.modes.enforce


def rulings(pod: JsonObject, change: Change, world: World) -> Rulings:
    """Answer what governs a pod of the namespace before and after the change."""
    return Rulings(_rule(pod, change, change.old, world), _rule(pod, change, change.new, world))


def may_refuse_more(change: Change, world: World) -> bool:
    """Tell whether any pod may be refused after the change for what it was not refused before."""
    if why_exempt_always(change.namespace, world.own_namespace) is not None:
        return False
    before, after = (_enforced(change.namespace, labels, world) for labels in (change.old, change.new))
    if before.keys() == after.keys():
        return any(level > before[name] for name, level in after.items())
    return any(level is not Level.NONE for level in after.values())


def without_effect(change: Change, world: World) -> Iterator[Finding]:
    """Yield the level labels that were set by the change and do nothing, under whichever policy is for the pods."""
    changed = [key for key in keys.MODES if key in change.new and change.new[key] != change.old.get(key)]
    if not changed:
        return
    if why_exempt_always(change.namespace, world.own_namespace) is not None or _is_off(change.new):
        why = "numagate judges no pod of this namespace"
        yield from (_finding(key, change.new[key], why) for key in changed)
        return
    policies = _policies(change.namespace, change.new, world)
    found = [_by_key(policy, change) for policy in policies]
    for key in changed:
        if not policies:
            yield _finding(key, change.new[key], "no policy is for this namespace")
        elif all(key in one for one in found):
            yield found[0][key]


def _rule(pod: JsonObject, change: Change, labels: Labels, world: World) -> Ruling | None:
    if _is_off(labels):
        return None
    return rule(pod, change.namespace, replace(world, namespaces={change.namespace: labels}))


def _enforced(namespace: str, labels: Labels, world: World) -> Mapping[str, Level]:
    """Answer the level that each policy for pods of the namespace enforces, by the policy's name."""
    if _is_off(labels):
        return {}
    return {one.name: modes_in(namespace, one, labels).enforce for one in _policies(namespace, labels, world)}


def _policies(namespace: str, labels: Labels, world: World) -> list[Policy]:
    return [one for one in world.policies if may_match_in(one.match, namespace, labels)]


def _by_key(policy: Policy, change: Change) -> Mapping[str, Finding]:
    found = namespace_levels.find(policy.modes_for(change.namespace), change.new, policy.overrides)
    return {str(one.path[-1]): one for one in found}


def _is_off(labels: Labels) -> bool:
    return labels.get(keys.ADMISSION) == keys.DISABLED


def _finding(key: str, value: str, why: str) -> Finding:
    message = f"{key}: {why}, so {value[:40]} has no effect"
    return Finding(CODE, Severity.WARNING, Level.NONE, ("metadata", "labels", key), message, actual=value)
