"""What agents may write, held by a real API server: each clause refuses what it is for, and the agent's work passes."""

from typing import Any

import pytest
from controlplane import agents
from controlplane.cluster import Answer
from controlplane.cluster import ControlPlane
from controlplane.process import until

MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"
NODE = "node-a"
OTHER = "node-b"
AGENT = f"agent@{NODE}"
NAMELESS = "agent@nowhere"
FORBIDDEN = 403
STATUS = "/api/v1/namespaces/default/pods/{}/status"


@pytest.fixture(scope="module")
def cluster(agent_cluster: ControlPlane) -> ControlPlane:
    """Answer a cluster with two nodes, an agent and a pod on each, and a token that is bound to no pod."""
    for node in (NODE, OTHER):
        agents.add_node(agent_cluster, node)
        pod = agents.bare_pod("default", f"pod-{node}", node)
        agents.created(agent_cluster, "/api/v1/namespaces/default/pods", pod)
        started = {"status": {"startTime": "2026-11-30T11:00:00Z"}}
        patch(agent_cluster, STATUS.format(f"pod-{node}"), started, user="admin")
    agent_cluster.identity.tokens[NAMELESS] = agents.token(agent_cluster, None)
    until(lambda: _refuses(agent_cluster), what="the guard")
    return agent_cluster


def _refuses(running: ControlPlane) -> bool:
    """Tell whether each of the three policies is in force."""
    answers = (condition(running, user=NAMELESS), report(running, user=NAMELESS), event(running, user=NAMELESS))
    return [answer.status for answer in answers] == [FORBIDDEN] * 3


def condition(
    cluster: ControlPlane, *, user: str = AGENT, node: str = NODE, name: str = "numagate.io/Aligned"
) -> Answer:
    """Set a condition of the pod of a node."""
    body = {"status": {"conditions": [{"type": name, "status": "True", "reason": "Aligned", "message": "m"}]}}
    return patch(cluster, STATUS.format(f"pod-{node}"), body, user=user, content=STRATEGIC)


def patch(cluster: ControlPlane, path: str, body: Any, *, user: str = AGENT, content: str = MERGE) -> Answer:
    """Patch an object."""
    return cluster.request("PATCH", path, body, user=user, content=content)


def report(cluster: ControlPlane, *, user: str = AGENT, node: str = NODE, **metadata: Any) -> Answer:
    """Apply the NodeAlignment of a node."""
    body = {
        "apiVersion": "numagate.io/v1alpha1",
        "kind": "NodeAlignment",
        "metadata": {"name": node, **metadata},
        "spec": {
            "observed": "2026-11-30T12:00:00Z",
            "agent": {"version": "1"},
            "pods": {"aligned": 0, "misaligned": 0, "unknown": 0},
        },
    }
    path = f"/apis/numagate.io/v1alpha1/nodealignments/{node}?fieldManager=agent&force=true"
    return patch(cluster, path, body, user=user, content=APPLY)


def event(
    cluster: ControlPlane, *, user: str = AGENT, metadata: dict[str, Any] | None = None, **changes: Any
) -> Answer:
    """Create an event about a pod."""
    body = {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"generateName": "event-", "namespace": "default", **(metadata or {})},
        "eventTime": "2026-11-30T12:00:00.000000Z",
        "type": "Normal",
        "reason": "Aligned",
        "action": "Verify",
        "reportingController": "numagate.io/agent",
        "reportingInstance": NODE,
        "regarding": {"apiVersion": "v1", "kind": "Pod", "namespace": "default", "name": "pod-node-a"},
        **changes,
    }
    return cluster.request("POST", "/apis/events.k8s.io/v1/namespaces/default/events", body, user=user)


def events_of(cluster: ControlPlane, name: str) -> str:
    """Answer the path of an event."""
    del cluster
    return f"/apis/events.k8s.io/v1/namespaces/default/events/{name}"


SERIES = {"series": {"count": 2, "lastObservedTime": "2026-11-30T12:01:00.000000Z"}}


def refused(answer: Answer, by: str, why: str) -> bool:
    """Tell whether a policy of ours refused, for this reason."""
    message = answer.body.get("message", "")
    return answer.status == FORBIDDEN and by in message and why in message


def test_an_agent_writes_the_condition_of_a_pod_of_its_node(cluster: ControlPlane) -> None:
    assert condition(cluster).status == 200


def test_a_pod_of_a_hundred_containers_is_within_what_the_guard_may_cost(cluster: ControlPlane) -> None:
    names = [f"container-{number}" for number in range(100)]
    containers = [{"name": name, "image": "registry.internal/pause:1"} for name in names]
    pod = agents.bare_pod("default", "large", NODE, containers=containers)
    pod["metadata"]["annotations"] = {f"example.com/{number}": "x" * 1000 for number in range(100)}
    agents.created(cluster, "/api/v1/namespaces/default/pods", pod)
    waiting = {"waiting": {"reason": "CrashLoopBackOff", "message": "x" * 1000}}
    seen = {"image": "i", "imageID": "i", "ready": False, "restartCount": 0, "state": waiting, "lastState": waiting}
    status = {"containerStatuses": [{"name": name, **seen} for name in names]}
    path = STATUS.format("large")

    written = patch(cluster, path, {"status": status}, user="admin")
    ours = {"type": "numagate.io/Aligned", "status": "True"}
    answer = patch(cluster, path, {"status": {"conditions": [ours]}}, content=STRATEGIC)

    assert (written.status, answer.status) == (200, 200), answer.body


def test_an_agent_writes_no_condition_of_a_pod_of_another_node(cluster: ControlPlane) -> None:
    assert refused(
        condition(cluster, node=OTHER), "agents-pods", "pods of its own node only; this one is of node node-a"
    )


@pytest.mark.parametrize("name", ["Ready", "PodScheduled", "numagate.io/aligned"])
def test_an_agent_writes_no_other_condition(cluster: ControlPlane, name: str) -> None:
    assert refused(condition(cluster, name=name), "agents-pods", "the condition numagate.io/Aligned and no other")


def test_an_agent_takes_no_other_condition_away(cluster: ControlPlane) -> None:
    path = STATUS.format("pod-node-a")
    ready = {"type": "Ready", "status": "True"}
    patch(cluster, path, {"status": {"conditions": [ready]}}, user="admin", content=STRATEGIC)

    without = patch(cluster, path, {"status": {"conditions": []}})

    assert refused(without, "agents-pods", "the condition numagate.io/Aligned and no other")


@pytest.mark.parametrize(
    "status",
    [
        {"phase": "Failed"},
        {"podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.1"}]},
        {"reason": "Evicted"},
        {"startTime": None},
    ],
    ids=lambda status: next(iter(status)),
)
def test_an_agent_writes_nothing_else_of_a_status(cluster: ControlPlane, status: dict[str, Any]) -> None:
    answer = patch(cluster, STATUS.format("pod-node-a"), {"status": status})

    assert refused(answer, "agents-pods", "conditions of a pod's status and nothing else")


@pytest.mark.parametrize(
    "metadata",
    [
        {"labels": {"app": "another"}},
        {"labels": {"more": "a"}},
        {"annotations": {"numagate.io/alignment": "{}"}},
        {"finalizers": ["numagate.io/kept"]},
    ],
    ids=["label", "new-label", "annotation", "finalizer"],
)
def test_an_agent_leaves_metadata_alone(cluster: ControlPlane, metadata: dict[str, Any]) -> None:
    answer = patch(cluster, STATUS.format("pod-node-a"), {"metadata": metadata})

    assert refused(answer, "agents-pods", "leaves labels, annotations and other metadata alone")


def test_a_token_that_names_no_node_writes_nothing(cluster: ControlPlane) -> None:
    answers = [condition(cluster, user=NAMELESS), report(cluster, user=NAMELESS), event(cluster, user=NAMELESS)]

    assert [refused(answer, "agents-", "names no node") for answer in answers] == [True] * 3


def test_an_agent_writes_the_object_of_its_node_again_and_again(cluster: ControlPlane) -> None:
    cluster.request("DELETE", f"/apis/numagate.io/v1alpha1/nodealignments/{NODE}")  # another test may have left one
    assert [report(cluster).status for _ in range(2)] == [201, 200]


def test_an_agent_writes_no_object_of_another_node(cluster: ControlPlane) -> None:
    created = report(cluster, node=OTHER)
    assert report(cluster, node=OTHER, user=f"agent@{OTHER}").status == 201
    changed = report(cluster, node=OTHER)

    for answer in (created, changed):
        assert refused(answer, "agents-reports", "the NodeAlignment of its own node only")


def test_an_agent_says_something_about_a_pod_and_says_it_again(cluster: ControlPlane) -> None:
    made = event(cluster)
    again = patch(cluster, events_of(cluster, made.body["metadata"]["name"]), SERIES)

    assert (made.status, again.status, again.body["series"]["count"]) == (201, 200, 2)


@pytest.mark.parametrize(
    "changes",
    [{"reportingInstance": OTHER}, {"reportingController": "kubelet"}],
    ids=["another-node", "another-controller"],
)
def test_an_agent_reports_as_itself(cluster: ControlPlane, changes: dict[str, Any]) -> None:
    assert refused(event(cluster, **changes), "agents-events", "as numagate.io/agent of its own node")


def test_an_agent_changes_no_event_of_another_node(cluster: ControlPlane) -> None:
    made = event(cluster, user=f"agent@{OTHER}", reportingInstance=OTHER)

    again = patch(cluster, events_of(cluster, made.body["metadata"]["name"]), SERIES)

    assert made.status == 201
    assert refused(again, "agents-events", "changes events of that only")


def test_an_agent_says_nothing_about_what_is_no_pod(cluster: ControlPlane) -> None:
    answer = event(cluster, regarding={"apiVersion": "v1", "kind": "Node", "namespace": "default", "name": NODE})

    assert refused(answer, "agents-events", "events about pods only")


KEPT = {"finalizers": ["example.com/kept"]}
OWNED = {"apiVersion": "v1", "kind": "Node", "name": NODE, "uid": "0b5a1e0e-6f0c-4c53-9c4e-5d3f8a8d2f10"}


@pytest.mark.parametrize("metadata", [KEPT, {"ownerReferences": [OWNED]}], ids=["finalizer", "owner"])
def test_an_agent_ties_an_event_to_nothing(cluster: ControlPlane, metadata: dict[str, Any]) -> None:
    path = events_of(cluster, event(cluster).body["metadata"]["name"])

    for answer in (event(cluster, metadata=metadata), patch(cluster, path, {"metadata": metadata})):
        assert refused(answer, "agents-events", "neither finalizers nor ownerReferences")


def test_an_agent_keeps_no_object_of_its_node_from_being_deleted(cluster: ControlPlane) -> None:
    assert refused(report(cluster, **KEPT), "agents-reports", "sets no finalizers")


@pytest.mark.parametrize(
    "another",
    [{"name": OTHER}, {"kind": "Namespace"}, {"apiVersion": "example.com/v1"}],
    ids=lambda another: next(iter(another)),
)
def test_the_object_of_a_node_is_owned_by_that_node_only(cluster: ControlPlane, another: dict[str, str]) -> None:
    # With the UID of the real one: of an owner that is not there the garbage collector would delete it.
    owner = {**OWNED, "uid": cluster.request("GET", f"/api/v1/nodes/{NODE}").body["metadata"]["uid"]}
    answers = [report(cluster, ownerReferences=[{**owner, **another}]), report(cluster, ownerReferences=[owner])]

    assert refused(answers[0], "agents-reports", "lets its own node own the NodeAlignment and nothing else")
    assert answers[1].status in {200, 201}


def test_what_others_keep_an_agent_writes_all_the_same(cluster: ControlPlane) -> None:
    report(cluster)
    path = f"/apis/numagate.io/v1alpha1/nodealignments/{NODE}"
    kept = patch(cluster, path, {"metadata": KEPT}, user="admin")
    try:
        written = report(cluster)
    finally:
        patch(cluster, path, {"metadata": {"finalizers": None}}, user="admin")

    assert (kept.status, written.status) == (200, 200)


def test_the_guard_is_in_nobody_elses_way(cluster: ControlPlane) -> None:
    path = STATUS.format("pod-node-b")

    answer = patch(cluster, path, {"metadata": {"labels": {"by": "admin"}}, "status": {"reason": "a"}}, user="admin")

    assert answer.status == 200


def test_an_agent_reads_the_snapshot_and_neither_secrets_nor_nodes(cluster: ControlPlane) -> None:
    own = "/api/v1/namespaces/numagate-system"
    paths = [f"{own}/configmaps/numagate-world", f"{own}/configmaps", f"{own}/secrets", "/api/v1/nodes"]

    seen = [cluster.request("GET", path, user=AGENT).status for path in paths]

    assert seen == [200, FORBIDDEN, FORBIDDEN, FORBIDDEN]
