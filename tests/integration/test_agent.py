"""The agent against a real API server, with the rights and the guard of the rendering: what it tells, and when not."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from controlplane import agents
from controlplane.agents import running
from controlplane.cluster import ControlPlane
from controlplane.process import Daemon
from controlplane.process import free_ports
from controlplane.process import until
from gpupods import gpu_pod
from scriptednode import ALIGNED
from scriptednode import FAR
from scriptednode import NOT_STARTED
from scriptednode import SETTLING
from scriptednode import UNSEEN
from scriptednode import ScriptedNode

from webhook.domain import keys
from webhook.domain.expectation import Expectation
from webhook.domain.raw import JsonObject

TYPE = "numagate.io/Aligned"
GATED = {"readinessGates": [{"conditionType": TYPE}]}
NAMESPACE = "default"
PODS = f"/api/v1/namespaces/{NAMESPACE}/pods"


@pytest.fixture(scope="module")
def numbers() -> Iterator[int]:
    """Count nodes, so that no test meets another's pods."""
    return iter(range(1, 1000))


@pytest.fixture
def node(agent_cluster: ControlPlane, numbers: Iterator[int]) -> ScriptedNode:
    """Answer a node of the test's own, with an agent's pod whose token names it."""
    name = f"gpu-{next(numbers)}"
    agents.add_node(agent_cluster, name)
    return ScriptedNode(name)


def add_pod(
    cluster: ControlPlane, node: ScriptedNode, *, shows: str = ALIGNED, gated: bool = False, **extra: Any
) -> str:
    """Create a pod with a GPU on a node; answer its name."""
    name = f"llm-{node.name}"
    node.show(name, shows)
    made = gpu_pod(NAMESPACE, name, **extra)
    spec = {**made["spec"], "nodeName": node.name, "serviceAccountName": "default", **(GATED if gated else {})}
    agents.created(cluster, PODS, {**made, "spec": spec})
    return name


def condition(cluster: ControlPlane, pod: str) -> dict[str, Any]:
    """Answer the condition of a pod, empty where it has none."""
    status = cluster.request("GET", f"{PODS}/{pod}").body["status"]
    return next((one for one in status.get("conditions", []) if one["type"] == TYPE), {})


def stands(cluster: ControlPlane, pod: str, status: str) -> dict[str, Any]:
    """Wait until the condition has this status; answer it."""
    until(lambda: condition(cluster, pod).get("status") == status, what=f"{TYPE} of {pod} to be {status}")
    return condition(cluster, pod)


def events(cluster: ControlPlane, pod: str) -> list[tuple[str, str]]:
    """Answer type and reason of the events about a pod, in the order of their creation."""
    found = cluster.request("GET", f"/apis/events.k8s.io/v1/namespaces/{NAMESPACE}/events").body["items"]
    about = [one for one in found if one["regarding"].get("name") == pod]
    return [(one["type"], one["reason"]) for one in sorted(about, key=lambda one: one["eventTime"])]


def alignment(cluster: ControlPlane, node: ScriptedNode) -> JsonObject:
    """Answer the NodeAlignment of a node, empty where there is none."""
    answer = cluster.request("GET", f"/apis/numagate.io/v1alpha1/nodealignments/{node.name}")
    return answer.body if answer.status == 200 else {}


def test_a_pod_that_has_what_it_was_promised_is_told_so_once(agent_cluster: ControlPlane, node: ScriptedNode) -> None:
    pod = add_pod(agent_cluster, node)
    with running(agent_cluster, node) as agent:
        told = stands(agent_cluster, pod, "True")
        agent.until_looked(3)
        writes = agent.metric('numagate_agent_writes_total{what="condition"}')

    assert (told["reason"], told["message"]) == ("Aligned", "the pod has what it was promised")
    assert condition(agent_cluster, pod) == told
    assert events(agent_cluster, pod) == [("Normal", "Aligned")]
    assert writes == 1


def test_kubectl_can_wait_for_it(agent_cluster: ControlPlane, node: ScriptedNode) -> None:
    pod = add_pod(agent_cluster, node)
    with running(agent_cluster, node):
        done = agent_cluster.kubectl("wait", f"--for=condition={TYPE}", "--timeout=20s", f"pod/{pod}")

    assert done.stdout == f"pod/{pod} condition met\n"


def test_a_misaligned_pod_is_told_what_is_wrong_and_when_it_is_over(
    agent_cluster: ControlPlane, node: ScriptedNode
) -> None:
    pod = add_pod(agent_cluster, node, shows=FAR, gated=True)
    with running(agent_cluster, node) as agent:
        wrong = stands(agent_cluster, pod, "False")
        until(lambda: agent.metric("numagate_agent_held_back_pods") == 1, what="the metric")
        misaligned = agent.metric('numagate_agent_pods{outcome="misaligned"}')
        node.show(pod, ALIGNED)
        right = stands(agent_cluster, pod, "True")

    assert (wrong["reason"], misaligned) == ("Misaligned", 1)
    assert "its CPUs are on NUMA node 1, its devices on NUMA node 0" in wrong["message"]
    assert right["reason"] == "Aligned"
    assert events(agent_cluster, pod) == [("Warning", "Misaligned"), ("Normal", "Aligned")]


def test_who_was_aligned_once_stays_in_service_while_something_passes(
    agent_cluster: ControlPlane, node: ScriptedNode
) -> None:
    pod = add_pod(agent_cluster, node, gated=True)
    with running(agent_cluster, node) as agent:
        stands(agent_cluster, pod, "True")
        node.show(pod, FAR)
        until(lambda: agent.metric('numagate_agent_pods{outcome="misaligned"}') == 1, what="the finding")
        agent.until_looked(3)

        assert condition(agent_cluster, pod)["status"] == "True"


def test_what_lasts_takes_it_out_of_service(agent_cluster: ControlPlane, node: ScriptedNode) -> None:
    pod = add_pod(agent_cluster, node, gated=True)
    with running(agent_cluster, node, lasting_seconds=0.3):
        before = stands(agent_cluster, pod, "True")
        node.show(pod, FAR)
        after = stands(agent_cluster, pod, "False")

    assert before["reason"], after["reason"] == ("Aligned", "Misaligned")


@pytest.mark.parametrize(
    ("gated", "status", "reason"), [(True, "True", "UnknownCountsAsReady"), (False, "Unknown", "NotKnown")]
)
def test_what_cannot_be_told_keeps_nobody_from_being_ready(
    agent_cluster: ControlPlane, node: ScriptedNode, gated: bool, status: str, reason: str
) -> None:
    pod = add_pod(agent_cluster, node, shows=UNSEEN, gated=gated)
    with running(agent_cluster, node, lasting_seconds=0.3):
        told = stands(agent_cluster, pod, status)

    assert told["reason"] == reason
    assert "its cgroup was not found" in told["message"]


@pytest.mark.parametrize("shows", [NOT_STARTED, SETTLING])
def test_nothing_is_told_before_a_container_has_settled(
    agent_cluster: ControlPlane, node: ScriptedNode, shows: str
) -> None:
    pod = add_pod(agent_cluster, node, shows=shows, gated=True)
    with running(agent_cluster, node) as agent:
        agent.until_looked(3)
        early = condition(agent_cluster, pod)
        node.show(pod, ALIGNED)
        stands(agent_cluster, pod, "True")

    assert early == {}


def test_a_gate_of_a_pod_that_was_promised_nothing_is_opened(agent_cluster: ControlPlane, node: ScriptedNode) -> None:
    made = agents.bare_pod(NAMESPACE, f"web-{node.name}", node.name, **GATED, serviceAccountName="default")
    agents.created(agent_cluster, PODS, made)
    with running(agent_cluster, node):
        told = stands(agent_cluster, f"web-{node.name}", "True")

    assert told["reason"] == "NothingPromised"


def test_a_gate_of_a_pod_that_is_newer_than_the_policies_waits_for_newer_ones(
    agent_cluster: ControlPlane, node: ScriptedNode
) -> None:
    promise = Expectation("aligned", 1, {}, "default", "newer").encode()
    try:
        agents.put_world(agent_cluster, match={"namespaceSelector": {"matchLabels": {"tier": "another"}}})
        with running(agent_cluster, node, ask_seconds=0.1) as agent:
            agent.until_looked()
            agents.put_world(agent_cluster)
            pod = add_pod(agent_cluster, node, shows=FAR, gated=True, annotations={keys.ALIGNMENT: promise})
            told = stands(agent_cluster, pod, "False")
    finally:
        agents.put_world(agent_cluster)

    assert told["reason"] == "Misaligned"
    assert ("Normal", "NothingPromised") not in events(agent_cluster, pod)


def test_what_no_newer_policy_promises_either_is_opened(agent_cluster: ControlPlane, node: ScriptedNode) -> None:
    promise = Expectation("aligned", 1, {}, "deleted", "older").encode()
    made = agents.bare_pod(NAMESPACE, f"web-{node.name}", node.name, **GATED, serviceAccountName="default")
    made["metadata"]["annotations"] = {keys.ALIGNMENT: promise}
    with running(agent_cluster, node, ask_seconds=0.1) as agent:
        agent.until_looked()
        agents.created(agent_cluster, PODS, made)
        told = stands(agent_cluster, f"web-{node.name}", "True")

    assert told["reason"] == "NothingPromised"


def test_a_forged_promise_is_told_and_counts_for_nothing(agent_cluster: ControlPlane, node: ScriptedNode) -> None:
    pod = add_pod(agent_cluster, node, annotations={"numagate.io/alignment": '{"v":1}'})
    with running(agent_cluster, node) as agent:
        stands(agent_cluster, pod, "True")
        agent.until_looked()
        forged = agent.metric("numagate_agent_forged_promises")

    assert sorted(events(agent_cluster, pod)) == [("Normal", "Aligned"), ("Warning", "PromiseForged")]
    assert forged == 1


def test_an_agent_that_starts_anew_tells_nothing_twice(agent_cluster: ControlPlane, node: ScriptedNode) -> None:
    pod = add_pod(agent_cluster, node, shows=FAR)
    with running(agent_cluster, node):
        stands(agent_cluster, pod, "False")
    before = agent_cluster.request("GET", f"{PODS}/{pod}").body
    with running(agent_cluster, node) as again:
        again.until_looked(3)
        writes = [again.metric(f'numagate_agent_writes_total{{what="{what}"}}') for what in ("condition", "event")]

    assert agent_cluster.request("GET", f"{PODS}/{pod}").body == before
    assert (events(agent_cluster, pod), writes) == ([("Warning", "Misaligned")], [0, 0])


def test_the_object_of_the_node_says_what_was_found_and_goes_with_the_node(
    agent_cluster: ControlPlane, node: ScriptedNode
) -> None:
    pod = add_pod(agent_cluster, node, shows=FAR)
    with running(agent_cluster, node):
        until(lambda: alignment(agent_cluster, node), what="the object")
        until(lambda: alignment(agent_cluster, node)["spec"]["pods"]["misaligned"] == 1, what="the count")
    found: dict[str, Any] = dict(alignment(agent_cluster, node))
    uid = agent_cluster.request("GET", f"/api/v1/nodes/{node.name}").body["metadata"]["uid"]

    assert [one["name"] for one in found["spec"]["pods"]["misalignedPods"]] == [pod]
    assert (found["spec"]["numaNodes"], found["spec"]["kubelet"]["topologyManagerPolicy"]) == (2, "single-numa-node")
    assert [(one["kind"], one["uid"]) for one in found["metadata"]["ownerReferences"]] == [("Node", uid)]


def test_an_agent_knows_the_pods_of_its_node_only(
    agent_cluster: ControlPlane, node: ScriptedNode, numbers: Iterator[int]
) -> None:
    other = ScriptedNode(f"gpu-{next(numbers)}")
    agents.add_node(agent_cluster, other.name)
    add_pod(agent_cluster, other, shows=FAR)
    pod = add_pod(agent_cluster, node)
    with running(agent_cluster, node) as agent:
        stands(agent_cluster, pod, "True")
        known = {one["metadata"]["name"] for one in agent.service.pods.running()}  # type: ignore[index]

    assert known == {pod, f"agent-{node.name}"}
    assert node.read == {pod}
    assert condition(agent_cluster, f"llm-{other.name}") == {}


def test_a_bug_about_the_node_ends_nothing(agent_cluster: ControlPlane, node: ScriptedNode) -> None:
    pod = add_pod(agent_cluster, node)
    node.trouble = RuntimeError("a bug")
    with running(agent_cluster, node) as agent:
        until(lambda: agent.metric("numagate_agent_look_failures_total") >= 2, what="failed looks")
        unready = agent.probe("/readyz").status_code
        node.trouble = None
        stands(agent_cluster, pod, "True")
        until(lambda: agent.probe("/readyz").status_code == 200, what="readiness")

    assert unready == 503


def test_an_api_server_that_is_away_is_waited_for(agent_cluster: ControlPlane, node: ScriptedNode) -> None:
    pod = add_pod(agent_cluster, node)
    with running(agent_cluster, node, lasting_seconds=0.1) as agent:
        stands(agent_cluster, pod, "True")
        agent_cluster.stop_api_server(seconds=0)
        try:
            node.show(pod, FAR)
            until(lambda: agent.metric('numagate_agent_write_failures_total{what="event"}') >= 2, what="failures")
            probes = [agent.probe(path).status_code for path in ("/healthz", "/readyz")]
        finally:
            agent_cluster.start_api_server()
        told = stands(agent_cluster, pod, "False")

    assert (probes, told["reason"]) == ([200, 200], "Misaligned")


def test_the_command_looks_at_a_folder_and_tells_until_a_signal_ends_it(
    agent_cluster: ControlPlane, node: ScriptedNode, tmp_path: Path
) -> None:
    # An empty folder is a host that shows nothing: all of it is unread, with the reason.
    pod = add_pod(agent_cluster, node)
    (port,) = free_ports(1)
    command = [sys.executable, "-m", "webhook", "verify", "--watch", f"--node={node.name}", f"--root={tmp_path}"]
    command += [f"--kubeconfig={agent_cluster.kubeconfig(f'agent@{node.name}')}", "--bind=127.0.0.1"]
    path = {"PATH": os.defpath, "PYTHONPATH": os.pathsep.join(sys.path)}
    daemon = Daemon("agent", [*command, f"--probe-port={port}"], folder=tmp_path, env=path)
    try:
        until(lambda: alignment(agent_cluster, node), what=f"the object; {daemon.tail()}", seconds=40)
        ready = httpx.get(f"http://127.0.0.1:{port}/readyz?verbose", trust_env=False)
    finally:
        ended = daemon.stop()
    found: Any = alignment(agent_cluster, node)

    assert (ready.status_code, ended) == (200, 0), daemon.tail()
    assert {"kubelet", "devices"} <= {one["field"] for one in found["spec"]["unread"]}
    assert condition(agent_cluster, pod) == {}
