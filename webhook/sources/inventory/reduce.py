"""Reduces raw objects of the API server to the few values that node classes are made of; pure, and never raises."""

from collections.abc import Callable
from collections.abc import Mapping

from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.raw import get_text_map
from webhook.sources.evidence import ALIGNMENT
from webhook.sources.evidence import NODE
from webhook.sources.evidence import REPORT
from webhook.sources.evidence import SLICE
from webhook.sources.evidence import Facts
from webhook.sources.evidence import ProfileFacts
from webhook.sources.inventory._alignment_facts import reduce_alignment
from webhook.sources.inventory._node_facts import reduce_node
from webhook.sources.inventory._report_facts import reduce_nrt
from webhook.sources.inventory._slice_facts import reduce_slice

__all__ = [
    "PROFILE",
    "reduce_alignment",
    "reduce_any",
    "reduce_node",
    "reduce_nrt",
    "reduce_profile",
    "reduce_slice",
]

PROFILE = "NodeProfile"
_GROUPS = {
    NODE: "",
    REPORT: "topology.node.k8s.io",
    SLICE: "resource.k8s.io",
    ALIGNMENT: "numagate.io",
    PROFILE: "numagate.io",
}
_REDUCERS: Mapping[str, Callable[[JsonObject], Facts | ProfileFacts | None]] = {
    NODE: reduce_node,
    REPORT: reduce_nrt,
    SLICE: reduce_slice,
    ALIGNMENT: reduce_alignment,
}


def reduce_profile(obj: JsonObject) -> ProfileFacts:
    """Reduce a NodeProfile, full or partial (only `kubelet`, say)."""
    spec = get_object(obj, "spec")
    labels = get_text_map(get_object(spec, "selector"), "matchLabels")
    return ProfileFacts(get_text(get_object(obj, "metadata"), "name"), spec, tuple(sorted(labels.items())))


def reduce_any(obj: JsonObject) -> Facts | ProfileFacts | None:
    """Reduce an object by its kind; None for other kinds, and for slices of no single node."""
    kind = get_text(obj, "kind")
    version = get_text(obj, "apiVersion")
    if kind not in _GROUPS or (version.rpartition("/")[0] or "") != _GROUPS[kind]:
        return None
    return _REDUCERS.get(kind, reduce_profile)(obj)
