"""A node that shows what a test says: the pods that it is given, each with what it was promised or something else."""

import threading
from collections.abc import Callable
from collections.abc import Sequence
from datetime import UTC
from datetime import datetime
from datetime import timedelta
from typing import Final

from builders import GPU

from webhook.domain.observation import Machine
from webhook.domain.observation import Observation
from webhook.domain.observation import ObservedCgroup
from webhook.domain.observation import ObservedContainer
from webhook.domain.observation import ObservedDevice
from webhook.domain.observation import ObservedPod
from webhook.domain.observation import ObservedProcess
from webhook.domain.observation import Pages
from webhook.domain.observation import ProcessMemory
from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.topology import Cell
from webhook.domain.topology import Core
from webhook.domain.topology import KubeletSettings

GIB: Final = 1 << 30
CPUS: Final = 0xFF
"""Eight CPUs of NUMA node 0."""
SHARED: Final = 0xFF << 16
"""The CPUs of both NUMA nodes that are left for everybody else."""

ALIGNED: Final = "aligned"
FAR: Final = "far"
"""Its CPUs are on the other NUMA node than its device."""
UNSEEN: Final = "unseen"
"""Its cgroup cannot be read."""
NOT_STARTED: Final = "not-started"
SETTLING: Final = "settling"
"""It started a moment ago, and is aligned."""


class ScriptedNode:
    """Shows each pod as `shown` says by its name, and all others in the shared pool; may be changed from any thread."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.shown: dict[str, str] = {}
        self.looks = 0
        self.read: set[str] = set()
        self.trouble: Exception | None = None
        self._lock = threading.Lock()

    def show(self, pod: str, what: str) -> None:
        """Let a pod be shown otherwise from the next look on."""
        with self._lock:
            self.shown[pod] = what

    def observe(self, pods: Sequence[JsonObject], is_judged: Callable[[JsonObject], bool]) -> Observation:
        """Look at the node."""
        self.read = {get_text(get_object(pod, "metadata"), "name") for pod in pods if is_judged(pod)}
        with self._lock:
            shown = dict(self.shown)
            self.looks += 1
        if self.trouble is not None:
            raise self.trouble
        now = datetime.now(UTC)
        return Observation(
            node=self.name,
            instant=now,
            machine=Machine((_cell(0), _cell(1)), (1 << 24) - 1),
            kubelet=KubeletSettings(
                cpu_manager_policy="static",
                memory_manager_policy="Static",
                topology_manager_policy="single-numa-node",
                version=(1, 37),
            ),
            pods=tuple(_pod(pod, shown, now) for pod in pods),
        )


def _cell(number: int) -> Cell:
    own = (*range(number * 8, number * 8 + 8), *range(16 + number * 4, 20 + number * 4))
    cores = tuple(Core((cpu,), socket=number) for cpu in own)
    return Cell(number, 256 * GIB, cores, distances=(10, 21) if number == 0 else (21, 10))


def _pod(raw: JsonObject, shown: dict[str, str], now: datetime) -> ObservedPod:
    metadata = get_object(raw, "metadata")
    name = get_text(metadata, "name")
    # Who has no GPU is in the shared pool.
    seen = container(shown[name], now) if name in shown else _other(now)
    return ObservedPod(get_text(metadata, "namespace"), name, get_text(metadata, "uid"), raw, (seen,))


def _other(now: datetime) -> ObservedContainer:
    cgroup = ObservedCgroup("/kubepods/other", SHARED, SHARED, None, 0b11, None)
    started = now - timedelta(seconds=600)
    return ObservedContainer("one", "containerd://other", started, 0, {}, (), cgroup, ())


def container(what: str, now: datetime) -> ObservedContainer:
    """Answer the container `server` with eight CPUs, 64Gi and a GPU."""
    cpus = CPUS << 8 if what == FAR else CPUS
    cells = 0b10 if what == FAR else 0b01
    ages = {NOT_STARTED: None, SETTLING: 0.0}
    age = ages.get(what, 600.0)
    nothing = Pages({})
    cgroup = ObservedCgroup("/kubepods/one", cpus, cpus, cells, cells, None)
    memory = ProcessMemory(Pages({cells.bit_length() - 1: GIB}), nothing, nothing, nothing, nothing)
    return ObservedContainer(
        name="server",
        id="containerd://one",
        started=None if age is None else now - timedelta(seconds=age),
        exclusive_cpus=cpus,
        pinned_memory={"memory": (64 * GIB, cells)},
        devices=(ObservedDevice(GPU, "GPU-0", 0b01),),
        cgroup=None if what == UNSEEN else cgroup,
        processes=(ObservedProcess(100, "python", cpus, cells, memory),),
    )
