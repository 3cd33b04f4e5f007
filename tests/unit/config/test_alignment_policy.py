"""The domain's policy, as the built-in document and documents over it make it."""

from datetime import UTC
from datetime import datetime

import pytest

from webhook.domain.levels import Level
from webhook.domain.levels import Modes
from webhook.domain.policy import EVERYTHING
from webhook.domain.policy import Answer
from webhook.domain.policy import Classes
from webhook.domain.policy import ExemptionRule
from webhook.domain.policy import Exemptions
from webhook.domain.policy import Governs
from webhook.domain.policy import Match
from webhook.domain.policy import Override
from webhook.domain.policy import Overrides
from webhook.domain.policy import Policy
from webhook.domain.policy import Verification
from webhook.domain.quantity import Quantity
from webhook.domain.recognition import image_matches
from webhook.domain.recognition import image_path
from webhook.domain.selector import LabelRequirement
from webhook.domain.selector import LabelSelector
from webhook.sources.policy_file import load_policy
from webhook.sources.policy_file import parse_stream

BUILT_IN = load_policy().policy


def policy(spec: str) -> Policy:
    """Read a policy with this spec."""
    head = "apiVersion: numagate.io/v1alpha1\nkind: AlignmentPolicy\nmetadata: {name: x}\nspec:\n"
    return parse_stream(f"{head}  {spec}\n", "p.yaml").policy


def test_the_built_in_policy_enforces_inference_pods_and_warns_of_what_it_does_not_know() -> None:
    assert BUILT_IN.governs is Governs.INFERENCE
    assert BUILT_IN.modes == Modes(Level.ALIGNED, Level.ALIGNED, Level.ALIGNED, Level.ALIGNED)
    assert BUILT_IN.classes is Classes.ANY
    assert (BUILT_IN.on_unknown, BUILT_IN.on_unenforced) == (Answer.WARN, Answer.WARN)
    assert BUILT_IN.namespaces == ()


@pytest.mark.parametrize(
    "resource",
    [
        "nvidia.com/gpu",
        "nvidia.com/gpu.shared",
        "nvidia.com/mig-1g.10gb",
        "amd.com/gpu",
        "amd.com/cpx_nps4",
        "gpu.intel.com/i915",
        "gpu.intel.com/xe",
        "habana.ai/gaudi",
        "google.com/tpu",
        "aws.amazon.com/neuroncore",
        "huawei.com/Ascend910",
        "huawei.com/Ascend310P",
        "huawei.com/ascend-1980",
        "iluvatar.ai/BI-V150-vgpu",
        "rebellions.ai/ATOM",
    ],
)
def test_these_resources_are_counts_of_accelerators(resource: str) -> None:
    assert BUILT_IN.accelerators.includes(resource)


@pytest.mark.parametrize(
    "resource",
    [
        "cpu",
        "memory",
        "nvidia.com/gpumem",
        "nvidia.com/gpucores",
        "nvidia.com/gpumem-percentage",
        "nvidia.com/hostdev",
        "nvidia.com/rdma-vf",
        "nvidia.com/mlnxnics",
        "amd.com/nic",
        "amd.com/vnic",
        "gpu.intel.com/millicores",
        "gpu.intel.com/memory.max",
        "gpu.intel.com/i915_monitoring",
        "huawei.com/Ascend910-memory",
        "huawei.com/ascend-1980-memory",
        "huawei.com/Ascend310P-core",
        "volcano.sh/vgpu-memory",
        "koordinator.sh/gpu",
        "vpc.amazonaws.com/efa",
        "rdma/hca_shared_devices_a",
        "example.com/nvidia.com/gpu",
        "NVIDIA.com/gpu",
    ],
)
def test_these_resources_are_no_counts_of_accelerators(resource: str) -> None:
    assert not BUILT_IN.accelerators.includes(resource)


@pytest.mark.parametrize(
    "image",
    [
        "registry.internal/ai/vllm:v0.4.6",
        "vllm/vllm-openai:latest",
        "mirror.example:5000/docker.io/lmsysorg/sglang@sha256:00",
        "nvcr.io/nvidia/tritonserver:25.01-py3",
        "nvcr.io/nvidia/tensorrt-llm/release:1.0",
        "nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.3",
        "ghcr.io/huggingface/text-generation-inference:3",
        "ghcr.io/llm-d/llm-d-cuda:v0.2",
        "quay.io/ascend/vllm-ascend:v0.9",
        "tensorflow/serving:2",
        "ollama/ollama",
    ],
)
def test_these_images_serve_models(image: str) -> None:
    assert any(image_matches(image_path(image), entry) for entry in BUILT_IN.recognition.images)


@pytest.mark.parametrize(
    "image",
    [
        "pytorch/pytorch:2",
        "rayproject/ray:2",
        "nvcr.io/nvidia/pytorch:25.01",
        "example.com/team/serving:1",
        "example.com/team/release:1",
        "example.com/vllm/proxy:1",
        "example.com/team/not-vllm:1",
    ],
)
def test_these_images_say_nothing_about_serving(image: str) -> None:
    assert not any(image_matches(image_path(image), entry) for entry in BUILT_IN.recognition.images)


def test_no_built_in_image_both_serves_and_never_uses_an_accelerator() -> None:
    table = BUILT_IN.recognition
    assert not [image for image in table.images if any(image_matches(image, entry) for entry in table.never_gpu_images)]


def test_namespaces_take_what_they_do_not_say_from_the_policy() -> None:
    made = policy("{modes: {enforce: exclusive, audit: none}, namespaces: [{match: [a-*], modes: {warn: none}}]}")
    expected = Modes(enforce=Level.EXCLUSIVE, repair=Level.ALIGNED, warn=Level.NONE, audit=Level.NONE)
    assert made.modes_for("a-b") == expected
    assert made.modes_for("b") == made.modes


def test_the_first_namespace_entry_that_matches_holds() -> None:
    entries = "[{match: [a], modes: {enforce: none}}, {match: ['*'], modes: {enforce: guaranteed}}]"
    made = policy(f"namespaces: {entries}")
    assert [made.modes_for(name).enforce for name in ("a", "b")] == [Level.NONE, Level.GUARANTEED]


def test_lists_replace_and_maps_merge() -> None:
    made = policy("recognition: {images: [mine], labels: {team/serving: ['yes', '1']}}")
    assert made.recognition.images == ("mine",)
    assert made.recognition.commands == BUILT_IN.recognition.commands
    assert made.recognition.labels == {**BUILT_IN.recognition.labels, "team/serving": ("yes", "1")}


def test_a_label_can_be_taken_out_of_the_table() -> None:
    made = policy("recognition: {labels: {kaito.sh/workspace: null}}")
    assert set(BUILT_IN.recognition.labels) - set(made.recognition.labels) == {"kaito.sh/workspace"}


def test_built_in_helpers_stay_in_the_shared_pool() -> None:
    rules = BUILT_IN.repair
    fallback = rules.helper_fallback
    assert fallback is not None
    assert (str(fallback.cpu), str(fallback.memory)) == ("50m", "256Mi")
    assert [entry.name for entry in (*rules.helpers, fallback) if entry.cpu.milli % 1000 == 0] == []


@pytest.mark.parametrize(
    "name",
    ["istio-proxy", "istio-init", "linkerd-proxy", "vault-agent", "storage-initializer", "queue-proxy"],
)
def test_well_known_helpers_have_an_entry(name: str) -> None:
    assert any(name in entry.containers for entry in BUILT_IN.repair.helpers)


def test_repair_rules_are_read() -> None:
    made = policy(
        "repair: {fairShare: false, headroom: {cpu: 500m}, share: {cpu: 8, memory: 64Gi}, "
        "helperDefault: none, helpers: []}"
    )
    assert not made.repair.fair_share
    assert (made.repair.headroom_cpu, made.repair.headroom_memory) == (Quantity.parse("500m"), Quantity.parse("0"))
    assert made.repair.share == (Quantity.parse("8"), Quantity.parse("64Gi"))
    assert made.repair.helper_fallback is None
    assert made.repair.helpers == ()


def test_fair_shares_are_on_and_a_blind_share_is_off_by_default() -> None:
    assert BUILT_IN.repair.fair_share
    assert BUILT_IN.repair.share is None


def test_every_default_exemption_is_a_namespace_that_makes_accelerators_usable() -> None:
    (rule,) = BUILT_IN.exemptions.rules
    for name in ("gpu-operator", "nvidia-gpu-operator", "kube-amd-gpu"):
        assert rule.names_namespace(name)
    assert not rule.names_namespace("ai-serving")
    assert (rule.users, rule.groups, rule.runtime_classes, rule.until) == ((), (), (), None)
    assert not BUILT_IN.exemptions.pods


def test_a_rule_of_exemption_says_who_why_and_until_when() -> None:
    who = "namespaces: [mine-*], users: [alice], groups: [admins], runtimeClasses: [kata-*]"
    made = policy(f"exemptions: {{pods: true, rules: [{{reason: moving, until: '2027-01-31T00:00:00Z', {who}}}]}}")
    assert made.exemptions == Exemptions(
        rules=(
            ExemptionRule(
                reason="moving",
                until=datetime(2027, 1, 31, tzinfo=UTC),
                namespaces=("mine-*",),
                users=("alice",),
                groups=("admins",),
                runtime_classes=("kata-*",),
            ),
        ),
        pods=True,
    )


def test_a_match_reads_patterns_and_selectors() -> None:
    made = policy(
        "match: {accelerators: [nvidia.com/mig-*], namespaces: [ai-*], namespaceSelector: {matchLabels: {tier: gold}},"
        " podSelector: {matchExpressions: [{key: app, operator: In, values: [llm]}, {key: old, operator: Exists}]}}"
    )
    assert made.match == Match(
        accelerators=("nvidia.com/mig-*",),
        namespaces=("ai-*",),
        namespace_selector=LabelSelector((LabelRequirement("tier", "In", ("gold",)),)),
        pod_selector=LabelSelector((LabelRequirement("app", "In", ("llm",)), LabelRequirement("old", "Exists"))),
    )


def test_the_built_in_policy_matches_everything_and_lets_namespaces_raise() -> None:
    assert (BUILT_IN.match, BUILT_IN.priority, BUILT_IN.overrides) == (EVERYTHING, 0, Overrides())
    assert policy("overrides: {audit: any}").overrides == Overrides(audit=Override.ANY)


def test_what_verification_asks_is_laid_over_the_built_in_values() -> None:
    assert BUILT_IN.verification == Verification(local_memory_percent=99, settle_seconds=30) == Verification()
    assert policy("verification: {settleSeconds: 0}").verification == Verification(settle_seconds=0)
    assert policy("verification: {localMemoryPercent: 90}").verification == Verification(local_memory_percent=90)
    assert policy("verification: {readinessGate: true}").verification == Verification(readiness_gate=True)
    assert policy("verification: {onUnknown: notReady}").verification == Verification(unknown_is_ready=False)
