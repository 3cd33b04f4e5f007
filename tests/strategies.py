"""Hypothesis strategies: plausible pods with every fault mixed in, objects of any shape, and what a node shows."""

from datetime import timedelta
from typing import Any

from builders import GPU
from builders import INSTANT
from hypothesis import strategies as st

from webhook.domain.observation import Machine
from webhook.domain.observation import Observation
from webhook.domain.observation import ObservedCgroup
from webhook.domain.observation import ObservedContainer
from webhook.domain.observation import ObservedDevice
from webhook.domain.observation import ObservedPod
from webhook.domain.observation import ObservedProcess
from webhook.domain.observation import Pages
from webhook.domain.observation import ProcessMemory
from webhook.domain.observation import StateFile
from webhook.domain.observation import Unread
from webhook.domain.topology import Cell
from webhook.domain.topology import Core
from webhook.domain.topology import KubeletSettings

CPUS = ("0", "100m", "500m", "1", "2", "3", "7500m", "16", "94", "200", "1999.5m", "1e3", "1e1000000")
MEMORIES = ("0", "64Mi", "1Gi", "1.2Gi", "64Gi", "1008Gi", "2Ti", "100M", "0.5", "1e1000000")
GPUS = ("0", "1", "2", "4", "5", "8")
IMAGES = ("registry.example/vllm:1", "registry.example/own", "istio/proxyv2:1", "kserve/storage-initializer")

json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=12),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(max_size=12), children, max_size=4),
    max_leaves=12,
)


@st.composite
def resource_blocks(draw: st.DrawFn) -> dict[str, Any]:
    """Draw requests and limits, each resource present or not, equal or not."""
    block: dict[str, dict[str, str]] = {"requests": {}, "limits": {}}
    for resource, values in (("cpu", CPUS), ("memory", MEMORIES), (GPU, GPUS)):
        limit = draw(st.sampled_from(values) | st.none())
        request = draw(st.sampled_from((limit, *values)) | st.none()) if resource != GPU else limit
        for side, value in (("requests", request), ("limits", limit)):
            if value is not None:
                block[side][resource] = value
    return {side: values for side, values in block.items() if values or draw(st.booleans())}


@st.composite
def containers(draw: st.DrawFn, name: str, *, init: bool = False) -> dict[str, Any]:
    """Draw a container, or an init container that may be a sidecar."""
    made: dict[str, Any] = {"name": name, "image": draw(st.sampled_from(IMAGES))}
    if draw(st.integers(0, 5)):
        made["resources"] = draw(resource_blocks())
    if init and draw(st.booleans()):
        made["restartPolicy"] = "Always"
    return made


@st.composite
def pods(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a pod with one to three containers, up to two init containers and now and then something special."""
    spec: dict[str, Any] = {"containers": [draw(containers(f"c{number}")) for number in range(draw(st.integers(1, 3)))]}
    if draw(st.booleans()):
        spec["initContainers"] = [
            draw(containers(f"i{number}", init=True)) for number in range(draw(st.integers(1, 2)))
        ]
    if not draw(st.integers(0, 9)):
        spec["resources"] = draw(resource_blocks())
    metadata: dict[str, Any] = {"name": "llm"}
    if draw(st.booleans()):
        metadata["annotations"] = draw(
            st.dictionaries(
                st.sampled_from(("numagate.io/numa-nodes", "example.com/a/b~c")), st.sampled_from(("1", "2", "x"))
            )
        )
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


@st.composite
def any_objects(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a pod in which something was replaced by JSON of any shape, or an object of any shape."""
    if draw(st.booleans()):
        return draw(st.dictionaries(st.text(max_size=12), json_values, max_size=5))
    obj: Any = draw(pods())
    place: Any = obj
    for _ in range(draw(st.integers(0, 6))):
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            break
        key = draw(st.sampled_from(keys))
        if not isinstance(place[key], dict | list):
            place[key] = draw(json_values)
            break
        place = place[key]
    else:
        if isinstance(place, dict):
            place[draw(st.sampled_from(("resources", "limits", "containers", "annotations")))] = draw(json_values)
    return dict(obj)


names = st.sampled_from(("llm", "c0", "c1", "")) | st.text(max_size=6)
_cpu_sets = st.sampled_from((0b111100, 0xF00, 0x3C0, 0xFFFF, None)) | st.integers(0, 0xFFFF)
_cell_sets = st.sampled_from((0b1, 0b10, 0b11, None)) | st.integers(0, 0b1111)
_unread = st.lists(st.builds(Unread, st.sampled_from(("cpus", "memory", "quota", "devices")), names), max_size=1).map(
    tuple
)
_pages = st.builds(Pages, st.dictionaries(st.integers(0, 4), st.integers(0, 1 << 40), max_size=2))
_nothing = st.just(Pages({}))
_resources = st.sampled_from((GPU, GPU, "example.com/nic"))
_processes = st.builds(
    ObservedProcess,
    pid=st.integers(1, 99),
    command=names,
    cpus=_cpu_sets,
    cells=_cell_sets,
    memory=st.none() | st.builds(ProcessMemory, _pages, _nothing, _nothing, _pages, _pages),
    unread=_unread,
)
_cgroups = st.builds(
    ObservedCgroup,
    path=st.just("/kubepods"),
    cpus=_cpu_sets,
    effective_cpus=_cpu_sets,
    cells=_cell_sets,
    effective_cells=_cell_sets,
    own_quota=st.none() | st.just((400000, 100000)),
    pod_quota=st.none() | st.just((400000, 100000)),
    usage=st.none() | st.floats(0, 64),
    unread=_unread,
)
_seen = st.builds(
    ObservedContainer,
    name=st.sampled_from(("c0", "c1", "c2")),
    id=st.just("containerd://x"),
    started=st.sampled_from((600, 600, 600, 31, 5, -5, None)).map(
        lambda ago: None if ago is None else INSTANT - timedelta(seconds=ago)
    ),
    exclusive_cpus=_cpu_sets,
    pinned_memory=st.none() | st.integers(0, 3).map(lambda cells: {"memory": (1 << 30, cells)}),
    devices=st.none() | st.lists(st.builds(ObservedDevice, _resources, names, _cell_sets), max_size=3).map(tuple),
    cgroup=st.none() | _cgroups,
    processes=st.lists(_processes, max_size=3).map(tuple),
    unread=_unread,
)
_cells = st.builds(
    Cell,
    id=st.integers(0, 5),
    memory=st.just(1 << 36),
    cores=st.lists(st.builds(Core, st.tuples(st.integers(0, 15)), st.just(0)), max_size=8).map(tuple),
    distances=st.lists(st.integers(10, 254), max_size=4).map(tuple),
)
_usual_cells = tuple(
    Cell(number, 1 << 36, tuple(Core((8 * number + cpu,), number) for cpu in range(8)), {}, ()) for number in range(2)
)
_settings = st.builds(
    KubeletSettings,
    cpu_manager_policy=st.sampled_from(("static", "none", "")),
    memory_manager_policy=st.sampled_from(("Static", "Static", "None")),
    topology_manager_policy=st.sampled_from(("single-numa-node", "none")),
    topology_manager_policy_options=st.dictionaries(
        st.sampled_from(("max-allowable-numa-nodes", "x")), st.sampled_from(("2", "9", "y")), max_size=1
    ),
    feature_gates=st.dictionaries(st.just("PodLevelResourceManagers"), st.booleans()),
)


@st.composite
def serving_pods(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a pod that asks for GPUs, and is promised something."""
    count, cpu, nodes = draw(st.integers(1, 2)), draw(st.sampled_from(("4", "8", "1500m"))), draw(st.sampled_from("12"))
    values = {"cpu": cpu, "memory": "8Gi", GPU: str(draw(st.integers(1, 3)))}
    made = [
        {"name": f"c{number}", "image": IMAGES[0], "resources": {"requests": values, "limits": values}}
        for number in range(count)
    ]
    return {"metadata": {"annotations": {"numagate.io/numa-nodes": nodes}}, "spec": {"containers": made}}


def observations() -> st.SearchStrategy[Observation]:
    """Draw a node on which anything may be missing, and nothing need agree with anything else."""
    shown = st.builds(
        ObservedPod,
        namespace=st.just("team-a") | names,
        name=names,
        uid=names,
        raw=serving_pods() | serving_pods() | any_objects(),
        containers=st.lists(_seen, min_size=1, max_size=2, unique_by=lambda one: one.name).map(tuple),
    )
    return st.builds(
        Observation,
        node=names,
        instant=st.just(INSTANT),
        machine=st.builds(Machine, st.just(_usual_cells) | st.lists(_cells, max_size=3).map(tuple), st.just(0xFFFF)),
        kubelet=st.none() | _settings,
        pods=st.lists(shown, min_size=1, max_size=2).map(tuple),
        state_files=st.lists(
            st.builds(StateFile, st.sampled_from(("cpu_manager_state", "memory_manager_state", "x")), names, _cpu_sets),
            max_size=1,
        ).map(tuple),
    )
