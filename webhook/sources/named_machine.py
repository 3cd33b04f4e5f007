"""Finds the machine of the library that a node's labels name, if its size agrees with the node's."""

import re
from functools import lru_cache
from typing import NamedTuple

from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text_map
from webhook.sources import node_tables as tables
from webhook.sources.evidence import NodeView
from webhook.sources.machines import list_machines
from webhook.sources.machines import machine_spec
from webhook.sources.specs import cell_cpus
from webhook.sources.specs import cell_memory
from webhook.sources.specs import size

INSTANCE_TYPE = "node.kubernetes.io/instance-type"
PRODUCT = "nvidia.com/gpu.product"
COUNT = "nvidia.com/gpu.count"
_NEAR = 8
"""Of the memory that a type is sold with the kernel keeps some; more than an eighth is missing for another reason.

One node is enough to be believed where its type fixes the machine, so its word on the memory is not taken for more.
"""
_SUFFIX = re.compile(r"-(?:MIG-.*|SHARED)$")
_OTHER_NAMES = {
    "nvidia-b200": "NVIDIA-B200",
    "nvidia-gb200": "NVIDIA-GB200",
    "nvidia-gb300": "NVIDIA-GB300",
    "nvidia-h100-80gb": "NVIDIA-H100-80GB-HBM3",
    "nvidia-h100-mega-80gb": "NVIDIA-H100-80GB-HBM3",
    "nvidia-h200-141gb": "NVIDIA-H200",
    "h100": "NVIDIA-H100-80GB-HBM3",
    "h200": "NVIDIA-H200",
    "b200": "NVIDIA-B200",
}
"""What clouds call a product, by GKE's and Karpenter's labels."""


class Machine(NamedTuple):
    """A machine of the library; `fixed` where the node's type is sold in this one shape only."""

    name: str
    spec: JsonObject
    fixed: bool

    @property
    def numa(self) -> list[object]:
        """Its NUMA nodes."""
        return get_list(self.spec, "numa")

    @property
    def cpus(self) -> int:
        """Its logical CPUs."""
        return sum(map(cell_cpus, self.numa))

    @property
    def memory(self) -> int:
        """Its bytes of memory."""
        return sum(map(cell_memory, self.numa))


def find(view: NodeView) -> tuple[Machine | None, tuple[str, ...]]:
    """Answer the machine, or None and what speaks against the one that the labels name."""
    wanted = _named(view)
    fixed = INSTANCE_TYPE in wanted
    if not fixed and PRODUCT not in wanted:
        return None, ()
    found = [Machine(name, spec, fixed) for name, selector, spec in _shelf(fixed) if selector.items() <= wanted.items()]
    if len(found) > 1:
        names = " and ".join(machine.name for machine in found)
        return None, (f"product {wanted[PRODUCT]} is in {names} of the library: a NodeProfile must say which",)
    if not found and fixed and PRODUCT in wanted:
        return _by_product(view)
    machine = found[0] if found else None
    cpus = view.node.cpus if view.node else 0
    if machine is not None and cpus and machine.cpus != cpus:
        return None, (f"the node has {cpus} CPUs, {machine.name} of the library {machine.cpus}",)
    memory = view.node.memory if view.node else 0
    if machine is not None and fixed and memory and (machine.memory - memory) * _NEAR > machine.memory:
        sizes = f"the node has {size(memory)} of memory, {machine.name} of the library {size(machine.memory)}"
        return None, (sizes,)
    return machine, ()


def product_of(view: NodeView) -> str:
    """Answer the GPU product by whichever label names it, without what MIG and sharing add; "" where none does."""
    written = tables.first_of(view.labels, tables.PRODUCTS)
    if PRODUCT in view.labels:
        plain = _SUFFIX.sub("", written)
        return plain if plain.startswith("NVIDIA-") else f"NVIDIA-{plain}"
    return _OTHER_NAMES.get(written, written)


def _by_product(view: NodeView) -> tuple[Machine | None, tuple[str, ...]]:
    """Ask again without the instance type, which the library does not have."""
    others = {key: value for key, value in view.labels.items() if key not in tables.INSTANCE_TYPES}
    return find(NodeView(labels=others, node=view.node, report=view.report, slices=view.slices))


def _named(view: NodeView) -> dict[str, str]:
    """Answer the labels as the library writes them."""
    named = {key: value for key, value in view.labels.items() if key == "kubernetes.io/arch"}
    instance_type = tables.first_of(view.labels, tables.INSTANCE_TYPES)
    if instance_type:
        named[INSTANCE_TYPE] = instance_type
    product = product_of(view)
    if product:
        named[PRODUCT] = product
        named[COUNT] = _count(view)
    return named


def _count(view: NodeView) -> str:
    """Answer the number of whole GPUs; under MIG the label counts parts of them, and the CPUs must tell."""
    if "-MIG-" in view.labels.get(PRODUCT, ""):
        whole = {"NVIDIA-GB200": "4", "NVIDIA-GB300": "4"}
        return whole.get(product_of(view), "8") if view.node and view.node.cpus else ""
    counts = (COUNT, "cloud.google.com/gke-accelerator-count", "karpenter.k8s.aws/instance-gpu-count")
    return tables.first_of(view.labels, (*counts, "karpenter.azure.com/sku-gpu-count"))


@lru_cache(maxsize=2)
def _shelf(fixed: bool) -> tuple[tuple[str, dict[str, str], JsonObject], ...]:  # noqa: FBT001 - which of the two shelves
    """Answer the machines whose selector names an instance type, or a product."""
    key = INSTANCE_TYPE if fixed else PRODUCT
    machines = ((name, machine_spec(name)) for name in list_machines())
    selectors = ((name, get_text_map(get_object(spec, "selector"), "matchLabels"), spec) for name, spec in machines)
    return tuple((name, selector, spec) for name, selector, spec in selectors if key in selector)
