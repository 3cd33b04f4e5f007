"""A kubelet's PodResources socket: a real gRPC server that answers what a test wants."""

import threading
from collections.abc import Iterator
from concurrent import futures
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc

from webhook.node.readers import pod_resources_api as api

Grant = dict[str, Any]


def memory(kind: str, size: int, *cells: int) -> Any:
    """Make a block of memory on these NUMA nodes."""
    return api.message("ContainerMemory")(memory_type=kind, size=size, topology=topology(*cells))


def devices(resource: str, *names: str, cells: tuple[int, ...] | None = ()) -> Any:
    """Make an entry of devices; `cells` None gives it no topology, () an empty one."""
    entry = api.message("ContainerDevices")(resource_name=resource, device_ids=names)
    if cells is not None:
        entry.topology.CopyFrom(topology(*cells))
    return entry


def topology(*cells: int) -> Any:
    """Make a topology of these NUMA nodes."""
    node = api.message("NUMANode")
    return api.message("TopologyInfo")(nodes=[node(ID=cell) for cell in cells])


def container(name: str = "server", **fields: Any) -> Any:
    """Make a container: `cpu_ids`, `memory`, `devices`, `dynamic_resources`."""
    return api.message("ContainerResources")(name=name, **fields)


def pod(name: str, *containers: Any, namespace: str = "team-a", **fields: Any) -> Any:
    """Make a pod."""
    return api.message("PodResources")(name=name, namespace=namespace, containers=containers, **fields)


def listing(*pods: Any) -> bytes:
    """Make the answer of List."""
    answer: bytes = api.message("ListPodResourcesResponse")(pod_resources=pods).SerializeToString()
    return answer


def allocatable(*entries: Any) -> bytes:
    """Make the answer of GetAllocatableResources."""
    answer: bytes = api.message("AllocatableResourcesResponse")(devices=entries).SerializeToString()
    return answer


class Kubelet:
    """What the socket answers, to be changed while it serves; `error` is answered instead, `hangs` keeps callers."""

    def __init__(self) -> None:
        """Answer with nothing given to anybody."""
        self.answers = {api.LIST: listing(), api.ALLOCATABLE: allocatable()}
        self.error: tuple[grpc.StatusCode, str] | None = None
        self.hangs = False
        self.calls: list[str] = []
        self.released = threading.Event()

    def answer(self, method: str, context: grpc.ServicerContext) -> bytes:
        """Answer one call."""
        self.calls.append(method)
        if self.hangs:
            self.released.wait()
        if self.error:
            context.abort(*self.error)
        return self.answers[method]


class _Handler(grpc.GenericRpcHandler):
    def __init__(self, kubelet: Kubelet) -> None:
        self._kubelet = kubelet

    def service(self, details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler | None:
        method = details.method
        if method not in self._kubelet.answers:
            return None
        return grpc.unary_unary_rpc_method_handler(lambda _, context: self._kubelet.answer(method, context))


@contextmanager
def serving(socket: Path) -> Iterator[Kubelet]:
    """Serve on a Unix socket."""
    kubelet = Kubelet()
    socket.parent.mkdir(parents=True, exist_ok=True)
    server = grpc.server(futures.ThreadPoolExecutor(2), handlers=[_Handler(kubelet)])
    server.add_insecure_port(f"unix:{socket}")
    server.start()
    try:
        yield kubelet
    finally:
        kubelet.released.set()
        server.stop(None).wait()
