"""What is said of devices that come by claims: what is not aligned, and what would align it."""

from dataclasses import replace

import pytest
from builders import container
from builders import equal
from builders import pod
from builders import ruling

from webhook.domain.claims import Claim
from webhook.domain.claims import Constraint
from webhook.domain.claims import DeviceClass
from webhook.domain.claims import DeviceOption
from webhook.domain.claims import DeviceRequest
from webhook.domain.claims import KnownClaims
from webhook.domain.dra_drivers import NUMA_NODE
from webhook.domain.finding import Finding
from webhook.domain.finding import Severity
from webhook.domain.policy import IMPLICIT
from webhook.domain.policy import Answer
from webhook.engine import messages
from webhook.engine.decision import Outcome
from webhook.engine.judge import Judgement
from webhook.engine.judge import judge_pod

GPU = DeviceRequest("gpu", (DeviceOption("gpu.nvidia.com"),))
CPUS = DeviceRequest("cpus", (DeviceOption("dra.cpu"),))
NIC = DeviceRequest("nic", (DeviceOption("dranet"),))
BOTH = "dra.net and gpu.nvidia.com"
RIGHT = {"cpu": "8", "memory": "32Gi"}
CLAIMING = pod(
    container(resources={"limits": RIGHT, "claims": [{"name": "gpu"}]}),
    resourceClaims=[{"name": "gpu", "resourceClaimTemplateName": "t"}],
)


def judged(made: dict[str, object], claim: Claim | None = None, answer: Answer = Answer.WARN) -> Judgement:
    known = KnownClaims(templates={"t": claim} if claim else {})
    return judge_pod(made, replace(ruling(on_unenforced=answer), claims=known))


def found(judgement: Judgement) -> list[Finding]:
    return [finding for finding in judgement.findings if finding.code == "claimed-device"]


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        (None, "devices of resource claims are outside the topology manager: it cannot align CPUs with them"),
        (
            Claim((GPU,)),
            "the kubelet aligns no CPUs with gpu.nvidia.com of claim gpu; match numaNode with dra.cpu there",
        ),
        (
            Claim((GPU, NIC), (Constraint(NUMA_NODE),)),
            "claim gpu keeps its devices on one NUMA node, but the kubelet aligns no CPUs with them; add dra.cpu",
        ),
        (
            Claim((GPU, CPUS), (Constraint(NUMA_NODE),)),
            "claim gpu aligns its own CPUs by resource.kubernetes.io/numaNode: its nodes must leave CPUs to dra.cpu",
        ),
        (
            Claim((NIC, GPU), (Constraint(NUMA_NODE, ("gpu",)),)),
            f"the kubelet aligns no CPUs with {BOTH} of claim gpu; match numaNode with dra.cpu there",
        ),
    ],
    ids=["unseen", "bare", "devices", "cpus", "part"],
)
def test_what_nothing_aligns_is_said(claim: Claim | None, expected: str) -> None:
    assert [finding.message for finding in found(judged(CLAIMING, claim))] == [expected]


@pytest.mark.parametrize("claim", [None, Claim((GPU,)), Claim((GPU,), (Constraint(NUMA_NODE),))])
def test_a_warning_holds_all_of_it(claim: Claim | None) -> None:
    (finding,) = found(judged(CLAIMING, claim))

    assert messages.finding_warning(finding) == f"{finding.message} [claimed-device]"


@pytest.mark.parametrize(
    ("claim", "answer", "outcome"),
    [
        (None, Answer.DENY, Outcome.WARN),
        (Claim((GPU,)), Answer.DENY, Outcome.DENY),
        (Claim((GPU,)), Answer.ALLOW, Outcome.WARN),
        (Claim((NIC,)), Answer.DENY, Outcome.WARN),
        (Claim((GPU, CPUS), (Constraint(NUMA_NODE),)), Answer.DENY, Outcome.WARN),
    ],
    ids=["unseen", "denied", "allowed", "no-accelerator", "own-cpus"],
)
def test_the_policy_says_how_grave_it_is_where_the_claim_is_known(
    claim: Claim | None, answer: Answer, outcome: Outcome
) -> None:
    assert judged(CLAIMING, claim, answer).outcome is outcome


def test_a_claim_of_a_nic_beside_counted_gpus_leaves_the_verdict_as_it_is() -> None:
    made = pod(container(**equal()), resourceClaims=[{"name": "nic", "resourceClaimTemplateName": "t"}])

    assert judged(made, Claim((NIC,))).outcome is Outcome.ACCEPT


@pytest.mark.parametrize(
    ("resource", "words", "severity"),
    [
        (IMPLICIT + "gpu.nvidia.com", "device class gpu.nvidia.com serves it", Severity.FAULT),
        ("nvidia.com/gpu", "device class gpu.nvidia.com may serve it", Severity.WARNING),
    ],
)
def test_a_resource_that_a_device_class_serves_is_told_apart(resource: str, words: str, severity: Severity) -> None:
    classes = {"gpu.nvidia.com": DeviceClass("gpu.nvidia.com", "nvidia.com/gpu")}
    judgement = judge_pod(
        pod(container(limits={**RIGHT, resource: "1"})),
        replace(ruling(on_unenforced=Answer.DENY), claims=KnownClaims(classes)),
    )

    assert [(one.message.partition(":")[0], one.severity) for one in found(judgement)] == [(words, severity)]
