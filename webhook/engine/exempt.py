"""Who is not judged: namespaces, requesters, mirror pods, and pods with a reason."""

from datetime import datetime

from webhook.domain import keys
from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.raw import get_text_map
from webhook.engine.request import Request
from webhook.engine.world import World

_NODES_GROUP = "system:nodes"


def why_exempt(request: Request, world: World) -> str | None:
    """Say why the request is not judged, or None where it is."""
    exemptions = world.policy.exemptions
    if request.namespace in {"kube-system", world.own_namespace} or world.policy.exempts_namespace(request.namespace):
        return "exempt namespace"
    if request.username in exemptions.users:
        return "exempt user"
    if set(request.groups) & set(exemptions.groups):
        return "exempt group"
    pod = request.object
    if pod is None or request.kind != "Pod":
        return None
    if _is_mirror(pod, request.groups):
        return "mirror pod"
    return why_pod_exempt(pod, world.instant) if exemptions.pods else None


def why_pod_exempt(pod: JsonObject, instant: datetime) -> str | None:
    """Answer the pod's own reason, where it gives one that has not run out."""
    annotations = get_text_map(get_object(pod, "metadata"), "annotations")
    if not annotations.get(keys.EXEMPT, "").strip():
        return None
    until = annotations.get(keys.EXEMPT_UNTIL)
    if until is not None:
        try:
            end = datetime.fromisoformat(until)
        except ValueError:
            return None
        if end.tzinfo is None or end <= instant:
            return None
    return "exempt pod"


def _is_mirror(pod: JsonObject, groups: tuple[str, ...]) -> bool:
    """Know a mirror pod by all three signs; one of them alone could be written by anyone."""
    metadata = get_object(pod, "metadata")
    owned = any(get_text(owner, "kind") == "Node" for owner in get_list(metadata, "ownerReferences"))
    return owned and _NODES_GROUP in groups and keys.MIRROR in get_object(metadata, "annotations")
