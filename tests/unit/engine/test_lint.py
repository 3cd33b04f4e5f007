"""Manifests become results: one per pod template, with places in the file and the decisions of the engine."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml
from builders import GPU
from builders import container
from builders import deployment
from builders import equal
from builders import pod
from builders import policy
from builders import world

import webhook.workloads
from webhook import registry
from webhook.domain.errors import InputError
from webhook.domain.levels import Level
from webhook.domain.levels import Modes
from webhook.domain.policy import OFF
from webhook.domain.policy import Verification
from webhook.domain.report import ReadError
from webhook.domain.report import Report
from webhook.domain.report import Result
from webhook.domain.workload import Workload
from webhook.engine.lint import lint
from webhook.engine.readiness import UNANSWERED
from webhook.engine.world import World
from webhook.sources.chunk import split
from webhook.sources.manifests import Reading
from webhook.sources.manifests import read_manifests

WORKLOADS = registry.load(webhook.workloads, "WORKLOAD", Workload)
UNEQUAL = pod(container(**{**equal("8"), "requests": {"cpu": "4", "memory": "32Gi", GPU: "1"}}))


def read(tmp_path: Path, *objects: dict[str, Any]) -> Reading:
    file = tmp_path / "f.yaml"
    file.write_text(yaml.safe_dump_all(objects, sort_keys=False), "utf-8")
    with file.open("rb") as nothing:
        return read_manifests([str(file)], stdin=nothing)


def judge(tmp_path: Path, *objects: dict[str, Any], known: World | None = None, namespace: str = "default") -> Report:
    return lint(
        read(tmp_path, *objects).manifests,
        (),
        files=1,
        world=known or world(),
        workloads=WORKLOADS,
        default_namespace=namespace,
    )


def only(tmp_path: Path, *objects: dict[str, Any], known: World | None = None) -> Result:
    (result,) = judge(tmp_path, *objects, known=known).results
    return result


def codes(result: Result) -> list[str]:
    return [finding.code for finding in result.findings]


def test_a_good_pod_is_accepted_with_everything_that_is_known_of_it(tmp_path: Path) -> None:
    result = only(tmp_path, pod())
    assert (result.kind, result.name, result.namespace, result.path) == ("Pod", "llm", "team-a", "spec")
    assert (result.decision, result.level, result.qos) == ("accept", "aligned", "Guaranteed")
    assert [(one.name, one.fits, one.fits_after_repair) for one in result.classes] == [("generic-2x4", "yes", "yes")]


def test_findings_and_edits_have_paths_and_lines_of_the_file(tmp_path: Path) -> None:
    result = only(tmp_path, deployment(UNEQUAL))
    path = "spec.template.spec.containers[0].resources.requests[cpu]"
    text = (tmp_path / "f.yaml").read_text("utf-8").split("\n")
    (finding,), (edit,) = result.findings, result.edits
    assert (result.decision, result.path, finding.path, edit.path) == ("repair", "spec.template.spec", path, path)
    assert (text[result.line - 1].strip(), text[finding.line - 1].strip()) == ("spec:", "cpu: '4'")
    assert (edit.line, edit.old, edit.new) == (finding.line, "4", "8")


def test_paths_in_a_list_start_at_the_document(tmp_path: Path) -> None:
    result = only(tmp_path, {"apiVersion": "v1", "kind": "List", "items": [UNEQUAL]})
    assert (result.path, result.findings[0].path) == (
        "items[0].spec",
        "items[0].spec.containers[0].resources.requests[cpu]",
    )


def test_every_object_of_every_document_has_its_results_in_order(tmp_path: Path) -> None:
    report = judge(tmp_path, pod(), deployment(UNEQUAL), pod(container(image="registry.example/web:1")))
    found = [(result.document, result.decision) for result in report.results]
    assert found == [(0, "accept"), (1, "repair"), (2, "skip")]


def test_objects_without_pods_are_counted_and_not_reported(tmp_path: Path) -> None:
    service = {"apiVersion": "v1", "kind": "Service", "spec": {"selector": {"app": "llm"}}}
    runtime = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "handler": "nvidia"}
    report = judge(tmp_path, service, runtime, pod())
    assert (report.ignored, len(report.results)) == (2, 1)


def test_a_template_owned_by_a_controller_is_judged_all_the_same(tmp_path: Path) -> None:
    owned = pod(ownerReferences=[{"kind": "ReplicaSet", "controller": True}])
    assert only(tmp_path, owned).decision == "accept"


def test_a_name_that_the_server_generates_is_shown_by_its_prefix(tmp_path: Path) -> None:
    generated = {**pod(), "metadata": {"generateName": "llm-"}}
    assert only(tmp_path, generated).name == "llm-"


def test_an_object_without_namespace_goes_to_the_default_one(tmp_path: Path) -> None:
    bare = {**pod(), "metadata": {"name": "llm"}}
    (result,) = judge(tmp_path, bare, namespace="prod").results
    assert result.namespace == "prod"


def test_a_workload_without_a_template_is_invalid(tmp_path: Path) -> None:
    result = only(tmp_path, {"apiVersion": "batch/v1", "kind": "CronJob", "spec": {"schedule": "* * * * *"}})
    assert (result.decision, codes(result), result.level) == ("invalid", ["missing-pod-template"], None)
    assert result.path == "spec.jobTemplate.spec.template.spec"


def test_a_pod_of_an_unknown_kind_is_judged_and_never_called_fine(tmp_path: Path) -> None:
    custom = {"apiVersion": "acme.example/v1", "kind": "Gizmo", "spec": {"worker": {"spec": UNEQUAL["spec"]}}}
    result = only(tmp_path, custom)
    assert (result.decision, result.path, codes(result)) == (
        "unknown",
        "spec.worker.spec",
        ["unknown-kind", "unequal-resources"],
    )
    assert "Gizmo (acme.example/v1) is not a known kind" in result.findings[0].message
    assert [edit.path for edit in result.edits] == ["spec.worker.spec.containers[0].resources.requests[cpu]"]


def test_an_aligned_pod_of_an_unknown_kind_is_still_unknown(tmp_path: Path) -> None:
    custom = {"apiVersion": "acme.example/v1", "kind": "Gizmo", "spec": {"worker": {"spec": pod()["spec"]}}}
    assert only(tmp_path, custom).decision == "unknown"


def test_a_version_that_is_not_served_is_unknown_and_names_the_right_one(tmp_path: Path) -> None:
    old = {**deployment(pod()), "apiVersion": "extensions/v1beta1"}
    result = only(tmp_path, old)
    assert (result.decision, "write apps/v1" in result.findings[0].message) == ("unknown", True)


def test_a_kind_of_another_group_that_has_the_same_name_is_not_taken_for_it(tmp_path: Path) -> None:
    strange = {**deployment(pod()), "apiVersion": "acme.example/v1", "kind": "Job"}
    assert "is not a known kind" in only(tmp_path, strange).findings[0].message


def test_a_version_of_an_operator_s_kind_that_is_not_known_names_the_known_one(tmp_path: Path) -> None:
    newer = {**deployment(pod()), "apiVersion": "leaderworkerset.x-k8s.io/v9", "kind": "LeaderWorkerSet"}
    assert "write leaderworkerset.x-k8s.io/v1" in only(tmp_path, newer).findings[0].message


def test_a_sign_on_an_object_announces_what_its_pods_will_get(tmp_path: Path) -> None:
    sign = {"model.aibrix.ai/sidecar-injection": "true"}
    storm = {"kind": "StormService", "metadata": {"annotations": sign}, "spec": {"spec": pod()["spec"]}}
    assert codes(only(tmp_path, storm)) == ["unknown-kind", "injected-containers"]
    assert codes(only(tmp_path, deployment(pod(), annotations=sign))) == ["injected-containers"]


def test_an_object_without_kind_is_walked_too(tmp_path: Path) -> None:
    result = only(tmp_path, {"worker": pod()["spec"]})
    assert (result.kind, result.decision) == ("", "unknown")


def test_accelerators_in_words_of_an_operator_are_named_without_a_verdict(tmp_path: Path) -> None:
    custom = {"apiVersion": "x/v1", "kind": "Graph", "spec": {"resources": {"limits": {"gpu": "1"}}}}
    result = only(tmp_path, custom)
    assert (result.decision, result.qos, result.classes, codes(result)) == ("unknown", None, (), ["unknown-kind"])


def test_a_limit_range_of_the_namespace_fills_in_before_the_verdict(tmp_path: Path) -> None:
    spec = {"limits": [{"type": "Container", "default": {"cpu": "500m", "memory": "128Mi"}}]}
    ranges = {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"namespace": "team-a"}, "spec": spec}
    helped = pod(container(**equal()), container("helper", image="registry.example/sidecar:1"))
    without, within = only(tmp_path, helped), judge(tmp_path, helped, ranges)
    assert (without.decision, within.results[0].decision, within.ignored) == ("repair", "accept", 1)
    assert within.results[0].qos == "Burstable"  # as written


def test_what_a_limit_range_gives_an_accelerator_container_counts_as_missing(tmp_path: Path) -> None:
    spec = {"limits": [{"type": "Container", "default": {"cpu": "2", "memory": "128Mi"}}]}
    ranges = {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"namespace": "team-a"}, "spec": spec}
    (result,) = judge(tmp_path, ranges, pod(container(limits={GPU: "1"}))).results
    assert (result.decision, set(codes(result))) == ("repair", {"missing-resources"})


def test_a_limit_range_of_another_namespace_has_no_effect(tmp_path: Path) -> None:
    spec = {"limits": [{"type": "Container", "default": {"cpu": "500m", "memory": "128Mi"}}]}
    ranges = {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"namespace": "team-b"}, "spec": spec}
    (result,) = judge(tmp_path, ranges, pod(container(limits={GPU: "1"}))).results
    assert result.qos == "BestEffort"


def test_a_namespace_label_raises_what_the_policy_enforces(tmp_path: Path) -> None:
    relaxed = world(modes=OFF)
    labels = {"numagate.io/enforce": "guaranteed"}
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-a", "labels": labels}}
    assert only(tmp_path, UNEQUAL, known=relaxed).decision == "warn"
    assert only(tmp_path, namespace, UNEQUAL, known=relaxed).decision == "deny"


def test_a_namespace_label_without_effect_is_a_result_of_its_own(tmp_path: Path) -> None:
    labels = {"numagate.io/enforce": "none", "numagate.io/repair": "alligned"}
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-a", "labels": labels}}
    result = only(tmp_path, namespace)
    assert (result.kind, result.namespace, result.path) == ("Namespace", "team-a", "metadata.labels")
    assert (result.decision, codes(result), result.qos) == ("invalid", ["namespace-level"] * 2, None)


def test_a_lowering_namespace_label_alone_is_a_warning(tmp_path: Path) -> None:
    namespace = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": "team-a", "labels": {"numagate.io/warn": "none"}},
    }
    assert only(tmp_path, namespace).decision == "warn"


def test_the_modes_of_a_namespace_come_from_the_policy(tmp_path: Path) -> None:
    modes = Modes(enforce=Level.NONE, repair=Level.NONE)
    assert only(tmp_path, UNEQUAL, known=world(modes=modes)).decision == "warn"


def test_an_exempt_namespace_is_skipped_with_the_reason(tmp_path: Path) -> None:
    system = {**UNEQUAL, "metadata": {"name": "llm", "namespace": "kube-system"}}
    result = only(tmp_path, system)
    assert (result.decision, codes(result), result.edits, result.qos) == ("skip", ["exempt"], (), "Burstable")


def test_a_pod_that_has_nothing_to_exempt_is_skipped_without_a_word(tmp_path: Path) -> None:
    plain = {**pod(container(image="registry.example/web:1")), "metadata": {"name": "web", "namespace": "kube-system"}}
    assert codes(only(tmp_path, plain)) == []


def test_an_exemption_of_the_pod_holds_where_the_policy_honours_it(tmp_path: Path) -> None:
    exempted = pod(*UNEQUAL["spec"]["containers"], annotations={"numagate.io/exempt": "migration"})
    honouring = world(exemptions=replace(policy().exemptions, pods=True))
    found = [only(tmp_path, exempted, known=known).decision for known in (world(), honouring)]
    assert found == ["repair", "skip"]


def test_assumed_classes_are_named_in_the_report(tmp_path: Path) -> None:
    known = world()
    assumed = replace(known, classes=tuple(replace(one, assumed=True) for one in known.classes))
    assert (judge(tmp_path, pod()).assumed, judge(tmp_path, pod(), known=assumed).assumed) == ((), ("generic-2x4",))


def test_a_denial_shows_what_no_repair_cures(tmp_path: Path) -> None:
    result = only(tmp_path, pod(container(limits={GPU: "8"})))
    misfit = next(finding for finding in result.findings if finding.code == "misfit")
    assert (result.decision, result.edits) == ("deny", ())
    assert "policy restricted" in misfit.message


def test_reading_errors_are_handed_on() -> None:
    error = next(split("f.yaml", "a: 1\n")).error("wrong", 0)
    gone = InputError("gone", file="g")
    report = lint((), (error, gone), files=2, world=world(), workloads=(), default_namespace="x")
    assert report.errors == (ReadError("f.yaml", 0, 1, "wrong"), ReadError("g", None, None, "gone"))
    assert (report.policy, report.files) == (world().policies[0].name, 2)


def test_the_readiness_gate_is_told_where_the_policy_wants_one(tmp_path: Path) -> None:
    wanted = world(verification=Verification(readiness_gate=True))
    verified = replace(wanted, classes=tuple(replace(one, verified=True) for one in wanted.classes))
    idle = world(verification=Verification(readiness_gate=True), modes=replace(OFF, enforce=Level.ALIGNED))
    exempt = {**pod(), "metadata": {"name": "llm", "namespace": "kube-system"}}

    def told(obj: dict[str, Any], known: World) -> str | None:
        return only(tmp_path, obj, known=known).readiness_gate

    assert told(pod(), verified) == "added"
    assert told(pod(), wanted) == "unverified"
    assert told(pod(readinessGates=[{"conditionType": "numagate.io/Aligned"}]), wanted) == "present"
    assert (told(pod(), world()), told(pod(), idle), told(exempt, verified)) == (None, None, None)
    assert only(tmp_path, pod(), known=verified).decision == "accept"


def test_a_gate_that_nobody_would_answer_is_warned_of(tmp_path: Path) -> None:
    gated = pod(readinessGates=[{"conditionType": "numagate.io/Aligned"}])
    known = world()
    verified = replace(known, classes=tuple(replace(one, verified=True) for one in known.classes))
    plain = pod(container(**equal(gpus=None)), readinessGates=gated["spec"]["readinessGates"])
    exempt = {**gated, "metadata": {"name": "llm", "namespace": "kube-system"}}
    (found,) = only(tmp_path, deployment(gated), known=known).findings

    assert (found.code, found.severity, found.path) == (
        "unanswered-gate",
        "warning",
        "spec.template.spec.readinessGates",
    )
    assert found.message == UNANSWERED
    assert only(tmp_path, gated, known=known).decision == "accept"
    assert "unanswered-gate" not in [
        code
        for obj, where in ((gated, verified), (pod(), known), (plain, known), (exempt, known))
        for code in codes(only(tmp_path, obj, known=where))
    ]
