"""Reduces raw objects of the API server to the few values that node classes are made of; pure, and never raises."""

from webhook.domain.raw import JsonObject
from webhook.sources.evidence import Facts
from webhook.sources.evidence import NodeFacts
from webhook.sources.evidence import ProfileFacts
from webhook.sources.evidence import ReportFacts
from webhook.sources.evidence import SliceFacts


def reduce_node(obj: JsonObject) -> NodeFacts:
    """Reduce a Node: labels, lasting taints, kubelet version and capacity; `name` is the node's name."""
    raise NotImplementedError


def reduce_nrt(obj: JsonObject, *, seen: str = "") -> ReportFacts:
    """Reduce a NodeResourceTopology (v1alpha1 or v1alpha2); `name` is the node's name.

    `seen` is the instant (RFC 3339) at which the data was received; without it, that of the object's last writer.
    """
    raise NotImplementedError


def reduce_slice(obj: JsonObject) -> SliceFacts | None:
    """Reduce a ResourceSlice (v1, v1beta1 or v1beta2); `name` is the slice's own name, `node` that of its node.

    None for a slice that belongs to no single node.
    """
    raise NotImplementedError


def reduce_profile(obj: JsonObject) -> ProfileFacts:
    """Reduce a NodeProfile, full or partial (only `kubelet`, say)."""
    raise NotImplementedError


def reduce_any(obj: JsonObject) -> Facts | ProfileFacts | None:
    """Reduce an object by its kind; None for other kinds, and for slices of no single node."""
    raise NotImplementedError
