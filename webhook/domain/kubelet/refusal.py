"""How the simulated kubelet refuses: inside this package as an exception, outside as an `Admission`."""

from typing import Final

TOPOLOGY_MANAGER: Final = "topology-manager"
"""Handler that gathers hints and lets the managers allocate."""
SCHEDULER_FIT: Final = "scheduler-fit"
"""Handler that repeats the scheduler's sums over the whole node."""
PANIC: Final = "panic"
"""No handler: the kubelet's own code fails on this pod."""
CONTAINER_START: Final = "container-start"
"""No handler: the pod is admitted and stays, but one of its containers gets no devices and never runs."""
STARTUP: Final = "startup"
"""No handler: the kubelet of this node class does not start."""
SIMULATION: Final = "simulation"
"""No handler: the question is too large to be answered."""

TOPOLOGY_AFFINITY_ERROR: Final = "TopologyAffinityError"
SMT_ALIGNMENT_ERROR: Final = "SMTAlignmentError"
UNEXPECTED_ADMISSION_ERROR: Final = "UnexpectedAdmissionError"
EMPTY_POD_SHARED_POOL_ERROR: Final = "EmptyPodSharedPoolError"
OUT_OF: Final = "OutOf"
CREATE_CONTAINER_CONFIG_ERROR: Final = "CreateContainerConfigError"
KUBELET_PANIC: Final = "KubeletPanic"
TOO_MANY_CELLS: Final = "TooManyNUMANodes"
DOES_NOT_START: Final = "KubeletDoesNotStart"


class RefusedError(Exception):
    """The pod is refused: `handler` says where, `reason` and `message` are the kubelet's words."""

    def __init__(self, handler: str, reason: str, message: str) -> None:
        """Keep the three apart."""
        super().__init__(f"{reason}: {message}")
        self.handler = handler
        self.reason = reason
        self.message = message


class TooManyCellsError(RefusedError):
    """The NUMA nodes allow more combinations than can be tried; a real kubelet would be busy for hours too."""

    def __init__(self, cells: int) -> None:
        """Name the number of NUMA nodes."""
        message = f"{cells} NUMA nodes have too many combinations to simulate: use the policy single-numa-node"
        super().__init__(SIMULATION, TOO_MANY_CELLS, message)


class MisalignedError(RefusedError):
    """The hints have no common answer that the policy takes."""

    def __init__(self, message: str) -> None:
        """Keep the kubelet's message."""
        super().__init__(TOPOLOGY_MANAGER, TOPOLOGY_AFFINITY_ERROR, message)


def misaligned() -> MisalignedError:
    """Refuse because the hints have no common answer (TM/topology_manager.go:TopologyAffinityError)."""
    return MisalignedError("Resources cannot be allocated with Topology locality")


def misaligned_whole(scope: str) -> MisalignedError:
    """Refuse a pod with spec.resources likewise (PodLevelTopologyAffinityError, which says Pod Scope in any scope)."""
    manager = {"pod": "under pod-scope", "container": "with a container-level"}[scope]
    return MisalignedError(f"Pod Scope pod with pod-level resources failed admission {manager} topology manager")


def not_started(container: str, refusal: RefusedError) -> RefusedError:
    """Say that the container waits for devices (pkg/kubelet/kuberuntime/kuberuntime_container.go:startContainer)."""
    message = f"container {container} does not start: {refusal.message}"
    return RefusedError(CONTAINER_START, CREATE_CONTAINER_CONFIG_ERROR, message)


def empty_pool(message: str) -> RefusedError:
    """Refuse because containers share CPUs or memory of which nothing is left (pkg/kubelet/cm/admission/errors.go)."""
    return RefusedError(TOPOLOGY_MANAGER, EMPTY_POD_SHARED_POOL_ERROR, message)


def unexpected(error: str) -> RefusedError:
    """Refuse because an allocation failed (pkg/kubelet/cm/admission/errors.go:GetPodAdmitResult)."""
    message = f"Allocate failed due to {error}, which is unexpected"
    return RefusedError(TOPOLOGY_MANAGER, UNEXPECTED_ADMISSION_ERROR, message)


def smt(message: str) -> RefusedError:
    """Refuse because whole cores are wanted (CPU/policy_static.go:SMTAlignmentError)."""
    return RefusedError(TOPOLOGY_MANAGER, SMT_ALIGNMENT_ERROR, f"SMT Alignment Error: {message}")


def panic(message: str) -> RefusedError:
    """Refuse where the kubelet's own code fails: no answer of it can be relied on."""
    return RefusedError(PANIC, KUBELET_PANIC, message)
