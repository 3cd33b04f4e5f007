"""Whole requests: both passes, updates, subresources, templates, exemptions."""

from dataclasses import replace
from typing import Any

import pytest
from builders import GPU
from builders import container
from builders import deployment
from builders import equal
from builders import mutating
from builders import pod
from builders import policy
from builders import request
from builders import world

from webhook.domain.jsonpatch import apply
from webhook.domain.levels import Level
from webhook.domain.levels import Modes
from webhook.domain.policy import OFF
from webhook.domain.policy import ExemptionRule
from webhook.domain.policy import Exemptions
from webhook.domain.policy import Governs
from webhook.domain.policy import NamespaceModes
from webhook.engine.decision import Decision
from webhook.engine.decision import Outcome
from webhook.engine.review import review

BAD = pod(container(requests={"cpu": "8", "memory": "32Gi"}, limits={GPU: "1"}))
MISFIT = pod(container(**equal("8", "8Gi", 8)))
ALIGNMENT, LEVEL = "numagate.io/alignment", "numagate.io/level"


def admitted(obj: dict[str, Any]) -> dict[str, Any]:
    """Answer the pod as the mutating pass leaves it."""
    patched = apply(obj, review(mutating(obj), world()).patch)
    assert isinstance(patched, dict)
    return patched


def with_metadata(obj: dict[str, Any], section: str, **values: str) -> dict[str, Any]:
    metadata = {**obj["metadata"], section: {**obj["metadata"].get(section, {}), **values}}
    return {**obj, "metadata": metadata}


def codes(decision: Decision) -> list[str]:
    return [finding.code for finding in decision.findings]


def test_the_mutating_pass_repairs_and_signs() -> None:
    decision = review(mutating(BAD), world())

    signed = admitted(BAD)
    assert (decision.outcome, decision.allowed, len(decision.warnings)) == (Outcome.REPAIR, True, 2)
    assert signed["spec"]["containers"][0]["resources"]["limits"] == {GPU: "1", "cpu": "8", "memory": "32Gi"}
    assert signed["metadata"]["labels"] == {LEVEL: "aligned"}
    assert '"cpus":8' in signed["metadata"]["annotations"][ALIGNMENT]


def test_what_the_mutating_pass_made_is_accepted_and_not_changed_again() -> None:
    signed = admitted(BAD)

    assert review(request(signed), world()).outcome is Outcome.ACCEPT
    assert review(mutating(signed), world()).patch == ()


def test_the_mutating_pass_never_denies_and_leaves_a_misfit_alone() -> None:
    decision = review(mutating(MISFIT), world())

    assert (decision.allowed, decision.patch) == (True, ())


def test_the_validating_pass_denies_a_misfit_with_every_finding_as_a_cause() -> None:
    decision = review(request(MISFIT), world())

    assert not decision.allowed
    assert decision.message.startswith("container server: 8 nvidia.com/gpu never fit one NUMA node of generic-2x4")
    assert [field for field, _ in decision.causes] == ["spec.containers[0].resources.limits[nvidia.com/gpu]"]
    assert decision.audit["decision"] == "deny"


def test_a_refusal_names_no_pod_and_is_the_same_each_time() -> None:
    other = {**MISFIT, "metadata": {"generateName": "replica-"}}

    assert review(request(MISFIT), world()).message == review(request(other), world()).message
    assert "llm" not in review(request(MISFIT), world()).message


def test_a_new_pod_without_promise_is_reported_where_repair_should_have_written_it() -> None:
    decision = review(request(pod()), world())

    assert (codes(decision), decision.allowed) == (["missing-promise"], True)


def test_without_repair_no_promise_is_asked_for() -> None:
    no_repair = world(modes=Modes(repair=Level.NONE))

    assert review(request(pod()), no_repair).allowed
    assert review(mutating(pod()), no_repair).patch == ()


@pytest.mark.parametrize(
    ("old", "new"),
    [('"cpus":8', '"cpus":9'), ('"numaNodes":1', '"numaNodes":2'), ('"level":"aligned"', '"level":"exclusive"')],
)
def test_a_forged_promise_is_refused(old: str, new: str) -> None:
    signed = admitted(pod())
    text = signed["metadata"]["annotations"][ALIGNMENT]
    assert old in text

    decision = review(request(with_metadata(signed, "annotations", **{ALIGNMENT: text.replace(old, new)})), world())

    assert "forged-promise" in codes(decision)
    assert not decision.allowed


def test_policy_and_generation_of_a_promise_are_information_only() -> None:
    signed = admitted(pod())
    generation = policy().generation

    other = signed["metadata"]["annotations"][ALIGNMENT].replace(generation, "000000000000")

    assert review(request(with_metadata(signed, "annotations", **{ALIGNMENT: other})), world()).allowed


def test_an_incoming_promise_is_overwritten_with_a_warning() -> None:
    forged = with_metadata(pod(), "annotations", **{ALIGNMENT: '{"v":1}'})

    decision = review(mutating(forged), world())

    assert decision.warnings == ("annotation numagate.io/alignment replaced: only numagate writes it",)
    assert admitted(forged) == admitted(pod())


def test_an_incoming_promise_on_a_pod_that_is_not_governed_is_removed() -> None:
    forged = with_metadata(pod(container(image="x/train:1")), "annotations", **{ALIGNMENT: "{}"})

    decision = review(mutating(forged), world(governs=Governs.INFERENCE))

    assert [operation.as_dict() for operation in decision.patch] == [
        {"op": "remove", "path": "/metadata/annotations/numagate.io~1alignment"}
    ]


def test_an_existing_label_is_never_changed_and_a_wrong_one_is_refused() -> None:
    labelled = with_metadata(pod(), "labels", **{LEVEL: "guaranteed"})

    signed = admitted(labelled)

    assert signed["metadata"]["labels"][LEVEL] == "guaranteed"
    assert codes(review(request(signed), world())) == ["forged-level"]


def test_an_update_may_not_change_the_promise() -> None:
    signed = admitted(pod())
    changes = {
        "changed": with_metadata(signed, "annotations", **{ALIGNMENT: "{}"}),
        "relabelled": with_metadata(signed, "labels", **{LEVEL: "none"}),
        "removed": pod(),
    }
    for name, changed in changes.items():
        decision = review(request(changed, operation="UPDATE", old_object=signed), world())
        assert (name, set(codes(decision)), decision.allowed) == (name, {"changed-promise"}, False)


def test_an_update_that_leaves_the_promise_alone_passes_whatever_the_spec_says() -> None:
    old = {**MISFIT, "metadata": {**MISFIT["metadata"], "finalizers": ["a"]}}

    decision = review(request(MISFIT, operation="UPDATE", old_object=old), world())

    assert (decision.allowed, decision.patch) == (True, ())


def test_an_update_is_never_patched() -> None:
    assert review(mutating(BAD, operation="UPDATE", old_object=BAD), world()).patch == ()


def test_an_unknown_subresource_is_judged_like_an_update() -> None:
    decision = review(request(pod(), operation="UPDATE", subresource="new", old_object=admitted(pod())), world())

    assert not decision.allowed


def test_a_debug_container_passes() -> None:
    debugged = pod(ephemeralContainers=[{"name": "debug", "image": "x"}])

    assert review(request(debugged, operation="UPDATE", subresource="ephemeralcontainers"), world()).allowed


def test_a_resize_that_breaks_the_promise_is_denied() -> None:
    decision = review(
        request(pod(container(**equal("7500m"))), operation="UPDATE", subresource="resize", old_object=pod()), world()
    )

    assert (codes(decision), decision.allowed) == (["resized-promise"], False)
    assert "recreate the pod" in decision.message


def test_a_resize_of_a_helper_passes_with_a_warning() -> None:
    old = pod(container(**equal()), container("proxy", **equal("500m", "1Gi", None)))
    new = pod(container(**equal()), container("proxy", **equal("600m", "1Gi", None)))

    decision = review(request(new, operation="UPDATE", subresource="resize", old_object=old), world())

    assert decision.allowed
    assert "Infeasible" in decision.warnings[0]


def test_a_template_whose_pods_would_be_denied_is_denied_with_its_own_path() -> None:
    decision = review(request(deployment(MISFIT)), world())

    assert not decision.allowed
    assert decision.causes[0][0] == "spec.template.spec.containers[0].resources.limits[nvidia.com/gpu]"


def test_a_template_that_would_be_repaired_is_warned_about_and_never_patched() -> None:
    decision = review(request(deployment(BAD)), world())

    assert (decision.outcome, decision.allowed, decision.patch) == (Outcome.REPAIR, True, ())
    assert decision.warnings[0] == "server: write limits.cpu: 8 (is unset); its pods will be repaired so"


def test_a_template_without_values_only_warns_because_they_may_still_be_filled_in() -> None:
    decision = review(request(deployment(pod(container(limits={GPU: "1"})))), world(machine=None))

    assert decision.allowed
    assert decision.warnings


def test_an_update_that_leaves_the_template_unchanged_passes() -> None:
    scaled = deployment(MISFIT)
    scaled["spec"]["replicas"] = 5

    decision = review(request(scaled, operation="UPDATE", old_object=deployment(MISFIT)), world())

    assert (decision.outcome, decision.allowed) == (Outcome.SKIP, True)


def test_an_object_with_a_controller_owner_gets_audit_only() -> None:
    owned = deployment(MISFIT, ownerReferences=[{"kind": "App", "controller": True}])

    decision = review(request(owned), world())

    assert (decision.allowed, decision.warnings, decision.audit["decision"]) == (True, (), "deny")


def test_our_level_label_in_a_template_or_selector_is_denied() -> None:
    labelled = deployment(pod())
    labelled["spec"]["template"]["metadata"]["labels"][LEVEL] = "aligned"
    selected = deployment(pod())
    selected["spec"]["selector"]["matchLabels"][LEVEL] = "aligned"

    assert [review(request(one), world()).causes[0][0] for one in (labelled, selected)] == [
        "spec.template.metadata.labels[numagate.io/level]",
        "spec.selector.matchLabels[numagate.io/level]",
    ]


def test_observing_denies_and_patches_nothing() -> None:
    observe = world(modes=replace(OFF, warn=Level.ALIGNED, audit=Level.ALIGNED))
    for made in (request(MISFIT), mutating(BAD), request(deployment(MISFIT)), request(BAD)):
        decision = review(made, observe)
        assert (decision.allowed, decision.patch) == (True, ())
    assert review(request(MISFIT), observe).warnings


def test_modes_of_the_namespace_hold() -> None:
    relaxed = world(namespaces=(NamespaceModes(("team-*",), OFF),))

    assert review(request(MISFIT), relaxed).allowed
    assert not review(request(MISFIT, namespace="prod"), relaxed).allowed


@pytest.mark.parametrize("namespace", ["kube-system", "numagate-system", "gpu-operator"])
def test_exempt_namespaces_are_not_judged(namespace: str) -> None:
    assert review(request(MISFIT, namespace=namespace), world()).outcome is Outcome.SKIP


def test_a_mirror_pod_is_known_by_all_three_signs() -> None:
    mirror = pod(
        container(**equal("8", "8Gi", 8)),
        annotations={"kubernetes.io/config.mirror": "x"},
        ownerReferences=[{"kind": "Node", "name": "n1"}],
    )

    assert review(request(mirror, groups=("system:nodes",)), world()).outcome is Outcome.SKIP
    assert not review(request(mirror, groups=("system:authenticated",)), world()).allowed


def test_exempt_requesters_are_not_judged() -> None:
    exemptions = Exemptions(rules=(ExemptionRule("tests", users=("alice",), groups=("admins",)),), pods=False)

    assert review(request(MISFIT, username="alice"), world(exemptions=exemptions)).allowed
    assert review(request(MISFIT, username="bob", groups=("admins",)), world(exemptions=exemptions)).allowed
    assert not review(request(MISFIT, username="bob"), world(exemptions=exemptions)).allowed


@pytest.mark.parametrize(
    ("annotations", "allowed"),
    [
        ({"numagate.io/exempt": "migration"}, True),
        ({"numagate.io/exempt": "  "}, False),
        ({"numagate.io/exempt": "m", "numagate.io/exempt-until": "2026-12-01T00:00:00Z"}, True),
        ({"numagate.io/exempt": "m", "numagate.io/exempt-until": "2026-11-01T00:00:00Z"}, False),
        ({"numagate.io/exempt": "m", "numagate.io/exempt-until": "soon"}, False),
    ],
)
def test_a_pods_own_exemption_is_honoured_only_where_the_policy_says_so(
    annotations: dict[str, str], allowed: bool
) -> None:
    exempt = {**MISFIT, "metadata": {**MISFIT["metadata"], "annotations": annotations}}
    honoured = world(exemptions=replace(policy().exemptions, pods=True))

    assert review(request(exempt), honoured).allowed == allowed
    assert not review(request(exempt), world()).allowed


def test_a_kind_that_is_not_known_passes_with_a_word() -> None:
    decision = review(request({"kind": "Thing", "apiVersion": "x/v1"}), world())

    assert (decision.outcome, decision.allowed) == (Outcome.UNKNOWN, True)
    assert "does not know kind Thing" in decision.warnings[0]


def test_a_delete_passes() -> None:
    assert review(request(None, operation="DELETE"), world()).outcome is Outcome.SKIP


def test_the_refusal_speaks_of_the_pod_as_a_repair_would_leave_it() -> None:
    wide = pod(container(requests={"cpu": "100", "memory": "32Gi"}, limits={GPU: "1"}))

    message = review(request(wide), world()).message

    assert message.startswith("container server: cpu 100 never fits one NUMA node of generic-2x4 (94 per NUMA node)")
    assert "cpu has a request of 100 but no limit" in message


def test_a_template_that_is_exempt_by_its_own_wish_passes() -> None:
    legacy = deployment(MISFIT)
    legacy["spec"]["template"]["metadata"]["annotations"] = {"numagate.io/exempt": "legacy"}

    honoured = world(exemptions=replace(policy().exemptions, pods=True))

    assert review(request(legacy), honoured).allowed
    assert not review(request(legacy), world()).allowed


def test_an_exempt_pod_earns_no_promise() -> None:
    honoured = world(exemptions=replace(policy().exemptions, pods=True))
    forged = with_metadata(admitted(pod()), "annotations", **{"numagate.io/exempt": "legacy"})

    assert [operation.op for operation in review(mutating(forged), honoured).patch] == ["remove"]
    assert set(codes(review(request(forged), honoured))) == {"forged-promise", "forged-level"}


def test_an_update_cannot_exempt_itself() -> None:
    honoured = world(exemptions=replace(policy().exemptions, pods=True))
    signed = admitted(pod())
    changed = with_metadata(signed, "annotations", **{"numagate.io/exempt": "x", ALIGNMENT: "{}"})

    assert not review(request(changed, operation="UPDATE", old_object=signed), honoured).allowed


@pytest.mark.parametrize("level", ["aligned", "superb"])
def test_a_promise_of_another_generation_may_not_claim_more_than_is_earned(level: str) -> None:
    unknown = world(machine=None, modes=Modes(repair=Level.NONE))
    text = admitted(pod())["metadata"]["annotations"][ALIGNMENT]
    claimed = text.replace('"level":"aligned"', f'"level":"{level}"').replace(policy().generation, "zzz")
    forged = with_metadata(pod(), "annotations", **{ALIGNMENT: claimed})

    assert codes(review(request(forged), unknown))[-1] == "forged-promise"


def test_a_selector_expression_on_our_level_label_is_denied() -> None:
    selected = deployment(pod())
    selected["spec"]["selector"]["matchExpressions"] = [{"key": LEVEL, "operator": "DoesNotExist"}]

    assert codes(review(request(selected), world())) == ["level-in-template"]


def test_a_forged_annotation_does_not_make_limit_range_defaults_a_choice() -> None:
    defaulted = pod(
        container(requests={"cpu": "1", "memory": "128Mi"}, limits={"cpu": "1", "memory": "128Mi", GPU: "1"}),
        annotations={
            ALIGNMENT: "{}",
            "kubernetes.io/limit-ranger": "LimitRanger plugin set: cpu, memory request for container server; "
            "cpu, memory limit for container server",
        },
    )

    resources = admitted(defaulted)["spec"]["containers"][0]["resources"]

    assert resources["limits"] == {"cpu": "22", "memory": "252Gi", GPU: "1"}


def test_a_class_that_the_api_server_gave_is_believed() -> None:
    """Before Kubernetes 1.37 an empty spec.resources made a pod BestEffort, and the mutating pass cannot see that."""
    signed = admitted({**pod(), "spec": {**pod()["spec"], "resources": {}}})

    assert review(request(signed), world()).allowed
    decision = review(request({**signed, "status": {"qosClass": "BestEffort"}}), world())
    assert (codes(decision), decision.allowed) == (["non-guaranteed-qos"], False)


def test_observing_says_what_enforcing_would_refuse_of_a_template() -> None:
    observe = world(modes=replace(OFF, warn=Level.ALIGNED, audit=Level.ALIGNED))
    labelled = deployment(pod())
    labelled["spec"]["template"]["metadata"]["labels"][LEVEL] = "aligned"

    decision = review(request(labelled), observe)

    assert (decision.allowed, decision.audit["findings"]) == (True, "level-in-template")
    assert "level-in-template" in decision.warnings[0]


def test_observing_audits_a_forged_level() -> None:
    observe = world(modes=replace(OFF, warn=Level.ALIGNED, audit=Level.ALIGNED))
    labelled = with_metadata(pod(), "labels", **{LEVEL: "guaranteed"})

    decision = review(request(labelled), observe)

    assert (decision.outcome, decision.audit["findings"]) == (Outcome.WARN, "forged-level")
