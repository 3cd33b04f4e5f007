"""NodeAlignment: what our own agent on the node read from sysfs and from the kubelet's configuration.

It stands before NodeResourceTopology because it says what that leaves to guess: which CPUs share a core and a cache,
which of them are kept back, and with which options and feature gates the kubelet runs.
"""

import json

from webhook.domain.quantity import Quantity
from webhook.sources.evidence import NOWHERE
from webhook.sources.evidence import AlignmentFacts
from webhook.sources.evidence import Evidence
from webhook.sources.evidence import NodeView
from webhook.sources.evidence import TopologySource
from webhook.sources.specs import device_counts

NAME = "NodeAlignment"


def _read(view: NodeView) -> Evidence | None:
    found = view.alignment
    if found is None:
        return None
    fields: dict[str, object] = {name: json.loads(text) for name, text in found.fields}
    if "numa" in fields:
        fields["numa"] = _with_memory(fields["numa"], found)
    for name in [name for name in fields if name.startswith("devices.")]:
        fields[name] = _with_the_others(fields[name], view.capacity.get(name.removeprefix("devices."), 0))
    if found.version:
        fields["kubelet.version"] = found.version
    return Evidence(source=NAME, fields=fields, problems=found.problems, doubts=found.doubts)


def _with_memory(numa: object, found: AlignmentFacts) -> object:
    cells = numa if isinstance(numa, list) else []
    return [{**cell, "memory": str(Quantity.of_bytes(size))} for cell, size in zip(cells, found.memory, strict=True)]


def _with_the_others(devices: object, there: int) -> object:
    """Add the devices that the Node counts beyond the kubelet's list: they are somewhere, nobody says where."""
    counts = device_counts(devices)
    beyond = there - sum(counts.values())
    if not counts or beyond <= 0 or not isinstance(devices, dict):
        return devices
    return {**counts, NOWHERE: counts.get(NOWHERE, 0) + beyond}


SOURCE = TopologySource(name="node-alignment", rank=15, read=_read)
