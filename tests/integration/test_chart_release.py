"""Real helm installs, upgrades, rolls back and uninstalls the chart on a real API server."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from controlplane.chart import CHART
from controlplane.chart import NAMESPACE
from controlplane.chart import RELEASE
from controlplane.chart import Helm
from controlplane.cluster import ControlPlane
from controlplane.identity import CONTROLLER
from controlplane.process import free_ports
from controlplane.process import until

ADMISSION = "/apis/admissionregistration.k8s.io/v1"
CONFIGURATIONS = ("mutatingwebhookconfiguration", "validatingwebhookconfiguration")
OURS = ("--namespace", NAMESPACE)
NEW = (*OURS, "--create-namespace")
POLICIES = "/apis/numagate.io/v1alpha1/alignmentpolicies"


@pytest.fixture(scope="module")
def cluster(programs: dict[str, Path]) -> Iterator[ControlPlane]:
    """Run an API server of our own: other tests must not meet these configurations."""
    with ControlPlane(programs=programs, controllers=False) as running:
        yield running


@pytest.fixture(scope="module")
def helm(cluster: ControlPlane, helm_program: Path) -> Helm:
    """Run helm as the cluster's administrator."""
    return Helm(helm_program, cluster.folder, cluster.kubeconfig())


@pytest.fixture
def release(cluster: ControlPlane, helm: Helm) -> str:
    """Install the chart as it comes, where it is not; answer the name of the release."""
    if not installed(cluster, CONFIGURATIONS[0]):
        helm.run("install", RELEASE, str(CHART), *NEW)
    return RELEASE


def installed(cluster: ControlPlane, kind: str) -> dict[str, Any]:
    """Answer one of our configurations, {} where there is none."""
    answer = cluster.request("GET", f"{ADMISSION}/{kind}s/numagate")
    return answer.body if answer.status == 200 else {}


def entries(cluster: ControlPlane) -> list[dict[str, Any]]:
    """Answer the entries of both."""
    return [entry for kind in CONFIGURATIONS for entry in installed(cluster, kind).get("webhooks", [])]


def upgrade(helm: Helm, values: dict[str, Any], *options: str) -> None:
    helm.run("upgrade", RELEASE, str(CHART), *OURS, *options, values=values)


def patched(cluster: ControlPlane, kind: str, place: str, value: object) -> None:
    """Write something into the first entry as the controller does."""
    patch = [{"op": "add", "path": f"/webhooks/0/{place}", "value": value}]
    path = f"{ADMISSION}/{kind}s/numagate"
    answer = cluster.request("PATCH", path, patch, user=CONTROLLER, content="application/json-patch+json")
    assert answer.status == 200, answer.body


@pytest.mark.usefixtures("release")
def test_everything_in_a_release_is_in_the_cluster(cluster: ControlPlane, helm: Helm) -> None:
    manifest = helm.run("get", "manifest", RELEASE, *OURS).stdout
    names = cluster.kubectl("get", "--filename=-", "--output=name", input=manifest).stdout.split()

    assert len(names) == len([one for one in yaml.safe_load_all(manifest) if one])
    assert "alignmentpolicy.numagate.io/default" in names
    notes = helm.run("get", "notes", RELEASE, *OURS).stdout
    assert "mode observe" in notes
    assert "kubectl label namespace numagate-system pod-security.kubernetes.io/enforce=restricted" in notes


@pytest.mark.usefixtures("release")
def test_modes_follow_each_other_and_leave_a_bundle_that_another_filled_in(cluster: ControlPlane, helm: Helm) -> None:
    bundle = base64.b64encode(cluster.identity.ca.read_bytes()).decode()
    patched(cluster, CONFIGURATIONS[1], "clientConfig/caBundle", bundle)
    seen = []
    for mode in ("trial", "enforce", "observe"):
        upgrade(helm, {"mode": mode})
        found = entries(cluster)
        seen.append((len(found), sum(entry["failurePolicy"] == "Fail" for entry in found)))

    everything = seen[0][0]
    assert seen == [(everything, 0), (everything, 4), (everything - 1, 0)]
    assert entries(cluster)[0]["clientConfig"]["caBundle"] == bundle


@pytest.mark.usefixtures("release")
def test_what_the_controller_changed_is_taken_back_only_by_force(cluster: ControlPlane, helm: Helm) -> None:
    conditions = entries(cluster)[0]["matchConditions"]
    patched(cluster, CONFIGURATIONS[1], "matchConditions", [conditions[0] | {"expression": "true"}])

    refused = helm.run("upgrade", RELEASE, str(CHART), *OURS, check=False)
    kept = entries(cluster)[0]["matchConditions"]
    upgrade(helm, {}, "--force-conflicts")

    assert refused.returncode != 0
    assert "Apply failed with 1 conflict" in refused.stderr
    assert kept[0]["expression"] == "true"
    assert entries(cluster)[0]["matchConditions"] == conditions


@pytest.mark.usefixtures("release")
def test_agents_come_and_go_with_their_value(cluster: ControlPlane, helm: Helm) -> None:
    guards = ["agents-events.numagate.io", "agents-pods.numagate.io", "agents-reports.numagate.io"]
    paths = [f"{ADMISSION}/validatingadmissionpolicies/{name}" for name in guards]
    paths.append("/apis/apps/v1/namespaces/nodes/daemonsets/numagate-agent")

    def seen() -> list[int]:
        return [cluster.request("GET", path).status for path in paths]

    upgrade(helm, {"agent": {"enabled": True, "namespace": "nodes"}})
    there = seen()
    upgrade(helm, {"agent": {"enabled": False}})

    assert (there, seen()) == ([200] * 4, [404] * 4)


@pytest.mark.usefixtures("release")
def test_a_rollback_brings_the_revision_before_back(cluster: ControlPlane, helm: Helm) -> None:
    upgrade(helm, {})
    before = entries(cluster)
    (revision,) = json.loads(helm.run("history", RELEASE, *OURS, "--max=1", "--output=json").stdout)
    upgrade(helm, {"mode": "enforce", "policy": {"documents": []}, "commonLabels": {"team": "ml"}})
    between = entries(cluster)
    gone = cluster.request("GET", f"{POLICIES}/default").status

    helm.run("rollback", RELEASE, str(revision["revision"]), *OURS)

    assert (between != before, gone) == (True, 404)
    assert entries(cluster) == before
    assert cluster.request("GET", f"{POLICIES}/default").status == 200
    assert "team" not in installed(cluster, CONFIGURATIONS[0])["metadata"]["labels"]


def test_the_namespace_default_is_refused(helm: Helm) -> None:
    done = helm.run("install", RELEASE, str(CHART), "--namespace=default", check=False)

    assert "numagate never judges its own namespace" in done.stderr


def gpu_pod() -> dict[str, Any]:
    resources = {"limits": {"nvidia.com/gpu": "1", "cpu": "4", "memory": "8Gi"}}
    container = {"name": "main", "image": "registry.example/vllm:1", "resources": resources}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "one"}, "spec": {"containers": [container]}}


def create(cluster: ControlPlane) -> int:
    return cluster.request("POST", "/api/v1/namespaces/default/pods?dryRun=All", gpu_pod()).status


def test_an_uninstalled_release_blocks_no_pod_and_takes_nobodys_policy_along(
    cluster: ControlPlane, helm: Helm, release: str
) -> None:
    (port,) = free_ports(1)
    own = {"apiVersion": "numagate.io/v1alpha1", "kind": "AlignmentPolicy", "metadata": {"name": "own"}, "spec": {}}
    assert cluster.request("POST", POLICIES, own).status == 201
    bundle = cluster.identity.ca.read_text()
    upgrade(
        helm,
        {
            "mode": "enforce",
            "webhooks": {"url": f"https://127.0.0.1:{port}"},
            "certificates": {"mode": "self-signed", "caBundle": bundle},
        },
    )
    until(lambda: create(cluster) == 500, what="the enforcing configuration, which nobody answers")

    before = len(deleted(cluster))

    helm.run("uninstall", release, *OURS)

    until(lambda: create(cluster) == 201, what="the end of the configuration")
    assert cluster.request("GET", f"{POLICIES}/own").status == 200
    assert cluster.request("GET", f"{POLICIES}/default").status == 404
    assert what_is_left(cluster) == {
        "CustomResourceDefinition/alignmentpolicies.numagate.io",
        "CustomResourceDefinition/nodealignments.numagate.io",
        "CustomResourceDefinition/nodeprofiles.numagate.io",
    }
    assert set(deleted(cluster)[before : before + 2]) == {f"{kind}s" for kind in CONFIGURATIONS}


def deleted(cluster: ControlPlane) -> list[str]:
    """Answer the resources of all objects of ours that were deleted, in order."""
    events = sorted(cluster.audit_events("delete"), key=lambda event: str(event["requestReceivedTimestamp"]))
    return [one["objectRef"]["resource"] for one in events if "numagate" in one["objectRef"].get("name", "")]


def what_is_left(cluster: ControlPlane) -> set[str]:
    """Name every object of any kind that has our label and stays: a namespace takes its time to end."""
    verbs = "--verbs=list,delete"
    kinds = cluster.kubectl("api-resources", verbs, "--output=name").stdout.split()
    label = "--selector=app.kubernetes.io/name in (numagate, numagate-controller)"
    found = json.loads(cluster.kubectl("get", ",".join(kinds), "--all-namespaces", label, "--output=json").stdout)
    ending = [one for one in found["items"] if one["kind"] == "Namespace" and "deletionTimestamp" in one["metadata"]]
    return {f"{one['kind']}/{one['metadata']['name']}" for one in found["items"] if one not in ending}


@pytest.mark.usefixtures("release")
def test_the_api_server_takes_every_object_of_every_kind_of_release(cluster: ControlPlane, helm: Helm) -> None:
    releases = (
        {"monitoring": {"dashboard": True}},
        {"mode": "enforce", "certificates": {"mode": "cert-manager"}, "commonLabels": {"team": "ml"}},
        {"mode": "trial", "certificates": {"mode": "self-signed"}, "networkPolicy": {"apiServers": ["10.0.0.1/32"]}},
        {"mode": "enforce", "policy": {"source": "file"}, "certificates": {"mode": "self-signed"}},
    )
    made = [one for values in releases for one in helm.template(values)]
    known = [one for one in made if not one["apiVersion"].startswith("cert-manager.io/")]
    objects = {"apiVersion": "v1", "kind": "List", "items": known}

    dry_run = ("apply", "--server-side", "--force-conflicts", "--dry-run=server", "-f", "-")
    applied = cluster.kubectl(*dry_run, input=objects)

    assert (applied.stderr, applied.stdout.count("serverside-applied")) == ("", len(known))
