"""Policies and profiles as objects of a real API server: how they are shown, explained and refused."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from controlplane.cluster import ControlPlane
from controlplane.process import until
from controlplane.service import WebhookService
from controlplane.service import registered

from webhook.manifests.crds import crds

API = "/apis/numagate.io/v1alpha1"
MERGE = "application/merge-patch+json"
BAD = "{repair: {helperDefault: {cpu: 1, memory: 0}}}"


@pytest.fixture(scope="module")
def cluster(programs: dict[str, Path]) -> Iterator[ControlPlane]:
    """Run an API server of our own that knows both kinds."""
    with ControlPlane(programs=programs, controllers=False) as running:
        running.kubectl(
            "apply", "--server-side", "-f", "-", input={"apiVersion": "v1", "kind": "List", "items": crds()}
        )
        until(lambda: running.request("GET", f"{API}/alignmentpolicies").status == 200, what="the new kinds")
        until(lambda: running.request("GET", f"{API}/nodeprofiles").status == 200, what="the new kinds")
        yield running


@pytest.fixture(scope="module")
def guarded(cluster: ControlPlane) -> Iterator[ControlPlane]:
    """Let the API server ask numagate about its own objects, too; one that is wrong came before."""
    assert cluster.request("POST", f"{API}/alignmentpolicies", policy("old", BAD)).status == 201
    with WebhookService() as service, registered(cluster, service):
        yield cluster


def policy(name: str, spec: str = "{}") -> dict[str, Any]:
    head = {"apiVersion": "numagate.io/v1alpha1", "kind": "AlignmentPolicy", "metadata": {"name": name}}
    return {**head, "spec": yaml.safe_load(spec)}


def profile(name: str) -> dict[str, Any]:
    return {**policy(name), "kind": "NodeProfile", "spec": {"machine": "dgx-h100"}}


def accept(cluster: ControlPlane, place: str, **status: object) -> None:
    """Write a status as the controller does."""
    condition = {
        "type": "Accepted",
        "status": "True",
        "reason": "InForce",
        "message": "",
        "lastTransitionTime": "2026-11-30T03:00:00Z",
    }
    body = {"status": {"observedGeneration": 1, "conditions": [condition], **status}}
    assert cluster.request("PATCH", f"{API}/{place}/status", body, content=MERGE).status == 200


def test_the_columns_of_a_list_show_what_is_in_force(cluster: ControlPlane) -> None:
    made = [policy("shown", "{priority: 5, modes: {enforce: exclusive}}"), profile("shown-too")]
    cluster.kubectl("apply", "-f", "-", input={"apiVersion": "v1", "kind": "List", "items": made})
    accept(cluster, "alignmentpolicies/shown")
    accept(cluster, "nodeprofiles/shown-too", nodes=212)

    listed = [cluster.kubectl("get", *what).stdout.splitlines() for what in (("alignpol", "shown"), ("nodeprof",))]

    assert [[line.split()[:-1] for line in lines] for lines in listed] == [
        [["NAME", "PRIORITY", "ENFORCE", "REPAIR", "ACCEPTED"], ["shown", "5", "exclusive", "True"]],
        [["NAME", "MACHINE", "NODES", "ACCEPTED"], ["shown-too", "dgx-h100", "212", "True"]],
    ]


def test_both_kinds_are_found_by_our_name(cluster: ControlPlane) -> None:
    listed = cluster.kubectl("get", "numagate", "-o", "name").stdout

    assert "alignmentpolicy.numagate.io/" in listed
    assert "nodeprofile.numagate.io/" in listed


def test_a_status_does_not_change_the_generation_and_a_spec_does(cluster: ControlPlane) -> None:
    cluster.kubectl("apply", "-f", "-", input=policy("counted"))
    accept(cluster, "alignmentpolicies/counted")
    before = cluster.request("GET", f"{API}/alignmentpolicies/counted").body["metadata"]["generation"]

    cluster.kubectl("apply", "-f", "-", input=policy("counted", "{priority: 1}"))
    found = cluster.request("GET", f"{API}/alignmentpolicies/counted").body

    assert (before, found["metadata"]["generation"], found["status"]["observedGeneration"]) == (1, 2, 1)


@pytest.mark.parametrize(
    ("field", "told"),
    [
        ("alignmentpolicy", "Who is governed, how strictly, and what repairs may write."),
        ("alignmentpolicy.spec.modes.enforce", "Pods below this level are refused (default aligned)."),
        ("alignmentpolicy.spec.repair.helpers.cpu", "Request and limit; never a whole number of CPUs."),
        ("nodeprofile.spec.numa.memory", "MemTotal of the NUMA node, huge pages included."),
        ("nodeprofile.status.nodes", "Nodes that the selector matches."),
    ],
)
def test_every_field_is_explained(cluster: ControlPlane, field: str, told: str) -> None:
    explained = until(lambda: _explain(cluster, field), what="the published schema")

    assert told in " ".join(explained.split())


def _explain(cluster: ControlPlane, field: str) -> str:
    done = cluster.kubectl("explain", field, check=False)
    return done.stdout if done.returncode == 0 else ""


NULLS = "{recognition: {labels: {ray.io/serve: null}}, repair: {share: null}}"


@pytest.mark.parametrize("how", [["apply", "--server-side"], ["create"]], ids=["server-side", "create"])
def test_a_null_that_means_something_is_kept(cluster: ControlPlane, how: list[str]) -> None:
    name = f"nulls-{how[-1].strip('-')}"

    cluster.kubectl(*how, "-f", "-", input=policy(name, NULLS))

    spec = cluster.request("GET", f"{API}/alignmentpolicies/{name}").body["spec"]
    assert spec == yaml.safe_load(NULLS)


def test_plain_apply_drops_such_a_null_as_the_page_says(cluster: ControlPlane) -> None:
    cluster.kubectl("apply", "-f", "-", input=policy("dropped", NULLS))

    spec = cluster.request("GET", f"{API}/alignmentpolicies/dropped").body["spec"]
    assert spec == {"recognition": {"labels": {}}, "repair": {}}


def test_kubectl_shows_every_fault_that_only_the_webhook_finds(guarded: ControlPlane) -> None:
    done = guarded.kubectl("apply", "-f", "-", input=policy("wrong", BAD), check=False)

    assert done.stderr.startswith(
        'Error from server (Forbidden): error when creating "STDIN": admission webhook "objects.validate.numagate.io" '
        "denied the request: spec.repair.helperDefault.cpu: 1 is a whole number of CPUs and would pin cores for the "
        "helper: write 990m; spec.repair.helperDefault.memory: 0 is no memory at all: write at least 1Mi"
    )


@pytest.mark.parametrize("query", ["", "?dryRun=All"])
def test_each_fault_is_a_cause_and_a_dry_run_is_answered_alike(guarded: ControlPlane, query: str) -> None:
    answer = guarded.request("POST", f"{API}/alignmentpolicies{query}", policy("wrong", BAD))

    assert answer.status == 403
    assert [cause["field"] for cause in answer.body["details"]["causes"]] == [
        "spec.repair.helperDefault.cpu",
        "spec.repair.helperDefault.memory",
    ]


def test_a_policy_for_kube_system_is_refused(guarded: ControlPlane) -> None:
    spec = "{match: {namespaces: [kube-system]}}"

    answer = guarded.request("POST", f"{API}/alignmentpolicies", policy("too-far", spec))

    assert answer.status == 403
    assert "spec.match.namespaces[0]" in answer.body["message"]


def test_policies_that_only_names_put_in_order_are_taken_with_a_warning(guarded: ControlPlane) -> None:
    answer = guarded.request("POST", f"{API}/alignmentpolicies?dryRun=All", policy("another"))

    assert (answer.status, answer.warnings) == (
        201,
        ("order: default may match the same pods, with priority 0 too; another is asked first, by name",),
    )


def test_an_object_that_is_wrong_already_may_change_but_for_its_spec(guarded: ControlPlane) -> None:
    path = f"{API}/alignmentpolicies/old"

    labelled = guarded.request("PATCH", path, {"metadata": {"labels": {"team": "a"}}}, content=MERGE)
    changed = guarded.request("PATCH", path, {"spec": {"priority": 3}}, content=MERGE)
    accept(guarded, "alignmentpolicies/old")
    mended = guarded.request("PATCH", path, {"spec": {"repair": None}}, content=MERGE)
    deleted = guarded.request("DELETE", path)

    assert [one.status for one in (labelled, changed, mended, deleted)] == [200, 403, 200, 200]
