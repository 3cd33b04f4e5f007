"""Who adds containers to pods that others wrote, how a pod asks for it, and where their resources are set."""

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

from webhook.domain.pod import PodFacts


@dataclass(frozen=True, slots=True)
class Injector:
    """A controller or webhook that adds `containers` to pods.

    A pod asks for it by a label or annotation: `asks` are (key, pattern of its value), `spares` patterns of values that
    ask for nothing after all. `knob` says where the resources of its containers are set.
    """

    name: str
    containers: tuple[str, ...]
    asks: tuple[tuple[str, str], ...]
    knob: str
    spares: tuple[str, ...] = ()

    def is_asked_by(self, facts: PodFacts) -> bool:
        """Tell whether the pod asks for the containers."""
        return any(
            fnmatchcase(value, pattern) and not any(fnmatchcase(value, spare) for spare in self.spares)
            for key, pattern in self.asks
            for value in (facts.annotations.get(key), facts.labels.get(key))
            if value is not None
        )


INJECTORS = (
    Injector(
        name="Istio",
        containers=("istio-proxy", "istio-init", "istio-validation"),
        asks=(("sidecar.istio.io/inject", "true"),),
        knob="annotations sidecar.istio.io/proxyCPU, proxyCPULimit, proxyMemory, proxyMemoryLimit; "
        "istio-init: values global.proxy_init.resources",
    ),
    Injector(
        name="Linkerd",
        containers=("linkerd-proxy", "linkerd-init", "linkerd-network-validator"),
        asks=(("linkerd.io/inject", "enabled"), ("linkerd.io/inject", "ingress")),
        knob="annotations config.linkerd.io/proxy-cpu-request, proxy-cpu-limit, proxy-memory-request, "
        "proxy-memory-limit; linkerd-init: values proxyInit.resources",
    ),
    Injector(
        name="Consul",
        containers=("consul-dataplane", "consul-connect-inject-init"),
        asks=(("consul.hashicorp.com/connect-inject", "true"),),
        knob="annotations consul.hashicorp.com/sidecar-proxy-cpu-request, -cpu-limit, -memory-request, -memory-limit",
    ),
    Injector(
        name="Dapr",
        containers=("daprd",),
        asks=(("dapr.io/enabled", "true"),),
        knob="annotations dapr.io/sidecar-cpu-request, -cpu-limit, -memory-request, -memory-limit",
    ),
    Injector(
        name="Vault",
        containers=("vault-agent", "vault-agent-init"),
        asks=(("vault.hashicorp.com/agent-inject", "true"),),
        knob="annotations vault.hashicorp.com/agent-requests-cpu, agent-limits-cpu, agent-requests-mem, "
        "agent-limits-mem",
    ),
    Injector(
        name="Cloud Storage FUSE",
        containers=("gke-gcsfuse-sidecar", "gke-gcsfuse-metadata-prefetch"),
        asks=(("gke-gcsfuse/volumes", "true"),),
        knob="annotations gke-gcsfuse/cpu-request, cpu-limit, memory-request, memory-limit",
    ),
    Injector(
        name="KServe",
        containers=("storage-initializer",),
        asks=(("internal.serving.kserve.io/storage-initializer-sourceuri", "*"),),
        knob="cpuRequest, cpuLimit, memoryRequest, memoryLimit of storageInitializer in ConfigMap "
        "inferenceservice-config",
        spares=("pvc://*", "oci://*"),
    ),
    Injector(
        name="KServe",
        containers=("kserve-agent",),
        asks=(("internal.serving.kserve.io/agent", "true"),),
        knob="cpuRequest, cpuLimit, memoryRequest, memoryLimit of agent in ConfigMap inferenceservice-config",
    ),
    Injector(
        name="Knative",
        containers=("queue-proxy",),
        asks=(),
        knob="annotations queue.sidecar.serving.knative.dev/cpu-resource-request, cpu-resource-limit, "
        "memory-resource-request, memory-resource-limit",
    ),
    Injector(
        name="KubeRay",
        containers=("autoscaler",),
        asks=(),
        knob="spec.autoscalerOptions.resources",
    ),
    Injector(
        name="AIBrix",
        containers=("aibrix-runtime",),
        asks=(("model.aibrix.ai/sidecar-injection", "true"),),
        knob="the same container, written out with its resources",
    ),
    Injector(
        name="Fluid",
        containers=("fluid-fuse", "fluid-fuse-*"),
        asks=(("serverless.fluid.io/inject", "true"), ("fuse.serverful.fluid.io/inject", "true")),
        knob="spec.fuse.resources of its runtime",
    ),
)


def injector_of(container: str) -> Injector | None:
    """Answer who adds containers of this name."""
    return next((one for one in INJECTORS if any(fnmatchcase(container, name) for name in one.containers)), None)


def remark(container: str) -> str:
    """Say who added a container and where its resources are set, "" for one that people write."""
    found = injector_of(container)
    return f" ({found.name} adds it: set {found.knob})" if found else ""


def to_come(facts: PodFacts) -> Iterator[Injector]:
    """Yield who the pod asks for containers that it does not have yet."""
    names = [container.name for container in facts.containers]
    for one in INJECTORS:
        there = any(fnmatchcase(name, pattern) for name in names for pattern in one.containers)
        if one.is_asked_by(facts) and not there:
            yield one
