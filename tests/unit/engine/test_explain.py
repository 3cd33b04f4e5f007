"""What explain says of a template: the pod it explains, its classes, and what it leaves out."""

from dataclasses import replace
from typing import Any

import pytest
from builders import GPU
from builders import container
from builders import deployment
from builders import equal
from builders import pod
from explanations import explained
from explanations import explained_text
from explanations import only
from kubelets import machine

from webhook.domain.fit import Fits
from webhook.domain.policy import Governs
from webhook.engine.explain import NO_ACCELERATOR
from webhook.engine.explain import NO_PODS
from webhook.sources.policy_file import load_profiles

UNEQUAL = pod(container(**{**equal("8"), "requests": {"cpu": "4", "memory": "32Gi", GPU: "1"}}))
EIGHT = pod(container(**equal("8", "32Gi", 8)))


def test_a_pod_that_fits_is_placed_and_counted() -> None:
    template, one = only(explained(pod(container(**equal("16", "64Gi", 2)))))

    assert (template.result.decision, template.repaired, template.qos) == ("accept", False, "Guaranteed")
    assert (one.name, one.kubelet, one.handler, one.fits, one.replicas) == (
        "two-socket-32c",
        "admitted",
        None,
        Fits.YES,
        2,
    )
    assert [(merge.container, merge.cells) for merge in one.trace.merges] == [("server", (0,))]
    assert [cpu.owner for cpu in one.drawing.sockets[0].cells[0].cpus] == [0] * 16 + [None] * 16


def test_a_pod_that_does_not_fit_is_told_in_the_kubelets_words_and_what_to_write_instead() -> None:
    _, one = only(explained(EIGHT))

    assert one.kubelet == "TopologyAffinityError: Resources cannot be allocated with Topology locality"
    assert (one.handler, one.fits, one.replicas) == ("topology-manager", Fits.NO, 0)
    assert one.shapes[0].text == "run 2 replicas of 4 GPUs, 4 CPUs and 16Gi each"


def test_a_pod_that_lacks_other_things_too_is_told_the_same_shapes_as_in_its_refusal() -> None:
    template, one = only(explained(pod(container(**equal("8", "32Gi", 8)), container("exporter"))))

    assert (template.result.decision, template.qos) == ("deny", "Burstable")
    assert one.shapes[0].text == "run 2 replicas of 4 GPUs, 4 CPUs and 16Gi each"
    assert one.shapes[0].text in template.because[0]


@pytest.mark.parametrize(
    ("cpu", "memory", "told"),
    [
        ("28", "16Gi", "3 of 4 nvidia.com/gpu stay idle on a NUMA node with 3 of 31 CPUs left"),
        ("2", "220Gi", "3 of 4 nvidia.com/gpu stay idle on a NUMA node with 20Gi of 240Gi memory left"),
        ("10", "16Gi", "1 of 4 nvidia.com/gpu stays idle on a NUMA node with 1 of 31 CPUs left"),
        ("7", "60Gi", ""),
    ],
)
def test_accelerators_that_stay_idle_beside_the_replicas_are_told(cpu: str, memory: str, told: str) -> None:
    assert only(explained(pod(container(**equal(cpu, memory, 1)))))[1].stranded == told


def test_a_pod_for_several_numa_nodes_leaves_nothing_stranded() -> None:
    wide = pod(container(**equal("188", "1900Gi", 6)), annotations={"numagate.io/numa-nodes": "2"})

    assert only(explained(wide, machine="generic-2x4-restricted"))[1].stranded == ""


def test_a_denied_pod_says_what_no_repair_cures() -> None:
    template, _ = only(explained(EIGHT))

    assert [reason.partition(" (")[0] for reason in template.because] == [
        "container server: 8 nvidia.com/gpu never fit one NUMA node of two-socket-32c"
    ]


def test_an_uneven_spread_is_a_reason_of_the_class_and_of_the_denial() -> None:
    wide = pod(container(**equal("120", "1200Gi", 8)), annotations={"numagate.io/numa-nodes": "2"})
    template, one = only(explained(wide, machine="generic-2x4-restricted"))

    assert (one.fits, one.reason) == (Fits.YES, "CPUs per NUMA node are 94, 26")
    assert len(template.because) == 1


def test_a_pod_is_explained_as_it_is_after_the_repair() -> None:
    template, one = only(explained(UNEQUAL))

    assert (template.repaired, template.qos, template.containers[0].requests["cpu"]) == (True, "Guaranteed", "8")
    assert [edit.new for edit in template.result.edits] == ["8"]
    assert one.fits is Fits.YES


def test_a_pod_can_be_explained_as_it_is_written() -> None:
    template, one = only(explained(UNEQUAL, as_written=True))

    assert (template.repaired, template.qos, template.containers[0].requests["cpu"]) == (False, "Burstable", "4")
    assert (one.fits, one.reason) == (Fits.NO, "container server gets no exclusive CPUs")
    assert template.notes == ("explained as written; the webhook would change 1 value first",)


def test_a_template_is_explained_with_its_place() -> None:
    template, _ = only(explained(deployment(pod())))

    assert (template.result.kind, template.result.path) == ("Deployment", "spec.template.spec")


def test_every_eligible_class_is_explained_and_the_others_say_why_not() -> None:
    classes = (machine(), replace(machine(devices={}), name="bare"))
    (template,) = explained(pod(container(**equal("4", "8Gi", 1))), classes=classes).templates

    assert [one.name for one in template.classes] == ["m"]
    assert template.ineligible == {"bare": "has no nvidia.com/gpu"}


def test_a_class_that_the_pod_selects_against_says_so() -> None:
    chosen = pod(nodeSelector={"nvidia.com/gpu.count": "16"})
    (template,) = explained(chosen, machine="dgx-h100").templates

    assert template.classes == ()
    assert template.ineligible == {
        "dgx-h100": "nodeSelector nvidia.com/gpu.count=16 does not match nvidia.com/gpu.count=8"
    }
    assert template.notes == ("no node class that it could go to is known: name one with --profile",)


def test_a_class_without_such_devices_says_so() -> None:
    (template,) = explained(pod(), machine="aurora-pvc").templates

    assert template.ineligible == {"aurora-pvc": "has no nvidia.com/gpu"}


def test_settings_name_policies_and_options() -> None:
    _, one = only(explained(pod(), machine="gb200-tray-numa"))

    assert one.settings == {
        "topologyManagerPolicy": "single-numa-node (max-allowable-numa-nodes=34)",
        "topologyManagerScope": "pod",
        "cpuManagerPolicy": "static (full-pcpus-only)",
        "memoryManagerPolicy": "None",
        "version": "1.37",
    }


@pytest.mark.parametrize(
    ("obj", "reason"),
    [
        ({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}, NO_PODS),
        ({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}}, NO_PODS),
        (pod({"name": "web", "image": "nginx"}), NO_ACCELERATOR),
    ],
)
def test_what_has_no_pod_to_place_is_skipped_with_a_reason(obj: dict[str, Any], reason: str) -> None:
    explanation = explained(obj)

    assert explanation.templates == ()
    assert [one.reason for one in explanation.skipped] == [reason]


def test_devices_by_claim_are_skipped_with_a_reason() -> None:
    explanation = explained(pod({"name": "server", "image": "vllm"}, resourceClaims=[{"name": "gpu"}]))

    assert [one.reason for one in explanation.skipped] == [
        "gets its devices by resource claims, whose NUMA nodes are not known here"
    ]


def test_a_part_of_an_unknown_kind_is_taken_for_a_pod_and_says_so() -> None:
    custom = {"apiVersion": "example.com/v1", "kind": "Fleet", "metadata": {"name": "f"}, "spec": pod()["spec"]}
    template, one = only(explained(custom))

    assert one.fits is Fits.YES
    assert template.notes == ("the kind is not known: this part is taken for a pod",)


def test_amounts_that_only_an_operator_understands_are_skipped() -> None:
    custom = {"apiVersion": "example.com/v1", "kind": "Fleet", "metadata": {"name": "f"}}
    explanation = explained({**custom, "spec": {"worker": {"resources": {"gpu": 2}}}})

    assert explanation.templates == ()
    assert [one.reason for one in explanation.skipped] == [
        "asks for devices in words of its own: explain the pods made of it"
    ]


def test_what_the_api_server_refuses_is_not_placed() -> None:
    (template,) = explained(pod(container(limits={GPU: "one"}))).templates

    assert (template.classes, template.result.decision) == ((), "invalid")
    assert template.notes[0].startswith("malformed-quantity: ")


def test_too_many_containers_are_not_simulated() -> None:
    crowd = [container(f"c{number}", **equal("1", "1Gi", 1)) for number in range(1000)]
    (template,) = explained(pod(*crowd)).templates

    assert template.classes == ()
    assert "1000 containers are too many" in " ".join(template.notes)


def test_an_exempt_pod_is_explained_as_written() -> None:
    exempt = {**UNEQUAL, "metadata": {"name": "llm", "namespace": "kube-system"}}
    template, _ = only(explained(exempt))

    assert (template.repaired, template.result.decision) == (False, "skip")
    assert template.notes == (
        "namespace kube-system is exempt: its pods are neither repaired nor refused (it must start without numagate)",
    )


def test_a_pod_that_the_policy_does_not_govern_is_explained_as_written() -> None:
    training = pod(container(image="registry.example/train:1", **equal()))
    template, _ = only(explained(training, governs=Governs.INFERENCE))

    assert template.notes == (
        "the policy does not govern it (not recognised as inference): it is neither repaired nor refused",
    )


def test_an_exempt_pod_that_the_api_server_refuses_says_both() -> None:
    broken = pod(container(limits={GPU: "one"}))
    (template,) = explained({**broken, "metadata": {"name": "llm", "namespace": "kube-system"}}).templates

    assert [note.partition(":")[0] for note in template.notes] == [
        "namespace kube-system is exempt",
        "malformed-quantity",
    ]


def test_a_class_with_a_negative_option_shows_its_value() -> None:
    _, one = only(explained(pod(), classes=(machine(cpu_manager_policy_options={"full-pcpus-only": "false"}),)))

    assert one.settings["cpuManagerPolicy"] == "static (full-pcpus-only=false)"


def test_feature_gates_are_among_the_settings() -> None:
    _, one = only(explained(pod(), classes=(machine(feature_gates={"CPUManagerPolicyAlphaOptions": True}),)))

    assert one.settings["featureGates"] == "CPUManagerPolicyAlphaOptions=true"


def test_a_limit_range_in_the_input_is_applied() -> None:
    limits = {
        "apiVersion": "v1",
        "kind": "LimitRange",
        "metadata": {"name": "l", "namespace": "team-a"},
        "spec": {"limits": [{"type": "Container", "default": {"cpu": "1990m", "memory": "1Gi"}}]},
    }
    helper = {"name": "proxy", "image": "registry.example/proxy:1"}
    template, _ = only(explained(limits, pod(container(**equal()), helper)))

    assert dict(template.containers[1].requests) == {"cpu": "1990m", "memory": "1Gi"}


def test_a_document_that_cannot_be_read_is_an_error_beside_the_rest() -> None:
    explanation = explained_text("a: 1\na: 2\n---\napiVersion: v1\nkind: Service\n")

    assert [error.message for error in explanation.errors] == ["key 'a' is given twice: first on line 1"]
    assert (explanation.exit_code, len(explanation.skipped)) == (2, 1)


def test_an_explanation_of_misfits_ends_with_0() -> None:
    assert explained(EIGHT).exit_code == 0


def test_an_assumed_class_is_named() -> None:
    explanation = explained(pod(), classes=load_profiles("generic-2x4", assumed=True))

    assert (explanation.assumed, explanation.templates[0].classes[0].assumed) == (("generic-2x4",), True)
