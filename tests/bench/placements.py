"""Times the simulated kubelet: machines of 1 to 34 NUMA nodes, and replicas until a node is full."""

from functools import partial
from typing import Any

from bench.timing import Table
from kubelets import GIB
from kubelets import app
from kubelets import cells
from kubelets import gpus
from kubelets import machine
from kubelets import raw_pod

from webhook.domain import facts
from webhook.domain.kubelet.admit import admit_on_empty
from webhook.domain.topology import NodeClass
from webhook.sources.policy_file import load_profile

CORES = 96
GPUS = 16
SHAPES = {"small": "4/16Gi/1", "wide": "90/700Gi/8", "too many GPUs": "4/16Gi/15"}


def placements(table: Table) -> None:
    """Time one pod on machines with the same CPUs in 1 to 16 NUMA nodes, under each policy."""
    for policy in ("single-numa-node", "restricted", "best-effort", "none"):
        table.head(f"simulated kubelet, {policy}, {2 * CORES} CPUs in n NUMA nodes")
        for name, text in SHAPES.items():
            for number in (2, 1, 4, 8, 16):
                run = partial(admit_on_empty, _read(app(text)), _machine(number, policy))
                label = f"{policy}: {name}, {number} NUMA nodes"
                table.add(label, run, than=f"{policy}: {name}, 2 NUMA nodes" if number != 2 else None)
    table.head("simulated kubelet, machines of the library")
    for library in ("generic-2x4", "dgx-a100", "gb200-tray-numa"):
        table.add(library, partial(admit_on_empty, _read(app("16/64Gi/2")), load_profile(library)))


def _machine(number: int, policy: str) -> NodeClass:
    return machine(
        policy,
        cells=cells(number, CORES // number, 2048 * GIB // number),
        devices=gpus([GPUS // number] * number),
        reserved_cpus="0,96",
        topology_manager_policy_options={"max-allowable-numa-nodes": "16", "prefer-closest-numa-nodes": "true"},
    )


def _read(container: dict[str, Any]) -> facts.PodFacts:
    return facts.read(raw_pod(container))
