"""Lets `numagate verify`, with the files of its own image, look at the guest from inside."""

import json
from typing import Any

import yaml
from controlplane.identity import NODE
from node import pods
from node.guest import Guest
from node.kubelet import Kubelet
from node.kubelet import here_document

LOOK_SECONDS = 600
PYTHON = "$(dirname $(readlink -f /usr/bin/numagate))/python"
"""The Python of numagate's image, in the guest's shell."""

POLICY = {
    "apiVersion": "numagate.io/v1alpha1",
    "kind": "AlignmentPolicy",
    "metadata": {"name": "node"},
    # Every pod with accelerators is judged, and at once: containers have nothing to settle here.
    "spec": {"governs": "accelerators", "verification": {"settleSeconds": 0}},
}

Report = dict[str, Any]
Outcomes = dict[str, str]


def start(guest: Guest) -> None:
    """Start the program that looks: it has loaded everything by the time that it is asked."""
    guest.run(
        "[ ! -e /run/look/asked ] || exit 0\nmkdir -p /run/look\n"
        f"setsid {PYTHON} /usr/lib/numagate/looker.py > /var/log/looker.log 2>&1 < /dev/null &\n"
    )


def look(kubelet: Kubelet) -> Report:
    """Run one look at all pods of the node; answer the JSON report, whatever it says of them."""
    return ask(kubelet, hand_over(kubelet, pods_of_node(kubelet)))


def ask(kubelet: Kubelet, arguments: list[str]) -> Report:
    """Let the program in the guest run a command line; answer the JSON that it prints."""
    said = kubelet.guest.run(
        "rm -f /run/look/status\n"
        "until [ -p /run/look/asked ]; do sleep 0.1; done\n"
        + here_document("/run/look/asked", json.dumps(arguments))
        + "until [ -e /run/look/status ]; do sleep 0.05; done\n"
        "cat /run/look/out\n[ $(cat /run/look/status) -le 1 ]\n",
        seconds=LOOK_SECONDS,
    )
    report: Report = json.loads(said)
    return report


def pods_of_node(kubelet: Kubelet) -> list[Report]:
    """Answer the pods that are bound to the node, without what field managers say."""
    answer = kubelet.cluster.request("GET", f"{pods.EVERYWHERE}?fieldSelector=spec.nodeName={NODE}")
    found = [{"apiVersion": "v1", "kind": "Pod", **pod} for pod in answer.body["items"]]
    for pod in found:
        pod["metadata"].pop("managedFields", None)
    return found


def hand_over(kubelet: Kubelet, found: list[Report]) -> list[str]:
    """Write pods and policy into the guest; answer the arguments of a look at them."""
    listed = json.dumps({"apiVersion": "v1", "kind": "List", "items": found})
    kubelet.guest.run(
        "mkdir -p /run/look\n"
        + here_document("/run/look/pods.json", listed)
        + here_document("/run/look/policy.yaml", yaml.safe_dump(POLICY))
    )
    arguments = ["verify", "--node", NODE, "--pods", "/run/look/pods.json", "--policy", "/run/look/policy.yaml"]
    return [*arguments, "--interval", "0", "--output", "json"]


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
