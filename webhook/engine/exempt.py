"""Who is not judged: namespaces, requesters, mirror pods, and pods with a reason."""

from webhook.domain import instant
from webhook.domain import keys
from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.raw import get_text_map
from webhook.engine.request import Request
from webhook.engine.world import World

_NODES_GROUP = "system:nodes"
_SYSTEM = "kube-system"


def why_exempt(request: Request, world: World) -> str | None:
    """Say why the request is not judged at all, or None where it is."""
    exemptions = world.policy.exemptions
    if is_exempt_namespace(request.namespace, world):
        return "exempt namespace"
    if request.username in exemptions.users:
        return "exempt user"
    if set(request.groups) & set(exemptions.groups):
        return "exempt group"
    if request.object is not None and request.kind == "Pod" and _is_mirror(request.object, request.groups):
        return "mirror pod"
    return None


def is_exempt_namespace(namespace: str, world: World) -> bool:
    """Tell whether nothing in `namespace` is judged: kube-system, our own, and those of the policy."""
    return namespace in {_SYSTEM, world.own_namespace} or world.policy.exempts_namespace(namespace)


def why_pod_exempt(pod: JsonObject, world: World) -> str | None:
    """Answer why the pod is neither repaired nor refused by its own wish, where the policy honours that.

    Such a pod earns no promise: an annotation that it brings is removed, a level label refused.
    """
    annotations = get_text_map(get_object(pod, "metadata"), "annotations")
    if not world.policy.exemptions.pods or not annotations.get(keys.EXEMPT, "").strip():
        return None
    until = annotations.get(keys.EXEMPT_UNTIL)
    if until is not None:
        end = instant.parse(until)
        if end is None or end <= world.instant:
            return None
    return "exempt pod"


def _is_mirror(pod: JsonObject, groups: tuple[str, ...]) -> bool:
    """Know a mirror pod by all three signs; one of them alone could be written by anyone."""
    metadata = get_object(pod, "metadata")
    owned = any(get_text(owner, "kind") == "Node" for owner in get_list(metadata, "ownerReferences"))
    return owned and _NODES_GROUP in groups and keys.MIRROR in get_object(metadata, "annotations")
