"""Judging a node: whose promise, when, and what else is told of a pod."""

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from builders import INSTANT
from builders import world
from observednodes import observation

from webhook.domain import keys
from webhook.domain.expectation import ContainerPromise
from webhook.domain.observation import Observation
from webhook.domain.policy import ExemptionRule
from webhook.domain.policy import Exemptions
from webhook.domain.policy import Match
from webhook.domain.verdict import Outcome
from webhook.domain.verdict import PodVerdict
from webhook.engine.governed import why_no_promise
from webhook.engine.verify import RULES
from webhook.engine.verify import has_promise
from webhook.engine.verify import judge

GOOD = {"server": {"cpus": "2-5", "devices": {"gpu-0": 0}}}
SPEC = {"server": "4/8Gi/1"}
PROMISE = {
    "v": 1,
    "level": "aligned",
    "numaNodes": 1,
    "containers": {"server": {"cpus": 4, "memory": 8 << 30, "devices": {"nvidia.com/gpu": 1}}},
    "policy": "default",
    "generation": "old",
}


def node(name: str = "team-a/llm", shows: Any = GOOD, containers: Any = SPEC, **pod: Any) -> Observation:
    """Make a node with one pod."""
    return observation({"pods": {name: {"containers": containers, "shows": shows, **pod}}})


def annotated(**changes: Any) -> Observation:
    """Make a node with a pod that carries a promise."""
    return node(annotations={keys.ALIGNMENT: json.dumps({**PROMISE, **changes})})


def only(seen: Observation, **policy: Any) -> PodVerdict:
    """Judge a node with one pod."""
    (verdict,) = judge(seen, world(**policy)).pods
    return verdict


def test_a_pod_without_a_promise_is_judged_against_what_its_spec_earns() -> None:
    verdict = only(node())

    assert verdict.outcome is Outcome.ALIGNED
    assert verdict.promise is not None
    assert verdict.promise.containers == {"server": ContainerPromise(4, 8 << 30, {"nvidia.com/gpu": 1})}
    assert (verdict.claimed, verdict.forged) == (None, False)


def test_the_promise_of_admission_is_no_forgery_though_policy_and_generation_have_changed() -> None:
    verdict = only(annotated(policy="another"))

    assert (verdict.forged, verdict.outcome) == (False, Outcome.ALIGNED)
    assert verdict.claimed is not None
    assert verdict.claimed.policy == "another"


@pytest.mark.parametrize(
    "claim",
    [
        {"containers": {"server": {"cpus": 2, "memory": 8 << 30, "devices": {"nvidia.com/gpu": 1}}}},
        {"containers": {}},
        {"numaNodes": 2},
        {"v": 2},
    ],
    ids=["fewer CPUs", "nothing", "more NUMA nodes", "another version"],
)
def test_a_forged_promise_is_told_and_is_no_evidence(claim: dict[str, Any]) -> None:
    seen = annotated(**claim)
    bad = {"server": {"cpus": "2-3", "devices": {"gpu-4": 1}}}
    text = json.dumps({**PROMISE, **claim})

    assert (only(seen).forged, only(seen).outcome) == (True, Outcome.ALIGNED)
    verdict = only(node(shows=bad, annotations={keys.ALIGNMENT: text}))
    assert (verdict.forged, verdict.outcome) == (True, Outcome.MISALIGNED)
    assert verdict.reason == "container server: 2 exclusive CPUs instead of 4"


TWO = {"equal": {"cpu": "4", "memory": "8Gi", "nvidia.com/gpu": "1", "example.com/npu": "2"}}


@pytest.mark.parametrize(
    ("containers", "devices"),
    [
        ({"server": TWO}, {"nvidia.com/gpu": 1, "example.com/npu": 2}),
        ({"server": TWO}, {"example.com/npu": 2}),
    ],
    ids=["the NPU counts no more", "one took the other's place"],
)
def test_a_promise_of_another_policy_may_differ_in_what_counts_as_an_accelerator(
    containers: dict[str, Any], devices: dict[str, int]
) -> None:
    promised = {"server": {"cpus": 4, "memory": 8 << 30, "devices": devices}}
    text = json.dumps({**PROMISE, "containers": promised})
    in_force = json.dumps({**PROMISE, "containers": promised, "generation": world().policies[0].generation})

    assert not only(node(containers=containers, annotations={keys.ALIGNMENT: text})).forged
    assert only(node(containers=containers, annotations={keys.ALIGNMENT: in_force})).forged


def test_a_promise_of_another_policy_may_lack_or_have_containers_with_nothing_but_devices() -> None:
    containers = {"server": "4/8Gi/1", "encoder": {"equal": {"cpu": "500m", "memory": "1Gi", "example.com/npu": "1"}}}
    encoder = {"cpus": 0, "memory": 1 << 30, "devices": {"example.com/npu": 1}}
    server = PROMISE["containers"]

    def judged(**more: Any) -> bool:
        text = json.dumps({**PROMISE, "containers": {**server, **more}})  # type: ignore[dict-item]  # a plain document
        return only(node(containers=containers, annotations={keys.ALIGNMENT: text})).forged

    assert not judged(encoder=encoder)
    assert not judged()
    assert judged(encoder={**encoder, "memory": 2 << 30})
    assert judged(encoder={**encoder, "cpus": 1})
    assert judged(encoder={**encoder, "devices": {"example.com/npu": 2}})
    assert judged(stranger=encoder)
    assert judged(server={"cpus": 4, "memory": 8 << 30, "devices": {}})


def test_a_pod_whose_accelerators_count_no_more_has_an_honest_promise_and_is_not_judged() -> None:
    containers = {"server": {"equal": {"cpu": "4", "memory": "8Gi", "example.com/npu": "1"}}}
    promised = {"server": {"cpus": 4, "memory": 8 << 30, "devices": {"example.com/npu": 1}}}
    text = json.dumps({**PROMISE, "containers": promised})
    found = judge(node(containers=containers, annotations={keys.ALIGNMENT: text}), world())

    assert (found.pods, found.others) == ((), 1)


def test_a_promise_on_a_pod_that_earns_none_is_forged_and_proves_nothing() -> None:
    verdict = only(node(containers={"server": "4/8Gi"}, annotations={keys.ALIGNMENT: json.dumps(PROMISE)}))

    assert (verdict.forged, verdict.promise, verdict.outcome) == (True, None, Outcome.UNKNOWN)
    assert verdict.reason == "nothing was promised"


def test_pods_without_accelerators_are_counted_and_not_judged() -> None:
    found = judge(node(containers={"server": "4/8Gi"}), world())

    assert (found.pods, found.others) == ((), 1)


def test_a_pod_whose_accelerators_only_init_containers_ask_for_is_promised_nothing_that_could_be_seen() -> None:
    shown = {"server": {"effective": "0-15", "mems": "0"}}
    seen = node(containers={"server": "500m/1Gi"}, init={"load": "500m/1Gi/1"}, shows=shown)
    found = judge(seen, world())

    assert (found.pods, found.others) == ((), 1)
    assert not has_promise(seen.pods[0].raw, world=world())


def test_pods_of_exempt_namespaces_and_without_a_policy_are_promised_nothing() -> None:
    exempt = Exemptions((ExemptionRule("ours", namespaces=("team-*",)),), pods=False)

    assert judge(node("kube-system/llm"), world()).pods == ()
    assert judge(node("numagate-system/llm"), world()).pods == ()
    assert judge(node(), world(exemptions=exempt)).pods == ()
    assert judge(node(), world(match=Match(namespaces=("team-b",)))).pods == ()


def test_a_pod_with_devices_that_is_not_judged_is_named_with_the_reason() -> None:
    exempt = Exemptions((ExemptionRule("a trial", namespaces=("team-*",)),), pods=True)
    ours, elsewhere = node(annotations={keys.EXEMPT: "our own"}), world(match=Match(namespaces=("team-b",)))
    thrice = replace(elsewhere, policies=3 * elsewhere.policies)
    other = "default: namespace team-a is none of team-b"
    told = [
        (node("kube-system/llm"), world(), "namespace kube-system is exempt: it must start without numagate"),
        (node(), world(exemptions=exempt), "policy default exempts it by its namespace: a trial"),
        (ours, world(exemptions=Exemptions((), pods=True)), "policy default exempts it by its annotation: our own"),
        (node(), elsewhere, f"no policy matches ({other})"),
        (node(), replace(elsewhere, policies=()), "no policy matches (there is none)"),
        (node(), thrice, f"no policy matches ({other}; {other}; and 1 more)"),
    ]

    assert [judge(seen, policies).unjudged[0].why for seen, policies, _ in told] == [why for _, _, why in told]
    assert [why_no_promise(seen.pods[0].raw, policies) for seen, policies, _ in told] == [why for _, _, why in told]


def test_a_pod_is_not_named_that_is_judged_or_has_no_devices() -> None:
    without = node("kube-system/web", containers={"server": "4/8Gi"}, shows={"server": {"cpus": "2-5"}})

    assert [judge(seen, world()).unjudged for seen in (node(), without)] == [(), ()]
    assert why_no_promise(node().pods[0].raw, world()) == ""
    assert why_no_promise(node(containers={"server": "4/8Gi"}).pods[0].raw, world()) == "it asks for no accelerators"


def test_a_pod_that_its_owner_exempts_is_promised_nothing_where_the_policy_honours_that() -> None:
    seen = node(annotations={keys.EXEMPT: "a trial"})

    assert judge(seen, world(exemptions=Exemptions((), pods=True))).pods == ()
    assert len(judge(seen, world(exemptions=Exemptions((), pods=False))).pods) == 1


def test_an_exemption_ends_by_the_instant_of_the_observation() -> None:
    rule = ExemptionRule("for now", until=INSTANT + timedelta(hours=1), namespaces=("team-a",))
    policies = world(exemptions=Exemptions((rule,), pods=False))
    seen = node()

    assert judge(seen, policies).pods == ()
    assert len(judge(replace(seen, instant=INSTANT + timedelta(hours=2)), policies).pods) == 1


def test_devices_of_claims_need_not_be_known_here_to_trust_the_promise_about_the_rest() -> None:
    spec = {"server": {"equal": "4/8Gi/1", "claims": [{"name": "gpu"}]}}
    claims = [{"name": "gpu", "resourceClaimTemplateName": "one"}]
    devices = {"deviceclass.resource.kubernetes.io/gpu.nvidia.com": 1, "nvidia.com/gpu": 1}

    def judged(cpus: int) -> PodVerdict:
        promised = {"server": {"cpus": cpus, "memory": 8 << 30, "devices": devices}}
        text = json.dumps({**PROMISE, "containers": promised})
        return only(node(containers=spec, resourceClaims=claims, annotations={keys.ALIGNMENT: text}))

    assert (judged(4).forged, judged(4).outcome) == (False, Outcome.ALIGNED)
    assert judged(2).forged


def test_with_spec_resources_the_level_or_the_kubelet_decides_what_is_exclusive() -> None:
    pod = {"containers": {"server": "4/8Gi/1"}, "resources": {"limits": {"cpu": "4", "memory": "8Gi"}}, "shows": GOOD}
    plain = observation({"pods": {"team-a/llm": pod}})
    pinning = observation({"pods": {"team-a/llm": pod}, "kubelet": {"gates": {"PodLevelResourceManagers": True}}})

    assert only(plain).promise.containers["server"].cpus == 0  # type: ignore[union-attr]  # it has accelerators
    assert only(pinning).promise.containers["server"].cpus == 4  # type: ignore[union-attr]  # as above


def test_whether_a_pod_will_be_judged_is_known_before_anything_is_seen_of_it() -> None:
    exempt = Exemptions((ExemptionRule("ours", namespaces=("team-*",)),), pods=False)
    (gpu,), (cpu,), (system,) = (
        seen.pods for seen in (node(), node(containers={"server": "4/8Gi"}), node("kube-system/llm"))
    )

    assert [has_promise(one.raw, world=world()) for one in (gpu, cpu, system)] == [True, False, False]
    assert not has_promise(gpu.raw, world=world(exemptions=exempt))


def test_how_busy_a_pod_is_counts_its_exclusive_cpus_only() -> None:
    spec = {"server": "4/8Gi/1", "proxy": "500m/1Gi"}
    shows = {"server": {**GOOD["server"], "usage": 3.0}, "proxy": {"effective": "0-1", "usage": 0.4}}

    assert only(node(containers=spec, shows=shows)).busy == 0.75
    assert only(node()).busy is None


def test_a_container_from_the_future_is_not_judged() -> None:
    verdict = only(node(shows={"server": {**GOOD["server"], "started": -40}}))

    assert verdict.reason == "container server: it started 0 s ago, and is judged after 30 s"


def test_rules_come_the_most_telling_first() -> None:
    assert [rule.code for rule in RULES] == [
        "device-count",
        "exclusive-cpus",
        "cpu-locality",
        "device-locality",
        "memory-nodes",
        "local-memory",
        "rank-locality",
        "process-affinity",
        "cpu-quota",
        "even-spread",
    ]
