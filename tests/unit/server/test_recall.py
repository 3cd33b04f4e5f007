"""Remembered decisions: found again for the same pod in the same world, and only there."""

from dataclasses import replace
from datetime import UTC
from datetime import datetime
from typing import Any

import pytest
from builders import container
from builders import equal
from builders import mutating
from builders import pod
from builders import request
from builders import world

from webhook.domain import keys
from webhook.domain.claims import ClaimCatalog
from webhook.domain.claims import DeviceClass
from webhook.domain.levels import Level
from webhook.domain.policy import ExemptionRule
from webhook.domain.policy import Exemptions
from webhook.engine.request import Request
from webhook.engine.review import review
from webhook.server.recall import MAX_BYTES
from webhook.server.recall import MAX_ENTRIES
from webhook.server.recall import Recall

WORLD = world()


def replica(name: str, **changes: Any) -> dict[str, Any]:
    """Make one of the replicas of a workload, as the API server sends them: each has its own token volume."""
    mount = {"name": f"kube-api-access-{name}", "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}
    made = pod(container(**{**equal(), "env": [{"name": "POD", "value": name}], "volumeMounts": [mount], **changes}))
    made["metadata"] = {"name": name, "uid": name, "labels": {"app": "llm"}}
    made["spec"]["volumes"] = [{"name": f"kube-api-access-{name}", "projected": {"sources": []}}]
    return made


@pytest.mark.parametrize("ask", [mutating, request])
def test_replicas_are_decided_once(ask: Any) -> None:
    recall = Recall()
    first = recall(ask(replica("a")), WORLD)

    assert first == review(ask(replica("b")), WORLD)
    assert recall(ask(replica("b")), WORLD) is first


@pytest.mark.parametrize(
    "other",
    [
        mutating(replica("a")),
        request(replica("a"), namespace="team-b"),
        request(replica("a", **equal("15"))),
        request(replica("a", image="registry.example/own")),
        request({**replica("a"), "status": {"qosClass": "Burstable"}}),
    ],
    ids=["pass", "namespace", "resources", "image", "QoS class of the server"],
)
def test_another_request_is_decided_itself(other: Request) -> None:
    recall = Recall()
    recall(request(replica("a")), WORLD)

    assert recall(other, WORLD) == review(other, WORLD)


def test_another_world_is_decided_in_itself() -> None:
    recall, asked = Recall(), request(replica("a", **equal(gpus=8)))
    unknown = world(machine=None)
    refused = recall(asked, WORLD)

    assert not refused.allowed
    assert recall(asked, unknown) == review(asked, unknown)
    assert recall(asked, WORLD) == refused


def test_a_device_class_that_becomes_known_is_judged_by() -> None:
    recall, asked = Recall(), request(replica("a", **equal(gpus=None, **{"x.io/gpu": "1"})))
    known = replace(WORLD, claims=ClaimCatalog({"gpu.nvidia.com": DeviceClass("gpu.nvidia.com", "x.io/gpu")}))

    assert "claimed-device" not in {finding.code for finding in recall(asked, WORLD).findings}
    assert "claimed-device" in {finding.code for finding in recall(asked, known).findings}


def test_an_exemption_that_ends_is_judged_at_its_time() -> None:
    exempt = replica("a", **equal(gpus=8))
    exempt["metadata"]["annotations"] = {keys.EXEMPT: "trial", keys.EXEMPT_UNTIL: "2026-06-01T00:00:00Z"}
    policy = replace(WORLD.policies[0], exemptions=replace(WORLD.policies[0].exemptions, pods=True))
    before = replace(WORLD, policies=(policy,), instant=datetime(2026, 5, 31, tzinfo=UTC))
    after = replace(before, instant=datetime(2026, 6, 1, tzinfo=UTC))
    recall = Recall()

    assert [recall(request(exempt), then).allowed for then in (before, after)] == [True, False]


def test_a_requester_that_is_exempt_is_told_apart() -> None:
    rule = ExemptionRule("trial", users=("alice",))
    policy = replace(WORLD.policies[0], exemptions=Exemptions(rules=(rule,), pods=False))
    known, recall = replace(WORLD, policies=(policy,)), Recall()
    asked = [request(replica("a", **equal(gpus=8)), username=user) for user in ("bob", "alice", "bob")]

    assert [recall(one, known).allowed for one in asked] == [False, True, False]


def test_user_and_group_of_one_rule_are_told_apart() -> None:
    rule = ExemptionRule("trial", users=("alice",), groups=("admins",))
    policy = replace(WORLD.policies[0], exemptions=Exemptions(rules=(rule,), pods=False))
    known, recall = replace(WORLD, policies=(policy,)), Recall()
    asked = [request(replica("a"), username="alice"), request(replica("a"), username="bob", groups=("admins",))]

    assert [recall(one, known).exempt_by for one in asked] == ["user", "group"]


def test_a_rule_that_ends_is_forgotten_at_its_time() -> None:
    end = datetime(2026, 12, 1, tzinfo=UTC)
    rule = ExemptionRule("trial", until=end, namespaces=("team-a",))
    policy = replace(WORLD.policies[0], exemptions=Exemptions(rules=(rule,), pods=False))
    before = replace(WORLD, policies=(policy,), instant=datetime(2026, 11, 30, tzinfo=UTC))
    recall, asked = Recall(), request(replica("a", **equal(gpus=8)))

    assert [recall(asked, then).allowed for then in (before, replace(before, instant=end))] == [True, False]


def test_a_rule_that_has_ended_holds_again_where_the_clock_goes_back() -> None:
    end = datetime(2026, 12, 1, tzinfo=UTC)
    rule = ExemptionRule("trial", until=end, namespaces=("team-a",))
    policy = replace(WORLD.policies[0], exemptions=Exemptions(rules=(rule,), pods=False))
    after = replace(WORLD, policies=(policy,), instant=end)
    recall, asked = Recall(), request(replica("a", **equal(gpus=8)))
    earlier = replace(after, instant=datetime(2026, 11, 30, tzinfo=UTC))

    assert [recall(asked, then).allowed for then in (after, earlier)] == [False, True]


def test_the_same_pod_in_another_namespace_is_judged_by_what_holds_there() -> None:
    rule = ExemptionRule("trial", namespaces=("team-b",))
    policy = replace(WORLD.policies[0], exemptions=Exemptions(rules=(rule,), pods=False))
    known, recall, unfit = replace(WORLD, policies=(policy,)), Recall(), replica("a", **equal(gpus=8))
    asked = [request(unfit, namespace=name) for name in ("team-a", "team-b")]

    assert [recall(one, known).allowed for one in asked] == [False, True]


def test_a_label_of_the_namespace_that_changes_is_judged_by() -> None:
    policy = replace(WORLD.policies[0], modes=replace(WORLD.policies[0].modes, enforce=Level.NONE))
    known, recall, asked = replace(WORLD, policies=(policy,)), Recall(), request(replica("a", **equal(gpus=8)))
    raised = replace(known, namespaces={"team-a": {"numagate.io/enforce": "aligned"}})

    assert [recall(asked, one).allowed for one in (known, raised)] == [True, False]


def test_only_a_bounded_number_is_remembered() -> None:
    recall = Recall()
    asked = request(replica("a"))
    first = recall(asked, WORLD)
    for number in range(2 * MAX_ENTRIES + 1):
        recall(request(replica("b", command=[f"serve {number}"])), WORLD)

    again = recall(asked, WORLD)
    assert again == first
    assert again is not first


def test_a_decision_in_use_outlives_the_older_half() -> None:
    recall = Recall()
    asked = request(replica("a"))
    first = recall(asked, WORLD)
    for number in range(3 * MAX_ENTRIES):
        recall(request(replica("b", command=[f"serve {number}"])), WORLD)
        assert recall(asked, WORLD) is first


@pytest.mark.parametrize(
    "asked",
    [
        request(replica("a", command=["x" * MAX_BYTES])),
        request(
            {**replica("a"), "metadata": {"annotations": {keys.MIRROR: "x"}, "ownerReferences": [{"kind": "Node"}]}},
            groups=("system:nodes",),
        ),
        replace(request(replica("a")), operation="UPDATE", old_object=replica("a")),
        replace(request(replica("a")), kind="Deployment", group="apps"),
    ],
    ids=["large pod", "mirror pod", "update", "template"],
)
def test_what_depends_on_more_than_the_pod_is_decided_each_time(asked: Request) -> None:
    recall = Recall()
    first = recall(asked, WORLD)

    assert recall(asked, WORLD) == first
    assert recall(asked, WORLD) is not first
