"""The table of injectors: meshes, secret agents, fuse drivers and serving operators that add containers to pods.

Each entry was read in the injector's own source or documentation. Meshes and operators change their defaults; what is
written here are the settings, which stay.
"""

import re
from collections.abc import Iterator
from collections.abc import Mapping
from fnmatch import translate
from typing import Final

from webhook.domain.injector import Injector
from webhook.domain.injector import Key
from webhook.domain.injector import Sign
from webhook.domain.injector import unpinned
from webhook.domain.pod import Container
from webhook.domain.pod import PodFacts
from webhook.domain.pointer import Path
from webhook.domain.resources import COMPUTE
from webhook.domain.resources import CPU
from webhook.domain.resources import MEMORY

_OTHER: Final = {CPU: MEMORY, MEMORY: CPU}
EXAMPLES: Final[Mapping[str, str]] = {CPU: "250m", MEMORY: "256Mi"}
"""What to write where nobody knows better."""


MODEL_URI: Final = "internal.serving.kserve.io/storage-initializer-sourceuri"
"""The annotation by which KServe remembers what is to be downloaded."""


def _keys(cpu_limit: str, cpu_request: str, memory_limit: str, memory_request: str) -> Mapping[Key, str]:
    return {
        ("limits", CPU): cpu_limit,
        ("requests", CPU): cpu_request,
        ("limits", MEMORY): memory_limit,
        ("requests", MEMORY): memory_request,
    }


def _kserve(entry: str) -> str:
    return f"{entry} of ConfigMap inferenceservice-config"


_KSERVE: Final = "internal.serving.kserve.io"
"""KServe writes annotations of this domain into its pods, and reads them when these are created."""
_CONFIG: Final = _keys("cpuLimit", "cpuRequest", "memoryLimit", "memoryRequest")
_BLOCK: Final = _keys("limits.cpu", "requests.cpu", "limits.memory", "requests.memory")

INJECTORS: Final[tuple[Injector, ...]] = (
    # The init container has the same annotations. Any one of the four switches the mesh's own values off.
    Injector(
        name="Istio",
        containers=("istio-proxy", "istio-init", "istio-validation"),
        keys=_keys(
            "sidecar.istio.io/proxyCPULimit",
            "sidecar.istio.io/proxyCPU",
            "sidecar.istio.io/proxyMemoryLimit",
            "sidecar.istio.io/proxyMemory",
        ),
        all_or_none=True,
        signs=(
            Sign("sidecar.istio.io/inject", label=True),
            Sign("sidecar.istio.io/inject"),
            Sign("istio.io/rev", label=True, named=True),
        ),
    ),
    Injector(
        name="Linkerd",
        containers=("linkerd-proxy", "linkerd-init", "linkerd-network-validator"),
        keys=_keys(
            "config.linkerd.io/proxy-cpu-limit",
            "config.linkerd.io/proxy-cpu-request",
            "config.linkerd.io/proxy-memory-limit",
            "config.linkerd.io/proxy-memory-request",
        ),
        signs=(Sign("linkerd.io/inject"),),
    ),
    Injector(
        name="Consul",
        containers=("consul-dataplane",),
        keys=_keys(
            "consul.hashicorp.com/sidecar-proxy-cpu-limit",
            "consul.hashicorp.com/sidecar-proxy-cpu-request",
            "consul.hashicorp.com/sidecar-proxy-memory-limit",
            "consul.hashicorp.com/sidecar-proxy-memory-request",
        ),
        signs=(Sign("consul.hashicorp.com/connect-inject"),),
    ),
    Injector(
        name="Dapr",
        containers=("daprd",),
        keys=_keys(
            "dapr.io/sidecar-cpu-limit",
            "dapr.io/sidecar-cpu-request",
            "dapr.io/sidecar-memory-limit",
            "dapr.io/sidecar-memory-request",
        ),
        limits_suffice=True,
        signs=(Sign("dapr.io/enabled"),),
    ),
    Injector(
        name="Vault",
        containers=("vault-agent", "vault-agent-init"),
        keys=_keys(
            "vault.hashicorp.com/agent-limits-cpu",
            "vault.hashicorp.com/agent-requests-cpu",
            "vault.hashicorp.com/agent-limits-mem",
            "vault.hashicorp.com/agent-requests-mem",
        ),
        signs=(Sign("vault.hashicorp.com/agent-inject"),),
    ),
    # The injector has settings for requests and for the memory limit, and none for a CPU limit.
    Injector(
        name="akv2k8s",
        containers=("copy-azurekeyvault-env",),
        advice="it has no setting for a CPU limit: leave the container to a repair by numagate, or to a LimitRange",
    ),
    # A limit of "0", which GKE's default is, means none.
    Injector(
        name="GKE",
        containers=("gke-gcsfuse-sidecar",),
        keys=_keys(
            "gke-gcsfuse/cpu-limit",
            "gke-gcsfuse/cpu-request",
            "gke-gcsfuse/memory-limit",
            "gke-gcsfuse/memory-request",
        ),
        limits_suffice=True,
        signs=(Sign("gke-gcsfuse/volumes"),),
    ),
    Injector(
        name="GKE",
        containers=("gke-gcsfuse-metadata-prefetch",),
        keys=_keys(
            "gke-gcsfuse/metadata-prefetch-cpu-limit",
            "gke-gcsfuse/metadata-prefetch-cpu-request",
            "gke-gcsfuse/metadata-prefetch-memory-limit",
            "gke-gcsfuse/metadata-prefetch-memory-request",
        ),
        limits_suffice=True,
    ),
    Injector(
        name="the Cloud SQL proxy operator",
        containers=("csql-*",),
        keys=_BLOCK,
        place="its AuthProxyWorkload's spec.authProxyContainer.resources",
    ),
    # ClusterStorageContainer `default`, where it is installed, has the last word about the resources. The sign is
    # KServe's own: it puts the model's URI there. A volume is mounted, a model in an image is a container (modelcar).
    Injector(
        name="KServe",
        containers=("storage-initializer",),
        keys=_CONFIG,
        place=_kserve("storageInitializer") + " and ClusterStorageContainer default",
        signs=(Sign(MODEL_URI, named=True, spares=("pvc://*", "oci://*")),),
    ),
    Injector(
        name="KServe",
        containers=("agent", "kserve-agent"),
        images=("*/kserve/agent*", "*/kserve-agent*"),
        keys=_CONFIG,
        place=_kserve("agent"),
        signs=tuple(Sign(f"{_KSERVE}/{feature}", named=True) for feature in ("agent", "logger", "batcher")),
    ),
    Injector(
        name="KServe",
        containers=("batcher",),
        images=("*/kserve/agent*", "*/kserve-agent*"),
        keys=_CONFIG,
        place=_kserve("batcher"),
    ),
    Injector(
        name="KServe",
        containers=("modelcar", "modelcar-init"),
        advice="write cpuModelcar and memoryModelcar in " + _kserve("storageInitializer"),
        ready=True,
    ),
    Injector(
        name="Knative",
        containers=("queue-proxy",),
        keys=_keys(
            "queue.sidecar.serving.knative.dev/cpu-resource-limit",
            "queue.sidecar.serving.knative.dev/cpu-resource-request",
            "queue.sidecar.serving.knative.dev/memory-resource-limit",
            "queue.sidecar.serving.knative.dev/memory-resource-request",
        ),
    ),
    # Its resources are constants in the operator, and equal.
    Injector(
        name="KubeRay",
        containers=("wait-gcs-ready",),
        advice="set ENABLE_INIT_CONTAINER_INJECTION=false on the operator and write an init container of your own",
        ready=True,
    ),
    Injector(
        name="KubeRay",
        containers=("autoscaler",),
        images=("*ray*",),
        keys=_BLOCK,
        place="the RayCluster's autoscalerOptions.resources",
        ready=True,
    ),
    # Its resources are constants in the operator, and unequal. It adds none where there is one of that name.
    Injector(
        name="AIBrix",
        containers=("aibrix-runtime",),
        advice="write that container yourself, with equal requests and limits",
        signs=(Sign("model.aibrix.ai/sidecar-injection"),),
        on_object=True,
    ),
    Injector(
        name="OpenTelemetry",
        containers=("otc-container",),
        keys=_BLOCK,
        place="its OpenTelemetryCollector's spec.resources",
        signs=(Sign("sidecar.opentelemetry.io/inject", named=True),),
    ),
    Injector(
        name="OpenTelemetry",
        containers=("opentelemetry-auto-instrumentation*",),
        keys=_BLOCK,
        place="its Instrumentation's resourceRequirements of that language",
        signs=(Sign("instrumentation.opentelemetry.io/inject-*", named=True),),
    ),
    Injector(
        name="Fluid",
        containers=("fluid-fuse", "fluid-fuse-*"),
        keys=_BLOCK,
        place="its runtime's spec.fuse.resources",
        signs=(Sign("serverless.fluid.io/inject", label=True), Sign("fuse.serverful.fluid.io/inject", label=True)),
    ),
    Injector(
        name="Datadog",
        containers=("datadog-agent-injected",),
        keys=_BLOCK,
        place="agentSidecarInjection.profiles of the Datadog chart",
        ready=True,
    ),
    Injector(
        name="Datadog",
        containers=("datadog-lib-*-init", "datadog-init-*"),
        advice="set admission_controller.auto_instrumentation.init_resources.cpu and .memory of the cluster agent",
        ready=True,
    ),
)

_A_SIGN: Final = re.compile("|".join(translate(sign.key) for injector in INJECTORS for sign in injector.signs))
"""Any key that is a sign to some injector."""
_A_NAME: Final = re.compile("|".join(translate(name) for injector in INJECTORS for name in injector.containers))
"""Any name that a container of some injector has."""


def of(name: str, image: str = "") -> Injector | None:
    """Find what injects a container of this name; a name that others use too is only found with its image."""
    if _A_NAME.match(name) is None:
        return None
    return next((injector for injector in INJECTORS if injector.injects(name, image)), None)


def cure_of(container: Container, path: Path, wanted: str | None) -> str:
    """Say what injected a container and which setting gives one of its values as `wanted`; "" for all others.

    `path` is the place of the value. Where the injector has no setting for it, what else helps is said.
    """
    side, resource = (str(step) for step in path[-2:])
    if side not in {"limits", "requests"} or resource not in COMPUTE:
        return ""
    injector = of(container.name, container.image)
    if injector is None:
        return ""
    value = unpinned(resource, wanted or EXAMPLES[resource])
    both = side == "limits" or value != wanted
    setting = injector.setting((side, resource), value, both=both)
    rest = f", and likewise for {_OTHER[resource]}" if injector.all_or_none else ""
    return f"{injector.name} injects it: {setting}{rest}"


def coming(facts: PodFacts) -> Iterator[Injector]:
    """Yield what the pod calls by its labels and annotations and has not got yet."""
    if not any(map(_A_SIGN.match, (*facts.labels, *facts.annotations))):  # as most have none, nobody else is asked
        return
    for injector in INJECTORS:
        if injector.is_called(facts.labels, facts.annotations) and injector.adds_to(facts.containers):
            yield injector


def signs_on_objects(annotations: Mapping[str, str]) -> dict[str, str]:
    """Answer those annotations of a workload object that count for its pods: an injector reads them there."""
    keys = {sign.key for injector in INJECTORS if injector.on_object for sign in injector.signs}
    return {key: value for key, value in annotations.items() if key in keys}
