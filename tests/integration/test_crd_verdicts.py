"""One document, two readers: the file form and the API server's CRD say the same, about the same field.

What no structural schema can hold is refused by numagate's own webhook instead, and by the controller after it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from builders import INSTANT
from controlplane.cluster import ControlPlane
from controlplane.process import until
from controlplane.service import WebhookService
from controlplane.service import registered
from observations import found
from observations import gpus
from observations import held
from observations import observed

from webhook.config.alignment_schema import NodeAlignment
from webhook.config.document import from_object
from webhook.config.schema import model_errors
from webhook.domain import node_alignment
from webhook.domain.errors import PolicyError
from webhook.domain.verdict import Outcome
from webhook.manifests.crds import crds
from webhook.sources.policy_file import BUILT_IN
from webhook.sources.policy_file import parse_stream
from webhook.sources.policy_object import faults

POLICY = "AlignmentPolicy"
PROFILE = "NodeProfile"
ALIGNMENT = "NodeAlignment"
RESOURCES = {POLICY: "alignmentpolicies", PROFILE: "nodeprofiles", ALIGNMENT: "nodealignments"}
FOUND = "observed: '2026-11-29T00:00:00Z', agent: {version: '1'}, pods: {aligned: 0, misaligned: 0, unknown: 0}"
WORKLOAD = "group: models.example.com, versions: [v1], kind: ModelServer, resource: modelservers"
_KEY = re.compile(r"\[([a-z]+)\]")
HELPERS = "repair: {helpers: [{name: a, images: [b], "


@dataclass(frozen=True)
class Bad:
    """A spec that both readers refuse, and the field they name.

    `webhook` says that only the webhook can; `key`, that a schema can only name the map that holds a wrong key.
    """

    kind: str
    spec: str
    field: str
    webhook: bool = False
    key: bool = False

    @property
    def shown(self) -> str:
        """The field that the API server names."""
        return self.field.rpartition(".")[0] if self.key else self.field


GOOD = [
    (POLICY, "{}"),
    (POLICY, "governs: accelerators"),
    (POLICY, "modes: {enforce: none, repair: guaranteed, warn: exclusive, audit: aligned}"),
    (POLICY, "modes: null"),
    (POLICY, "namespaces: [{match: [a, b-*], modes: {}}, {match: ['*'], modes: {enforce: aligned}}]"),
    (
        POLICY,
        "accelerators: {count: [a.example/npu, a.example/npu-*, 'a.example/*-npu', a.b/**x], never: ['*-memory']}",
    ),
    (POLICY, "recognition: {labels: {a/b: [], c: null}, images: [vllm], commands: [serve]}"),
    (POLICY, "repair: {share: {cpu: 8, memory: 64Gi}, headroom: {cpu: 0, memory: '0'}}"),
    (POLICY, "repair: {share: null, helperDefault: none}"),
    (POLICY, "repair: {helperDefault: {cpu: 1500m, memory: 1Gi}}"),
    (POLICY, HELPERS + "cpu: '0.5', memory: 1.5Gi}, {name: c, containers: [d], cpu: 1100m, memory: 1000000}]}"),
    (POLICY, "exemptions: {rules: [{reason: r, users: [alice, 'system:serviceaccount:ci:runner']}], pods: true}"),
    (POLICY, "exemptions: {rules: [{reason: r, namespaces: [a-*], until: '2027-01-31T00:00:00Z'}]}"),
    (POLICY, "exemptions: {rules: [{reason: r, groups: [admins]}, {reason: s, runtimeClasses: [gvisor]}]}"),
    (
        POLICY,
        "{priority: -5, match: {accelerators: [a.b/c], namespaces: [a-*]}, overrides: {enforce: any, warn: none}}",
    ),
    (POLICY, "match: {namespaceSelector: {}, podSelector: {matchLabels: {a: b, c: ''}}}"),
    (POLICY, "match: {podSelector: {matchExpressions: [{key: a, operator: In, values: [b]}]}}"),
    (
        POLICY,
        "match: {podSelector: {matchExpressions: [{key: a, operator: Exists}, {key: b, operator: DoesNotExist}]}}",
    ),
    (POLICY, "verification: {localMemoryPercent: 95, settleSeconds: 0}"),
    (POLICY, "verification: {readinessGate: true, onUnknown: notReady}"),
    (POLICY, "workloads: [{" + WORKLOAD + ", templates: ['.spec.a[*].template'], replicas: '.spec.a[*].n'}]"),
    (POLICY, "workloads: [{" + WORKLOAD + ", podSpecs: [.spec.a-b_c.pod]}]"),
    (PROFILE, "machine: dgx-h100"),
    (PROFILE, "{selector: {matchLabels: {pool: a}}, kubelet: {topologyManagerPolicy: restricted}}"),
    (PROFILE, "{machine: dgx-h100, devices: {nvidia.com/gpu: {'0': 4, '-1': 4}}}"),
    (PROFILE, "{machine: dgx-h100, selector: {matchLabels: {pool: a}}, taints: [{key: a, effect: NoSchedule}]}"),
    (PROFILE, "{machine: dgx-h100, kubelet: {version: '1.36', featureGates: {A: true}}}"),
    (PROFILE, "numa: [{id: 0, memory: 1.5Gi, cpus: '0-3,8 ,9', threadsPerCore: 1, hugepages: {2Mi: 4}}]"),
    (PROFILE, "{numa: [{id: 0, memory: 1073741824, coreCount: 4, threadsPerCore: 2}], devices: {a.b/c: {'0': 2}}}"),
    (PROFILE, "{numa: [{id: 0, memory: 1Gi, cores: [{threads: [0, 1]}]}], devices: {a.b/c: [{id: x, numa: [0]}]}}"),
    (ALIGNMENT, FOUND),
    (ALIGNMENT, FOUND + ", numaNodes: 1, numa: [{id: 0, memory: 1Gi, cpus: 0-3, threadsPerCore: 1}]"),
    (ALIGNMENT, FOUND + ", devices: {a.b/c: [{id: x, numa: [0]}, {id: y}]}, free: [{numaNode: 0, amounts: {cpu: 4}}]"),
    (ALIGNMENT, FOUND.replace("00Z", "00.123+02:00")),
]

BAD = [
    Bad(POLICY, "governs: all", "spec.governs"),
    Bad(POLICY, "modes: {enforce: off}", "spec.modes.enforce"),
    Bad(POLICY, "modes: {enforce: strict}", "spec.modes.enforce"),
    Bad(POLICY, "modes: {enforced: none}", "spec.modes.enforced"),
    Bad(POLICY, "modes: [none]", "spec.modes"),
    Bad(POLICY, "priority: high", "spec.priority"),
    Bad(POLICY, "priority: 9999999", "spec.priority"),
    Bad(POLICY, "namespaces: [{match: [a]}]", "spec.namespaces[0].modes"),
    Bad(POLICY, "namespaces: [{match: [A_b], modes: {}}]", "spec.namespaces[0].match[0]"),
    Bad(POLICY, "namespaces: [{match: [], modes: {}}]", "spec.namespaces[0].match"),
    Bad(POLICY, "namespaces: [{match: [kube-system], modes: {}}]", "spec.namespaces[0].match[0]", webhook=True),
    Bad(POLICY, "accelerators: {count: [nvidia.com/*]}", "spec.accelerators.count[0]"),
    Bad(POLICY, "accelerators: {count: [a.b/c, '*/gpu']}", "spec.accelerators.count[1]"),
    Bad(POLICY, "accelerators: {count: [gpu]}", "spec.accelerators.count[0]"),
    Bad(POLICY, "accelerators: {never: ['a?']}", "spec.accelerators.never[0]"),
    Bad(POLICY, "recognition: {labels: {a: b}}", "spec.recognition.labels.a"),
    Bad(POLICY, "recognition: {images: ['']}", "spec.recognition.images[0]"),
    Bad(POLICY, HELPERS[:-13] + "cpu: 50m, memory: 1}]}", "spec.repair.helpers[0]"),
    Bad(POLICY, HELPERS + "cpu: 2, memory: 1}]}", "spec.repair.helpers[0].cpu"),
    Bad(POLICY, HELPERS + "cpu: 2000m, memory: 1}]}", "spec.repair.helpers[0].cpu"),
    Bad(POLICY, HELPERS + "cpu: 2.0k, memory: 1}]}", "spec.repair.helpers[0].cpu"),
    Bad(POLICY, HELPERS + "cpu: 0.05m, memory: 1}]}", "spec.repair.helpers[0].cpu"),
    Bad(POLICY, HELPERS + "cpu: '0', memory: 1}]}", "spec.repair.helpers[0].cpu"),
    Bad(POLICY, HELPERS + "cpu: much, memory: 1}]}", "spec.repair.helpers[0].cpu"),
    Bad(POLICY, HELPERS + "cpu: 50m, memory: 0}]}", "spec.repair.helpers[0].memory"),
    Bad(POLICY, HELPERS + "cpu: 50m, memory: 1.2Gi}]}", "spec.repair.helpers[0].memory"),
    Bad(POLICY, HELPERS + "cpu: 50m, memory: 990m}]}", "spec.repair.helpers[0].memory"),
    Bad(POLICY, HELPERS + "cpu: 50m, memory: true}]}", "spec.repair.helpers[0].memory"),
    Bad(POLICY, HELPERS + "cpu: 50m}]}", "spec.repair.helpers[0].memory"),
    Bad(POLICY, "repair: {helperDefault: nothing}", "spec.repair.helperDefault"),
    Bad(POLICY, "repair: {helperDefault: {cpu: 50m}}", "spec.repair.helperDefault.memory"),
    Bad(POLICY, "repair: {helperDefault: {cpu: 1, memory: 1}}", "spec.repair.helperDefault.cpu", webhook=True),
    Bad(POLICY, "repair: {headroom: {cpu: -1}}", "spec.repair.headroom.cpu"),
    Bad(POLICY, "repair: {headroom: {cpu: '-1m'}}", "spec.repair.headroom.cpu"),
    Bad(POLICY, "repair: {headroom: {memory: 500m}}", "spec.repair.headroom.memory"),
    Bad(POLICY, "repair: {share: {cpu: 1}}", "spec.repair.share.memory"),
    Bad(POLICY, "exemptions: {rules: [{namespaces: [a]}]}", "spec.exemptions.rules[0].reason"),
    Bad(POLICY, "exemptions: {rules: [{reason: r}]}", "spec.exemptions.rules[0]"),
    Bad(POLICY, "exemptions: {rules: [{reason: r, users: []}]}", "spec.exemptions.rules[0]"),
    Bad(POLICY, "exemptions: {rules: [{reason: r, namespaces: ['*']}]}", "spec.exemptions.rules[0].namespaces[0]"),
    Bad(POLICY, "exemptions: {rules: [{reason: r, users: ['*']}]}", "spec.exemptions.rules[0].users[0]"),
    Bad(
        POLICY,
        "exemptions: {rules: [{reason: r, users: ['system:serviceaccount:kube-system:job-controller']}]}",
        "spec.exemptions.rules[0].users[0]",
    ),
    Bad(
        POLICY,
        "exemptions: {rules: [{reason: r, groups: ['system:serviceaccounts']}]}",
        "spec.exemptions.rules[0].groups[0]",
    ),
    Bad(POLICY, "exemptions: {rules: [{reason: r, users: [a], until: soon}]}", "spec.exemptions.rules[0].until"),
    Bad(POLICY, "verification: {localMemoryPercent: 0}", "spec.verification.localMemoryPercent"),
    Bad(POLICY, "verification: {localMemoryPercent: 101}", "spec.verification.localMemoryPercent"),
    Bad(POLICY, "verification: {localMemoryPercent: 99.5}", "spec.verification.localMemoryPercent"),
    Bad(POLICY, "verification: {settleSeconds: -1}", "spec.verification.settleSeconds"),
    Bad(POLICY, "verification: {settleSeconds: 30s}", "spec.verification.settleSeconds"),
    Bad(POLICY, "verification: {readinessGate: 'yes'}", "spec.verification.readinessGate"),
    Bad(POLICY, "verification: {onUnknown: allow}", "spec.verification.onUnknown"),
    Bad(POLICY, "workloads: [{" + WORKLOAD + "}]", "spec.workloads[0]"),
    Bad(POLICY, "workloads: [{" + WORKLOAD + ", templates: [spec.a]}]", "spec.workloads[0].templates[0]"),
    Bad(POLICY, "workloads: [{" + WORKLOAD + ", podSpecs: ['.spec.a[0]']}]", "spec.workloads[0].podSpecs[0]"),
    Bad(
        POLICY,
        "workloads: [{" + WORKLOAD.replace("models.example.com", "apps") + ", templates: [.spec.a]}]",
        "spec.workloads[0].group",
    ),
    Bad(
        POLICY,
        "workloads: [{" + WORKLOAD + ", templates: [.a]}, {" + WORKLOAD + ", templates: [.b]}]",
        "spec.workloads",
    ),
    Bad(
        POLICY,
        "workloads: [{" + WORKLOAD + ", templates: [.spec.a], replicas: '.spec.b[*].n'}]",
        "spec.workloads[0]",
        webhook=True,
    ),
    Bad(POLICY, "match: {namespaces: []}", "spec.match.namespaces"),
    Bad(POLICY, "match: {accelerators: ['*']}", "spec.match.accelerators[0]"),
    Bad(
        POLICY,
        "match: {podSelector: {matchExpressions: [{key: a, operator: In}]}}",
        "spec.match.podSelector.matchExpressions[0]",
    ),
    Bad(
        POLICY,
        "match: {podSelector: {matchExpressions: [{key: a, operator: Exists, values: [b]}]}}",
        "spec.match.podSelector.matchExpressions[0]",
    ),
    Bad(
        POLICY,
        "match: {podSelector: {matchExpressions: [{key: a, operator: Is}]}}",
        "spec.match.podSelector.matchExpressions[0].operator",
    ),
    Bad(POLICY, "overrides: {enforce: lower}", "spec.overrides.enforce"),
    Bad(PROFILE, "{}", "spec"),
    Bad(PROFILE, "machine: no-such-machine", "spec.machine", webhook=True),
    Bad(PROFILE, "numa: []", "spec.numa"),
    Bad(PROFILE, "numa: [{id: 0}]", "spec.numa[0].memory"),
    Bad(PROFILE, "numa: [{id: 2000, memory: 1Gi}]", "spec.numa[0].id"),
    Bad(PROFILE, "numa: [{id: 0, memory: 1Gi, cpus: '0-3', coreCount: 2, threadsPerCore: 2}]", "spec.numa[0]"),
    Bad(PROFILE, "numa: [{id: 0, memory: 1Gi, cpus: '0-3'}]", "spec.numa[0]"),
    Bad(PROFILE, "numa: [{id: 0, memory: 1Gi, cpus: 'all', threadsPerCore: 1}]", "spec.numa[0].cpus"),
    Bad(PROFILE, "numa: [{id: 0, memory: 1Gi, cpus: '3-0', threadsPerCore: 1}]", "spec.numa[0].cpus", webhook=True),
    Bad(PROFILE, "numa: [{id: 0, memory: 1Gi, cores: [{threads: []}]}]", "spec.numa[0].cores[0].threads"),
    Bad(PROFILE, "{machine: dgx-h100, kubelet: {version: 1.37}}", "spec.kubelet.version"),
    Bad(PROFILE, "{machine: dgx-h100, kubelet: {version: '1.37.2'}}", "spec.kubelet.version"),
    Bad(PROFILE, "{machine: dgx-h100, kubelet: {cpuManagerPolicy: Static}}", "spec.kubelet.cpuManagerPolicy"),
    Bad(
        PROFILE,
        "{machine: dgx-h100, kubelet: {reservedMemory: [{numaNode: 0, limits: {cpu: 1}}]}}",
        "spec.kubelet.reservedMemory[0].limits.cpu",
        key=True,
    ),
    Bad(PROFILE, "{machine: dgx-h100, taints: [{key: a, effect: Never}]}", "spec.taints[0].effect"),
    Bad(PROFILE, "{machine: dgx-h100, devices: {a.b/c: [{numa: [0]}]}}", "spec.devices[a.b/c][0].id", webhook=True),
    Bad(PROFILE, "{machine: dgx-h100, devices: {a.b/c: {'9': 1}}}", "spec.devices[a.b/c][9]", webhook=True),
]
BAD_ALIGNMENTS = [
    Bad(ALIGNMENT, FOUND.replace("'2026-11-29T00:00:00Z'", "now"), "spec.observed"),
    Bad(ALIGNMENT, FOUND.replace("aligned: 0, mis", "mis"), "spec.pods.aligned"),
    Bad(ALIGNMENT, FOUND + ", numa: [{id: 0, memory: 1Gi}]", "spec"),
    Bad(ALIGNMENT, FOUND + ", numaNodes: 2, numa: [{id: 0, memory: 1Gi}]", "spec"),
    Bad(ALIGNMENT, FOUND + ", kubelet: {topologyManagerPolicy: strict}", "spec.kubelet.topologyManagerPolicy"),
    Bad(ALIGNMENT, FOUND + ", free: [{numaNode: 0, amounts: {cpu: '-1'}}]", "spec.free[0].amounts.cpu"),
    Bad(ALIGNMENT, FOUND + ", verdict: fine", "spec.verdict"),
]
"""Nobody but the schema judges what an agent writes."""


@pytest.fixture(scope="module")
def cluster(programs: dict[str, Path]) -> Iterator[ControlPlane]:
    """Run an API server of our own that knows our kinds."""
    with ControlPlane(programs=programs, controllers=False) as running:
        running.kubectl("apply", "-f", "-", input={"apiVersion": "v1", "kind": "List", "items": crds()})
        running.kubectl("wait", "--for=condition=Established", *(f"crd/{item['metadata']['name']}" for item in crds()))
        until(lambda: running.request("GET", path(POLICY)).status == 200, what="the new kinds")
        yield running


@pytest.fixture(scope="module")
def guarded(cluster: ControlPlane) -> Iterator[ControlPlane]:
    """Let the API server ask numagate about its own objects, too."""
    with WebhookService() as service, registered(cluster, service):
        yield cluster


def path(kind: str) -> str:
    return f"/apis/numagate.io/v1alpha1/{RESOURCES[kind]}"


def document(kind: str, spec: str) -> dict[str, Any]:
    text = spec if spec.startswith("{") else f"{{{spec}}}"
    head = {"apiVersion": "numagate.io/v1alpha1", "kind": kind, "metadata": {"name": "one"}}
    return {**head, "spec": yaml.safe_load(text)}


def file_fault(kind: str, spec: str) -> str:
    """Answer the field that the file reader names, "" for none."""
    if kind == ALIGNMENT:
        found = model_errors(from_object(document(kind, spec), "file"), NodeAlignment)
        return found[0].field if found else ""
    try:
        parse_stream(yaml.safe_dump(document(kind, spec)), "file")
    except PolicyError as error:
        return error.field
    return ""


def api_faults(cluster: ControlPlane, kind: str, spec: str) -> list[str]:
    """Answer the fields that the API server names when the object is created as kubectl does it; [] for none."""
    answer = cluster.request("POST", f"{path(kind)}?dryRun=All&fieldValidation=Strict", document(kind, spec))
    if answer.status == 201:
        return []
    causes = answer.body.get("details", {}).get("causes", [])
    return [cause["field"] for cause in causes if "field" in cause] or [answer.body["message"]]


def named(field: str, faults: list[str]) -> bool:
    """Tell whether one of the faults is about the field; map keys are written in two ways."""
    return any(_KEY.sub(r".\1", fault) == field or f'unknown field "{field}"' in fault for fault in faults)


@pytest.mark.parametrize(("kind", "spec"), GOOD)
def test_what_the_file_reader_takes_the_api_server_takes(cluster: ControlPlane, kind: str, spec: str) -> None:
    assert (file_fault(kind, spec), api_faults(cluster, kind, spec)) == ("", [])


@pytest.mark.parametrize("bad", [*BAD, *BAD_ALIGNMENTS], ids=str)
def test_what_the_file_reader_refuses_the_schema_refuses_where_it_can(cluster: ControlPlane, bad: Bad) -> None:
    assert file_fault(bad.kind, bad.spec) == bad.field
    faults = api_faults(cluster, bad.kind, bad.spec)

    assert bool(faults) is not bad.webhook
    assert bad.webhook or named(bad.shown, faults), faults


@pytest.mark.parametrize("bad", BAD, ids=str)
def test_with_the_webhook_everything_is_refused_and_the_field_is_named(guarded: ControlPlane, bad: Bad) -> None:
    assert named(bad.shown, api_faults(guarded, bad.kind, bad.spec))


@pytest.mark.parametrize(("kind", "spec"), GOOD)
def test_with_the_webhook_good_objects_still_pass(guarded: ControlPlane, kind: str, spec: str) -> None:
    assert api_faults(guarded, kind, spec) == []


def test_the_built_in_policy_is_a_good_object(guarded: ControlPlane) -> None:
    built_in = yaml.safe_load(BUILT_IN.read_text(encoding="utf-8"))

    answer = guarded.request("POST", f"{path(POLICY)}?dryRun=All&fieldValidation=Strict", built_in)

    assert (answer.status, answer.body.get("message")) == (201, None)


def test_a_fraction_without_quotes_is_the_one_thing_that_only_a_file_takes(cluster: ControlPlane) -> None:
    spec = HELPERS + "cpu: 0.5, memory: 1Gi}]}"

    assert file_fault(POLICY, spec) == ""
    assert named("spec.repair.helpers[0].cpu", api_faults(cluster, POLICY, spec))


MANTISSAS = [
    "0",
    "1",
    "2",
    "7",
    "50",
    "990",
    "1000",
    "1500",
    "2000",
    "00012",
    "+1",
    "-1",
    ".5",
    "5.",
    "0.5",
    "1.5",
    "2.0",
]
MANTISSAS += ["0.001", "0.0005", "1.2", "1.25", "9.999", "1_0", "x"]
SUFFIXES = ["", "n", "u", "m", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti", "e3", "E3", "e-3", "e0", "K", "i"]


def test_both_readers_tell_the_same_quantities_apart(cluster: ControlPlane) -> None:
    quantities = [mantissa + suffix for mantissa in MANTISSAS for suffix in SUFFIXES]
    helpers = [{"name": "a", "images": ["b"], "cpu": one, "memory": one} for one in quantities]
    obj = {**document(POLICY, "{}"), "spec": {"repair": {"helpers": helpers}}}

    answer = cluster.request("POST", f"{path(POLICY)}?dryRun=All", obj)
    refused = {cause["field"] for cause in answer.body["details"]["causes"]}

    assert refused == {error.field for error in faults(obj, own_namespace="numagate-system")}


def test_what_an_agent_writes_of_a_pass_is_a_good_object(cluster: ControlPlane) -> None:
    shown = observed(held(exclusive_cpus=0x0606, devices=gpus(1)))
    verdicts = [found(Outcome.ALIGNED), found(Outcome.MISALIGNED, "other")]
    written = node_alignment.document(shown, verdicts, version="1.0.0", started=INSTANT, owner="uid-of-node")

    answer = cluster.request("POST", f"{path(ALIGNMENT)}?dryRun=All&fieldValidation=Strict", dict(written))

    assert (answer.status, answer.body.get("message")) == (201, None)
