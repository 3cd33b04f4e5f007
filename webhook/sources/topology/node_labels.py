"""Labels of the Node: the machine of the library that they name, and the one label that says where GPUs are.

An instance type is sold in one shape; a product's name does not fix the layout of the machine around it (firmware and
clouds change it), so what it says is weak. The library knows no kubelets: its settings are the recommended ones.
"""

import re
from collections.abc import Iterator
from collections.abc import Mapping

from webhook.domain.raw import as_object
from webhook.domain.raw import get_object
from webhook.sources import named_machine
from webhook.sources.evidence import Evidence
from webhook.sources.evidence import NodeView
from webhook.sources.evidence import TopologySource
from webhook.sources.named_machine import Machine
from webhook.sources.specs import cell_memory
from webhook.sources.specs import device_counts

NAME = "node labels"
_MAP = "gpu.intel.com/numa-gpu-map"
_CONTINUED = re.compile(re.escape(_MAP) + r"([2-9])?")
_ENTRY = re.compile(r"([0-9]{1,4})-([0-9]+(?:\.[0-9]+)*)")
_INTEL = ("gpu.intel.com/i915", "gpu.intel.com/xe")
_SHARED = ".shared"


def _read(view: NodeView) -> Evidence | None:
    machine, problems = named_machine.find(view)
    fields: dict[str, object] = {}
    assumed: dict[str, str] = {}
    if machine is not None:
        fields = {"numa": _with_real_memory(view, machine), **_devices(view, machine)}
        settings = get_object(machine.spec, "kubelet")
        kubelet = {f"kubelet.{name}": value for name, value in settings.items()}
        assumed = dict.fromkeys(kubelet, f"recommended for {machine.name}; no source says how the kubelet is set")
        fields |= kubelet
    weak = frozenset() if machine is None or machine.fixed else frozenset(fields)
    mapped, doubts = _intel_map(view)
    if not (fields or mapped or problems or doubts):
        return None
    return Evidence(
        source=NAME,
        fields={**fields, **mapped},
        assumed=assumed,
        weak=weak - mapped.keys(),
        bound=frozenset(assumed),
        title=machine.name if machine else "",
        problems=(*problems, *doubts),
    )


def _with_real_memory(view: NodeView, machine: Machine) -> list[object]:
    """Scale the library's memory, which is often nominal, to what the node's status says."""
    total = sum(map(cell_memory, machine.numa))
    real = view.node.memory if view.node else 0
    if not real or not total:
        return machine.numa
    return [{**as_object(block), "memory": cell_memory(block) * real // total} for block in machine.numa]


def _devices(view: NodeView, machine: Machine) -> dict[str, object]:
    """Answer the machine's devices, multiplied where the node has parts or shares of them; no others than it has."""
    known = view.node is not None and view.node.cpus > 0
    found: dict[str, object] = {}
    for resource, value in get_object(machine.spec, "devices").items():
        counts = device_counts(value)
        whole = sum(counts.values())
        if not known:
            found[f"devices.{resource}"] = value
            continue
        for name in (resource, resource + _SHARED):
            there = view.capacity.get(name, 0)
            if there and whole and there % whole == 0:
                times = there // whole
                found[f"devices.{name}"] = {cell: count * times for cell, count in counts.items()}
    return found


def _intel_map(view: NodeView) -> tuple[dict[str, object], tuple[str, ...]]:
    """Read `0-0.1_1-2.3`: NUMA node 0 has the GPUs 0 and 1; what does not fit one label goes on in the next."""
    text = "".join(_parts(view.labels))
    if not text:
        return {}, ()
    counts: dict[str, int] = {}
    for entry in text.split("_"):
        found = _ENTRY.fullmatch(entry)
        if found is None:
            return {}, (f"label {_MAP} is not understood: {text}",)
        counts[str(int(found[1]))] = len(found[2].split("."))
    resources = [name for name in _INTEL if view.capacity.get(name)]
    if len(resources) > 1:
        return {}, (f"label {_MAP} does not say which GPUs are {' and which '.join(resources)}",)
    resource = resources[0] if resources else _INTEL[0]
    total, there = sum(counts.values()), view.capacity.get(resource, 0)
    if there and there % total:
        return {}, (f"label {_MAP} has {total} GPUs, the node's status {there} {resource}",)
    times = there // total if there else 1
    return {f"devices.{resource}": {cell: count * times for cell, count in sorted(counts.items())}}, ()


def _parts(labels: Mapping[str, str]) -> Iterator[str]:
    keys = sorted(key for key in labels if _CONTINUED.fullmatch(key))
    for key in keys:
        yield labels[key] if key == _MAP else labels[key].removeprefix("Z")


SOURCE = TopologySource(name="node-labels", rank=40, read=_read)
