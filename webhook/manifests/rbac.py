"""The rights of the service accounts: serving pods read one object, the controller what the world is made of.

Agents write what they found; `agent_guard` holds them to their own node, which no rule here can.
"""

from collections.abc import Iterable

from webhook.domain.api import ALIGNMENTS
from webhook.domain.api import GROUP
from webhook.domain.api import LEASE
from webhook.domain.api import POLICIES
from webhook.domain.api import PROFILES
from webhook.domain.api import TLS_SECRET
from webhook.domain.api import WORLD_MAP
from webhook.manifests.settings import AGENT
from webhook.manifests.settings import CONTROLLER
from webhook.manifests.settings import NAME
from webhook.manifests.settings import Manifest
from webhook.manifests.settings import Settings
from webhook.manifests.settings import metadata

ISSUING = "numagate-certificates"
"""Name of the role, for the controller, that goes with certificates of its own."""

_API = "rbac.authorization.k8s.io"
_CONFIGURATIONS = ("mutatingwebhookconfigurations", "validatingwebhookconfigurations")


def serving_rights(settings: Settings) -> list[Manifest]:
    """Let the serving pods read the snapshot by its name, and nothing else."""
    return _granted(settings, NAME, [_rule("", ["configmaps"], ["get", "watch"], [WORLD_MAP])])


def controller_rights(settings: Settings) -> list[Manifest]:
    """Let the controller watch the cluster, write the snapshot, the status of our objects, and our configurations."""
    watch = ["list", "watch"]
    cluster = [
        _rule("", ["nodes", "namespaces"], watch),
        # Whoever raises a namespace's level is told which of its pods would fail.
        _rule("", ["pods"], ["list"]),
        _rule("topology.node.k8s.io", ["noderesourcetopologies"], watch),
        _rule("resource.k8s.io", ["resourceslices", "deviceclasses"], watch),
        _rule(GROUP, [POLICIES, PROFILES, ALIGNMENTS], watch),
        _rule(GROUP, [f"{POLICIES}/status", f"{PROFILES}/status"], ["patch"]),
        # Their conditions and selectors follow the policies.
        _rule("admissionregistration.k8s.io", _CONFIGURATIONS, ["get", "patch"], [NAME]),
    ]
    # Creation is bound to a name, too, because both are created at their own address: by server-side apply, and by PUT.
    own = [
        _rule("", ["configmaps"], ["create", "get", "patch", "watch"], [WORLD_MAP]),
        _rule("coordination.k8s.io", ["leases"], ["create", "get", "update"], [LEASE]),
    ]
    return [*_granted(settings, CONTROLLER, cluster, prefix="Cluster"), *_granted(settings, CONTROLLER, own)]


def issuing_rights(settings: Settings) -> list[Manifest]:
    """Let the controller keep the certificates in one Secret, by its name."""
    # "patch" is for creation by server-side apply, which names the object; every later write is a PUT of a version.
    verbs = ["create", "get", "patch", "update", "watch"]
    return _granted(settings, CONTROLLER, [_rule("", ["secrets"], verbs, [TLS_SECRET])], role=ISSUING)


def agent_rights(settings: Settings) -> list[Manifest]:
    """Let agents read pods and the snapshot, and write the status of pods, events, and the objects of their nodes.

    That they read the pods of their own node only, by a field selector, is no matter of RBAC. A NodeAlignment is
    applied: the verb is "patch", and "create" where it is not there.
    """
    cluster = [
        _rule("", ["pods"], ["list", "watch"]),
        _rule("", ["pods/status"], ["patch"]),
        _rule("events.k8s.io", ["events"], ["create", "patch"]),
        _rule(GROUP, [ALIGNMENTS], ["create", "patch"]),
    ]
    own = [_rule("", ["configmaps"], ["get"], [WORLD_MAP])]
    home = settings.agent_namespace
    return [
        *_granted(settings, AGENT, cluster, prefix="Cluster", home=home),
        *_granted(settings, AGENT, own, home=home),
    ]


def _granted(
    settings: Settings, name: str, rules: list[Manifest], *, prefix: str = "", role: str = "", home: str = ""
) -> list[Manifest]:
    """Give `rules` to the service account `name`, in our namespace or (prefix "Cluster") everywhere.

    The account is in our namespace, unless it has another `home`.
    """
    role = role or name
    made = metadata(role, None if prefix else settings.namespace)
    kind = f"{prefix}Role"
    bound = {
        "roleRef": {"apiGroup": _API, "kind": kind, "name": role},
        "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": home or settings.namespace}],
    }
    return [
        {"apiVersion": f"{_API}/v1", "kind": kind, "metadata": made, "rules": rules},
        {"apiVersion": f"{_API}/v1", "kind": f"{kind}Binding", "metadata": made, **bound},
    ]


def _rule(group: str, resources: Iterable[str], verbs: Iterable[str], names: Iterable[str] = ()) -> Manifest:
    made: Manifest = {"apiGroups": [group], "resources": list(resources), "verbs": list(verbs)}
    return made | {"resourceNames": list(names)} if names else made
