"""The Node itself: the kubelet's version, lasting taints, and how many devices there are, but not where."""

from webhook.sources.evidence import NOWHERE
from webhook.sources.evidence import Evidence
from webhook.sources.evidence import NodeView
from webhook.sources.evidence import TopologySource

_MOST = 1024
"""Larger numbers are no devices but MiB or percent, and a profile cannot hold them."""


def _read(view: NodeView) -> Evidence | None:
    if view.node is None:
        return None
    fields: dict[str, object] = {
        f"devices.{resource}": {NOWHERE: count} for resource, count in view.node.devices if count <= _MOST
    }
    if view.node.version:
        fields["kubelet.version"] = view.node.version
    if view.node.taints:
        fields["taints"] = [
            {"key": key, **({"value": value} if value else {}), "effect": effect}
            for key, value, effect in view.node.taints
        ]
    return Evidence(source="Node", fields=fields)


SOURCE = TopologySource(name="node-status", rank=50, read=_read)
