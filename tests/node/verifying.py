"""Lets `numagate verify`, with the files of its own image, look at the guest from inside."""

import json
from typing import Any

import yaml
from controlplane.identity import NODE

from node import pods
from node.kubelet import FOLDER
from node.kubelet import Kubelet
from node.kubelet import here_document

VERIFY_SECONDS = 300

POLICY = {
    "apiVersion": "numagate.io/v1alpha1",
    "kind": "AlignmentPolicy",
    "metadata": {"name": "node"},
    # Every pod with accelerators is judged, and at once: containers have nothing to settle here.
    "spec": {"governs": "accelerators", "verification": {"settleSeconds": 0}},
}

Report = dict[str, Any]
Outcomes = dict[str, str]


def look(kubelet: Kubelet) -> Report:
    """Run one look at all pods of the node; answer the JSON report, whatever it says of them."""
    answer = kubelet.cluster.request("GET", f"{pods.EVERYWHERE}?fieldSelector=spec.nodeName={NODE}")
    found = [{"apiVersion": "v1", "kind": "Pod", **pod} for pod in answer.body["items"]]
    said = kubelet.guest.run(
        here_document("/run/pods.json", json.dumps({"apiVersion": "v1", "kind": "List", "items": found}))
        + here_document("/run/policy.yaml", yaml.safe_dump(POLICY))
        + f"numagate verify --node {NODE} --pods /run/pods.json --policy /run/policy.yaml --output json --interval 0 "
        f"--kubelet-config {FOLDER}/kubelet.json || [ $? = 1 ]",
        seconds=VERIFY_SECONDS,
    )
    report: Report = json.loads(said)
    return report


def pod_of(report: Report, name: str) -> Report:
    """Answer what the report says of a pod."""
    (found,) = [pod for pod in report["pods"] if pod["name"] == name]
    return dict(found)


def outcomes(report: Report, name: str) -> Outcomes:
    """Answer the outcome of each rule for a pod; a rule that speaks twice has to say the same."""
    said: Outcomes = {}
    for rule in pod_of(report, name)["rules"]:
        assert said.setdefault(rule["rule"], rule["outcome"]) == rule["outcome"], rule
    return said


def misaligned(report: Report, name: str) -> set[str]:
    """Answer the rules that a pod breaks."""
    return {rule for rule, outcome in outcomes(report, name).items() if outcome == "misaligned"}
