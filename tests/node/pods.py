"""Pods on the test node: made, judged by its kubelet, and taken away."""

from collections.abc import Mapping
from typing import Any

import httpx
from controlplane.cluster import Answer
from controlplane.cluster import ControlPlane
from controlplane.identity import NODE
from controlplane.process import until
from node.image import BUSYBOX_IMAGE
from node.kubelet import Kubelet

Raw = dict[str, Any]

PATH = "/api/v1/namespaces/default/pods"
EVERYWHERE = "/api/v1/pods"
VERDICT_SECONDS = 200
RUNNING_SECONDS = 400
MEGABYTES = 16
"""Of its own, what a pod of `filling` has. Of a few pages some always lie elsewhere: from before its CPUs were set."""

NOWHERE = "nowhere"
"""The ConfigMap that a held pod waits for."""


def on_node(pod: Mapping[str, Any], name: str, *, held: bool = False) -> Raw:
    """Complete a pod so that it runs on the node without a scheduler.

    A `held` one is admitted and gets what it is to have, but never starts, since one of its volumes is not there.
    """
    spec = {
        "nodeName": NODE,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": 0,
        **pod["spec"],
    }
    for key in ("initContainers", "containers"):
        spec[key] = [
            {"image": BUSYBOX_IMAGE, "imagePullPolicy": "Never", **container} for container in pod["spec"].get(key, ())
        ]
    if held:
        spec["volumes"] = [{"name": NOWHERE, "configMap": {"name": NOWHERE}}]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def filling(prefix: str = "") -> str:
    """Write a shell script that holds some memory; `prefix` is put before the program that does: tail keeps the end.

    >>> filling("taskset 0x2 ")
    '{ head -c 16777216 /dev/zero; exec sleep 86400; } | taskset 0x2 tail -c 16777216 > /dev/null'
    """
    size = MEGABYTES << 20
    return f"{{ head -c {size} /dev/zero; exec sleep 86400; }} | {prefix}tail -c {size} > /dev/null"


def create(cluster: ControlPlane, pod: Raw) -> Answer:
    """Ask the API server to create a pod."""
    return cluster.request("POST", PATH, pod)


def judged(kubelet: Kubelet, uid: str) -> Raw:
    """Wait until the kubelet has admitted or refused a pod; answer the status that it has for it.

    A start time says nothing: right after the kubelet's start a refused pod is Pending for a while, until the kubelet
    knows that no container of it can be running (pkg/kubelet/status/status_manager.go:mergePodStatus). Conditions of
    its own it writes for admitted pods only.
    """

    def status() -> Raw | None:
        for pod in kubelet.pods():
            found = dict(pod["status"])
            kinds = {one["type"] for one in found.get("conditions", ())}
            if pod["metadata"]["uid"] == uid and (found["phase"] == "Failed" or "Initialized" in kinds):
                return found
        return None

    found = until(status, seconds=VERDICT_SECONDS, what="the kubelet's verdict on the pod")
    assert found is not None
    return found


def run(kubelet: Kubelet, name: str, limits: Mapping[str, str], script: str, **metadata: Any) -> Raw:
    """Create a pod whose one container, `server`, runs a shell script; wait until it does, and answer the pod."""
    container = {"name": "server", "command": ["sh", "-c", script], "resources": {"limits": dict(limits)}}
    pod = on_node({"spec": {"containers": [container]}}, name)
    pod["metadata"] |= metadata
    answer = create(kubelet.cluster, pod)
    assert answer.status == httpx.codes.CREATED, answer.body

    def running() -> Raw | None:
        found = kubelet.cluster.request("GET", f"{PATH}/{name}").body
        phase = found["status"].get("phase")
        assert phase in {"Pending", "Running"}, found["status"]
        return found if phase == "Running" else None

    found = until(running, seconds=RUNNING_SECONDS, what=f"running containers of {name}")
    assert found is not None
    return found


def annotate(cluster: ControlPlane, name: str, annotations: Mapping[str, str | None]) -> None:
    """Set annotations of a pod; None removes one."""
    patch = {"metadata": {"annotations": dict(annotations)}}
    answer = cluster.request("PATCH", f"{PATH}/{name}", patch, content="application/merge-patch+json")
    assert answer.status == httpx.codes.OK, answer.body


def remove_all(cluster: ControlPlane) -> None:
    """Delete every pod of every namespace at once, without a word to the kubelet."""
    answer = cluster.request("GET", EVERYWHERE)
    assert answer.status == httpx.codes.OK, answer.body
    for pod in answer.body["items"]:
        namespace, name = pod["metadata"]["namespace"], pod["metadata"]["name"]
        cluster.request("DELETE", f"/api/v1/namespaces/{namespace}/pods/{name}?gracePeriodSeconds=0")
