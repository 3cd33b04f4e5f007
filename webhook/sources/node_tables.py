"""Tables of node labels and taints: which tell kinds of nodes apart, which name one node, which pass."""

from collections.abc import Iterable
from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Final

from webhook.sources.evidence import Pairs

INSTANCE_TYPES: Final = (
    "node.kubernetes.io/instance-type",
    "beta.kubernetes.io/instance-type",
    "karpenter.azure.com/sku-name",
)
PRODUCTS: Final = (
    "nvidia.com/gpu.product",
    "amd.com/gpu.product-name",
    "gpu.intel.com/product",
    "cloud.google.com/gke-accelerator",
    "cloud.google.com/gke-tpu-accelerator",
    "karpenter.k8s.aws/instance-gpu-name",
    "karpenter.k8s.aws/instance-accelerator-name",
    "karpenter.azure.com/sku-gpu-name",
)
POOLS: Final = (
    "cloud.google.com/gke-nodepool",
    "eks.amazonaws.com/nodegroup",
    "alpha.eksctl.io/nodegroup-name",
    "karpenter.sh/nodepool",
    "kubernetes.azure.com/agentpool",
    "agentpool",
    "doks.digitalocean.com/node-pool",
    "k8s.ovh.net/nodepool",
    "oke.oraclecloud.com/pool.name",
    "pool.oke.oraclecloud.com/name",
    "machineconfiguration.openshift.io/pool",
    "nodepool.coreweave.com/name",
    "compute.coreweave.com/node-pool",
)
_COUNTS: Final = (
    "nvidia.com/gpu.count",
    "nvidia.com/gpu.replicas",
    "nvidia.com/mig.config",
    "cloud.google.com/gke-accelerator-count",
    "karpenter.k8s.aws/instance-gpu-count",
    "karpenter.azure.com/sku-gpu-count",
    "amd.com/gpu.compute-memory-partition",
    "kubernetes.io/arch",
)
IDENTIFYING: Final = (*INSTANCE_TYPES, *PRODUCTS, *POOLS, *_COUNTS)
"""Nodes that differ in one of these are of different classes; zones, capacity types and versions are not among them."""

_TELLING: Final = (
    "feature.node.kubernetes.io/cpu-hardware_multithreading",
    "feature.node.kubernetes.io/cpu-model.",
    "gpu.intel.com/numa-gpu-map",
)
_OF_ONE_NODE: Final = (
    "kubernetes.io/hostname",
    "k3s.io/hostname",
    "k3s.io/internal-ip",
    "rke.cattle.io/machine",
    "alpha.eksctl.io/instance-id",
    "node.kubernetes.io/instance-id",
    "cloud.google.com/gce-topology-host",
    "openebs.io/nodename",
    "linbit.com/hostname",
    "topology.topolvm.io/node",
    "topology.hostpath.csi/node",
)
_PASSING_LABELS: Final = (
    "nvidia.com/gfd.timestamp",
    "nvidia.com/*-state",
    "nvidia.com/*.state",
    "amd.com/*-state",
    "karpenter.sh/initialized",
    "karpenter.sh/registered",
)
_NOT_DECLARED: Final = (
    "feature.node.kubernetes.io/cpu-cpuid.*",
    "feature.node.kubernetes.io/cpu-power*",
    "feature.node.kubernetes.io/kernel-*",
    "feature.node.kubernetes.io/system-*",
    "feature.node.kubernetes.io/storage-*",
    "feature.node.kubernetes.io/network-*",
    "feature.node.kubernetes.io/usb-*",
    "nvidia.com/gpu.deploy.*",
    "nvidia.com/cuda.*",
)
_PASSING_TAINTS: Final = (
    "node.kubernetes.io/*",
    "node.cloudprovider.kubernetes.io/*",
    "node.cluster.x-k8s.io/uninitialized",
    "ToBeDeletedByClusterAutoscaler",
    "DeletionCandidateOfClusterAutoscaler",
    "karpenter.sh/disrupt*",
    "karpenter.sh/unregistered",
    "cloud.google.com/impending-node-termination",
    "remediation.medik8s.io/*",
    "medik8s.io/*",
    "aws-node-termination-handler/*",
    "nvidia.com/gpu-driver-upgrade",
    "*/agent-not-ready",
    "*/not-ready",
)
MOST_DECLARED: Final = 64
"""A class declares at most this many labels: a selector on any other key counts as satisfiable."""


def kept(labels: Mapping[str, object], node: str) -> Pairs:
    """Answer the labels that more than one node may carry and that do not pass, in the order of their keys."""
    return tuple(
        (key, value)
        for key, value in sorted(labels.items())
        if isinstance(value, str) and value != node and not _names_or_passes(key)
    )


def identity(labels: Pairs) -> Pairs:
    """Answer the labels by which kinds of nodes are told apart."""
    return tuple(pair for pair in labels if pair[0] in _IDENTIFYING)


@lru_cache(maxsize=4096)
def tells(key: str) -> bool:
    """Tell whether a source of topology reads the label."""
    return key in _IDENTIFYING or key.startswith(_TELLING)


def declared(shared: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Choose, of the labels that all nodes of a class share, those that the class declares."""
    pairs = sorted(pair for pair in shared if not _is_noise(pair[0]))
    first = [pair for pair in pairs if pair[0] in _IDENTIFYING]
    rest = [pair for pair in pairs if pair[0] not in _IDENTIFYING]
    return dict(sorted((first + rest)[:MOST_DECLARED]))


def first_of(labels: Mapping[str, str], keys: Iterable[str]) -> str:
    """Answer the value of the first of `keys` that is there, or ""."""
    return next((labels[key] for key in keys if labels.get(key)), "")


@lru_cache(maxsize=1024)
def lasts(taint_key: str) -> bool:
    """Tell a taint that describes the node from one that a condition sets and clears."""
    return not any(fnmatchcase(taint_key, pattern) for pattern in _PASSING_TAINTS)


@lru_cache(maxsize=4096)
def _names_or_passes(key: str) -> bool:
    return key in _OF_ONE_NODE or any(fnmatchcase(key, pattern) for pattern in _PASSING_LABELS)


@lru_cache(maxsize=4096)
def _is_noise(key: str) -> bool:
    return any(fnmatchcase(key, pattern) for pattern in _NOT_DECLARED)


_IDENTIFYING: Final = frozenset(IDENTIFYING)
