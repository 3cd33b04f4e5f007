"""Writes objects that ask for accelerators, for tests against a real cluster."""

from typing import Any

from caseobjects import KINDS
from caseobjects import Object
from caseobjects import builtin
from caseobjects import pod

IMAGE = "registry.internal/ai/vllm:v0.4.6"
"""An image that is recognised as serving a model, so that the built-in policy governs the pod."""
RIGHT = "8/64Gi/1"
REPAIRED = "7500m/64Gi/1"
"""Becomes 8 CPUs."""
UNFIT = "8/64Gi/8"
"""Eight GPUs where a NUMA node has four."""


def gpu_pod(namespace: str, name: str = "one", resources: str = RIGHT, **extra: Any) -> Object:
    """Write a pod with a container `server` that has `resources`; `extra` is as in the table of cases."""
    written = pod({"containers": {"server": resources, **extra.pop("helpers", {})}, **extra})
    written["spec"]["containers"][0]["image"] = IMAGE
    metadata = {**written.get("metadata", {}), "name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "Pod", **written, "metadata": metadata}


def gpu_workload(kind: str, namespace: str, name: str = "one", resources: str = RIGHT, **spec: Any) -> Object:
    """Write an object of a built-in kind whose pods have `resources`; `spec` goes into its own spec."""
    inner = gpu_pod(namespace, name, resources)
    made = builtin(kind, {"spec": inner["spec"]}, name, {"spec": spec} if spec else {})
    return {"apiVersion": KINDS[kind][0], "kind": kind, "metadata": {"name": name, "namespace": namespace}, **made}


def plain_pod(namespace: str, name: str = "plain") -> Object:
    """Write a pod without accelerators."""
    written = pod({"containers": {"web": "100m/128Mi"}})
    return {"apiVersion": "v1", "kind": "Pod", **written, "metadata": {"name": name, "namespace": namespace}}
