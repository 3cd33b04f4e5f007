"""Makes KubeletConfigurations for made-up machines: sound ones for the most part, and such with one or two faults."""

import json
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace
from random import Random
from typing import Any

from differential import nodes
from differential.scenarios import cell_fields

from webhook.config.document import from_object
from webhook.config.kubelet_configuration import read_kubelet_configuration
from webhook.domain import cpuset
from webhook.domain.errors import PolicyError
from webhook.domain.kubelet_configuration.known import Known
from webhook.domain.kubelet_configuration.system_share import system_memory
from webhook.domain.resources import MEMORY
from webhook.domain.topology import NodeClass
from webhook.domain.versions import Version
from webhook.sources.kubelet_versions import load_known

Raw = dict[str, Any]

HEAD = {"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration"}
SOUND_SHARE = 0.45
OPTIONS = ("full-pcpus-only", "strict-cpu-reservation", "prefer-align-cpus-by-uncorecache")


@dataclass(frozen=True)
class Configured:
    """A machine and the text of its kubelet's configuration."""

    name: str
    node: NodeClass
    text: str
    version: Version

    def as_question(self) -> Raw:
        """Write it as one line of the oracle's input; no pod arrives."""
        numa = [cell_fields(cell) for cell in self.node.cells]
        return {"name": self.name, "numa": numa, "pods": [], "configuration": self.text}


@dataclass(frozen=True)
class Making:
    """A configuration in the making: `written` is changed until it is done."""

    random: Random
    node: NodeClass
    known: Known
    written: Raw


Fault = Callable[[Making], None]


def configurations(
    faults: Sequence[Fault], count: int, seed: int, version: Version, first: int = 0
) -> Iterator[Configured]:
    """Yield `count` configurations from number `first` on; each depends on the seed and its own number only."""
    for number in range(first, first + count):
        random = Random(f"{seed}/{number}/configuration")  # noqa: S311 - tests want the same numbers again
        node = with_distances(nodes.node_class(random))
        made = Making(random, node, load_known(version), sound(random, node))
        fill_memory(made)
        if random.random() > SOUND_SHARE:
            for _ in range(random.choice((1, 1, 2))):
                random.choice(faults)(made)
        yield Configured(f"seed {seed}, number {number}", node, json.dumps(made.written), version)


def with_distances(node: NodeClass) -> NodeClass:
    """Give every NUMA node its distances, as every machine does."""
    ids = range(max(cell.id for cell in node.cells) + 1)
    rows = {cell.id: tuple(10 if other == cell.id else 20 for other in ids) for cell in node.cells}
    return replace(node, cells=tuple(replace(cell, distances=rows[cell.id]) for cell in node.cells))


def sound(random: Random, node: NodeClass) -> Raw:
    """Write a configuration that starts."""
    cpus = [cpu for cell in node.cells for core in cell.cores for cpu in core.threads]
    written: Raw = {
        **HEAD,
        "cpuManagerPolicy": random.choice(("static", "static", "static", "none")),
        "memoryManagerPolicy": random.choice(("Static", "Static", "None")),
        "topologyManagerPolicy": random.choice(nodes.POLICIES),
        "topologyManagerScope": random.choice(("container", "pod")),
        "kubeReserved": {"memory": random.choice(("64Mi", "100M", "128Mi"))},
        "systemReserved": {"memory": "256Mi"},
    }
    if random.random() < 0.5:
        some = random.sample(cpus, min(len(cpus), random.choice((1, 2, 4))))
        written["reservedSystemCPUs"] = cpuset.format(sum(1 << cpu for cpu in some))
    else:
        written["systemReserved"]["cpu"] = random.choice(("500m", "1", "0.2"))
    threshold = random.choice(
        (None, {}, {"memory.available": "100Mi"}, {"memory.available": "3%"}, {"pid.available": "9%"})
    )
    if threshold is not None:
        written["evictionHard"] = dict(threshold)
        written["mergeDefaultEvictionSettings"] = random.choice((True, False))
    if len(node.cells) > nodes.MAX_CELLS:
        written["topologyManagerPolicyOptions"] = {"max-allowable-numa-nodes": str(len(node.cells))}
    if written["cpuManagerPolicy"] == "static" and random.random() < 0.4:
        written["cpuManagerPolicyOptions"] = {random.choice(OPTIONS): random.choice(("true", "false", "1"))}
    return {name: value for name, value in written.items() if value != {} or random.random() < 0.5}


def fill_memory(made: Making) -> None:
    """Share what is reserved of the node over its NUMA nodes, or over the first one."""
    memory = sum(cell.memory for cell in made.node.cells)
    try:
        read = read_kubelet_configuration(from_object(made.written, "made"), memory=memory)
    except PolicyError:
        return
    total = read.settings.node_allocatable_reservation[MEMORY].value
    parts = system_memory(made.node.cells, total) if made.random.random() < 0.7 else {made.node.cells[0].id: total}
    entries = [{"numaNode": cell, "limits": {"memory": str(size)}} for cell, size in parts.items()]
    made.written["reservedMemory"] = entries
