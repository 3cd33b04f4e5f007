"""What drivers of dynamic resource allocation publish about the place of their devices.

Read in the drivers' own sources, mid 2026. A driver that is not listed may publish anything.
"""

from collections.abc import Mapping
from typing import Final

NUMA_NODE: Final = "resource.kubernetes.io/numaNode"
"""The NUMA node of a device (KEP-6072)."""
PCIE_ROOT: Final = "resource.kubernetes.io/pcieRoot"
"""The PCIe root complex of a device, which lies on one NUMA node: equal roots mean one NUMA node."""
CPU_DRIVER: Final = "dra.cpu"
"""Hands out CPUs by claims, on nodes whose kubelet has no static CPU manager: the two exclude each other."""

CLASS_DRIVERS: Final[Mapping[str, str]] = {
    "mig.nvidia.com": "gpu.nvidia.com",
    "vfio.gpu.nvidia.com": "gpu.nvidia.com",
    "compute-domain-daemon.nvidia.com": "compute-domain.nvidia.com",
    "compute-domain-default-channel.nvidia.com": "compute-domain.nvidia.com",
    "dranet": "dra.net",
    "dra.hugepages-2m": "dra.memory",
    "dra.hugepages-1g": "dra.memory",
}
"""Device classes, as drivers install them, that are not named like their driver."""

PLACES: Final[Mapping[str, frozenset[str]]] = {
    "gpu.nvidia.com": frozenset({NUMA_NODE, PCIE_ROOT}),
    "compute-domain.nvidia.com": frozenset(),
    "gpu.amd.com": frozenset({PCIE_ROOT}),
    "gpu.intel.com": frozenset({PCIE_ROOT}),
    "gaudi.intel.com": frozenset({PCIE_ROOT}),
    # Its roots are a list, behind a flag of the driver and a feature gate.
    CPU_DRIVER: frozenset({NUMA_NODE, PCIE_ROOT}),
    "dra.net": frozenset({NUMA_NODE, PCIE_ROOT}),
    "dra.memory": frozenset({NUMA_NODE}),
}
"""Which of the two standard attributes each driver publishes."""


_DOMAINS: Final[Mapping[str, str]] = {"gaudi.intel.com": "habana.ai", "neuron.aws.com": "aws.amazon.com"}
"""Drivers whose vendor's extended resources have another domain."""


def is_kin(driver: str, resource: str) -> bool:
    """Tell whether a driver and an extended resource are of one vendor, and so may mean the same devices.

    >>> is_kin("gpu.nvidia.com", "nvidia.com/gpu"), is_kin("gpu.amd.com", "nvidia.com/gpu")
    (True, False)
    """
    domain = resource.partition("/")[0]
    return _DOMAINS.get(driver) == domain or domain.split(".")[-2:] == driver.split(".")[-2:]


def publishes(driver: str, attribute: str) -> bool:
    """Tell whether devices of a driver may have a standard attribute; of unknown drivers and attributes, yes."""
    return attribute not in {NUMA_NODE, PCIE_ROOT} or attribute in PLACES.get(driver, frozenset({attribute}))
