"""Where the supported versions of Kubernetes differ: one table, read by the simulation and by whoever reads a pod.

A version newer than the table behaves as its newest entry, one older than the table as its oldest.
"""

from dataclasses import dataclass
from dataclasses import replace
from typing import Final
from typing import TypeAlias

Version: TypeAlias = tuple[int, int]
"""Major and minor number."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What one version does otherwise than another; the defaults are the newest version's.

    `empty_block_decides`: `resources: {}` in the pod's spec makes it BestEffort, whatever its containers say
        (pkg/apis/core/v1/helper/qos/qos.go:ComputePodQOS without the gate PodLevelResourcesFixKubeletQOSClass).
    `completes_pod_resources`: spec.resources without limits is completed too, and gets the limits that all
        containers have (pkg/api/pod/util.go:DefaultPodLevelResources; before it core/v1/defaults.go:SetDefaults_Pod).
    `spreads_within_sockets`: distribute-cpus-across-numa heeds align-by-socket and takes no more from a NUMA node than
        is free (CPU/cpu_assignment.go:takeByTopologyNUMADistributed).
    `hints_from_device_nodes`: device hints range only over NUMA nodes with such devices
        (DM/topology_hints.go:deviceNUMANodes).
    `beta_options`: policy options that need their manager's gate for beta options, which is on by default
        (CPU/policy_options.go and TM/policy_options.go:betaOptions).
    `passes_over_no_memory`: the memory manager does nothing for a container that it has no memory to pin for; before
        that it looked for NUMA nodes all the same, and could refuse (MM/policy_static.go:Allocate). It shows only with
        the gate PodLevelResourceManagers.
    `missing_gates`: feature gates that this version does not know (pkg/features/kube_features.go).
    """

    empty_block_decides: bool = False
    completes_pod_resources: bool = True
    spreads_within_sockets: bool = True
    hints_from_device_nodes: bool = True
    passes_over_no_memory: bool = True
    beta_options: frozenset[str] = frozenset({"distribute-cpus-across-numa"})
    missing_gates: frozenset[str] = frozenset()


NEWEST: Final = Rules()
_1_36: Final = replace(
    NEWEST,
    empty_block_decides=True,
    completes_pod_resources=False,
    spreads_within_sockets=False,
    passes_over_no_memory=False,
)
_1_35: Final = replace(
    _1_36,
    hints_from_device_nodes=False,
    beta_options=_1_36.beta_options | {"prefer-align-cpus-by-uncorecache"},
    missing_gates=frozenset({"PodLevelResourceManagers"}),
)
_1_34: Final = replace(
    _1_35,
    beta_options=_1_35.beta_options | {"strict-cpu-reservation", "max-allowable-numa-nodes"},
)

_TABLE: Final = (((1, 37), NEWEST), ((1, 36), _1_36), ((1, 35), _1_35), ((1, 34), _1_34))


def rules(version: Version) -> Rules:
    """Answer what a version does.

    >>> rules((1, 99)) == rules((1, 37)) != rules((1, 36)), rules((1, 20)) == rules((1, 34))
    (True, True)
    """
    return next((found for since, found in _TABLE if version >= since), _1_34)
