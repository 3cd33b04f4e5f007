"""What `numagate manifests` renders is taken by a real API server, in every combination and order."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trustme
import yaml
from controlplane.cluster import ControlPlane
from controlplane.identity import ORDINARY
from controlplane.process import free_ports
from controlplane.process import until

from webhook.manifests.choices import read_settings
from webhook.manifests.guard import guard
from webhook.manifests.overlays import NAMES
from webhook.manifests.overlays import OVERLAYS
from webhook.manifests.overlays import base
from webhook.manifests.overlays import flat
from webhook.manifests.settings import Settings
from webhook.manifests.tree import files
from webhook.manifests.tree import write

REPOSITORY = Path(__file__).parents[2]
OWN = "numagate-system"
AGENTS = "numagate-agent"
CONFIGURATIONS = ("mutatingwebhookconfiguration", "validatingwebhookconfiguration")
STRATEGIC = "application/strategic-merge-patch+json"
ADMISSION = "/apis/admissionregistration.k8s.io/v1"


@pytest.fixture(scope="module")
def cluster(programs: dict[str, Path]) -> Iterator[ControlPlane]:
    """Run an API server of our own that knows our kinds: other tests must not meet these configurations."""
    with ControlPlane(programs=programs, controllers=False) as running:
        for namespace in (OWN, AGENTS):
            running.create_namespace(namespace)
        running.kubectl("apply", "--server-side", "-k", str(REPOSITORY / "manifests" / "crds"))
        names = [f"crd/{item['metadata']['name']}" for item in flat(read_settings(), "crds")]
        running.kubectl("wait", "--for=condition=Established", *names)
        yield running


@pytest.fixture(scope="module")
def ca(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the certificate of a CA that nobody uses."""
    path = tmp_path_factory.mktemp("ca") / "ca.crt"
    trustme.CA().cert_pem.write_to_path(path)
    return path


def kustomize(cluster: ControlPlane, folder: Path) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(cluster.kubectl("kustomize", str(folder)).stdout))


def in_order(manifests: list[dict[str, Any]]) -> list[str]:
    return sorted(json.dumps(manifest, sort_keys=True) for manifest in manifests)


def known(manifests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave out the kinds of other operators, which are not installed here."""
    others = ("cert-manager.io/", "monitoring.coreos.com/")
    return [manifest for manifest in manifests if not manifest["apiVersion"].startswith(others)]


@pytest.mark.parametrize("name", list(OVERLAYS))
def test_kustomize_and_the_flat_rendering_say_the_same(cluster: ControlPlane, name: str) -> None:
    folder = REPOSITORY / "manifests" / "overlays" / name

    assert in_order(kustomize(cluster, folder)) == in_order(flat(read_settings(), name))


@pytest.mark.parametrize("name", ["observe", "trial", "enforce", "self-signed", "enforce-file"])
def test_kustomize_puts_a_known_bundle_into_every_entry(
    cluster: ControlPlane, ca: Path, tmp_path: Path, name: str
) -> None:
    settings = read_settings(ca_bundle=ca, namespace="elsewhere")
    write(tmp_path, files(settings))

    assert in_order(kustomize(cluster, tmp_path / "overlays" / name)) == in_order(flat(settings, name))


@pytest.mark.parametrize("name", ["enforce", "enforce-file"])
def test_the_component_for_client_certificates_combines_with_overlays(
    cluster: ControlPlane, tmp_path: Path, name: str
) -> None:
    settings = read_settings(client_auth=True, client_names=("one",))
    write(tmp_path, files(settings))
    (tmp_path / "mine").mkdir()
    mine = {"resources": [f"../overlays/{name}"], "components": ["../components/client-auth"]}
    (tmp_path / "mine" / "kustomization.yaml").write_text(json.dumps(mine), "utf-8")

    assert in_order(kustomize(cluster, tmp_path / "mine")) == in_order(flat(settings, name))


def test_kustomize_builds_the_base_alone(cluster: ControlPlane) -> None:
    rendered = [manifest for manifests in base(read_settings()).values() for manifest in manifests]

    assert in_order(kustomize(cluster, REPOSITORY / "manifests" / "base")) == in_order(rendered)


@pytest.mark.parametrize("name", ["crds", "agent"])
def test_kustomize_and_the_flat_rendering_have_the_same_apart(cluster: ControlPlane, name: str) -> None:
    assert in_order(kustomize(cluster, REPOSITORY / "manifests" / name)) == in_order(flat(read_settings(), name))


@pytest.mark.parametrize("name", NAMES)
def test_the_api_server_takes_every_object_without_a_warning(cluster: ControlPlane, name: str) -> None:
    objects = {"apiVersion": "v1", "kind": "List", "items": known(flat(read_settings(), name))}

    applied = cluster.kubectl("apply", "--server-side", "--dry-run=server", "-f", "-", input=objects)

    assert (applied.stderr, applied.stdout.count("serverside-applied")) == ("", len(objects["items"]))


@pytest.mark.parametrize("overlay", ["observe", "observe-file"])
def test_the_pods_pass_the_restricted_standard_of_their_own_namespace(cluster: ControlPlane, overlay: str) -> None:
    made = flat(read_settings(), overlay)
    namespace = next(item for item in made if item["kind"] == "Namespace")
    templates = [item["spec"]["template"] for item in made if item["kind"] == "Deployment"]
    cluster.kubectl("apply", "--server-side", "-f", "-", input=namespace)

    for template in templates:
        metadata = {"name": "one", **template["metadata"]}
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]}
        answer = cluster.request("POST", f"/api/v1/namespaces/{OWN}/pods?dryRun=All", pod)

        assert (answer.status, answer.warnings) == (201, ())
        assert answer.body["spec"]["priority"] == 2_000_000_000


def failure_policies(cluster: ControlPlane) -> list[list[str]]:
    found = [cluster.request("GET", f"{ADMISSION}/{kind}s/numagate").body for kind in CONFIGURATIONS]
    return [[entry["failurePolicy"] for entry in item.get("webhooks", [])] for item in found]


def bundles(cluster: ControlPlane) -> set[bool]:
    found = [cluster.request("GET", f"{ADMISSION}/{kind}s/numagate").body for kind in CONFIGURATIONS]
    return {"caBundle" in entry["clientConfig"] for item in found for entry in item.get("webhooks", [])}


def put_bundle(cluster: ControlPlane, ca: Path) -> None:
    """Fill in the CA as the commands that `numagate certs issue` prints do."""
    bundle = base64.b64encode(ca.read_bytes()).decode()
    for kind in CONFIGURATIONS:
        found = cluster.request("GET", f"{ADMISSION}/{kind}s/numagate").body
        for entry in found.get("webhooks", []):
            patch = {"webhooks": [{"name": entry["name"], "clientConfig": {"caBundle": bundle}}]}
            cluster.request("PATCH", f"{ADMISSION}/{kind}s/numagate", patch, content=STRATEGIC)


@pytest.fixture
def unconfigured(cluster: ControlPlane) -> Iterator[None]:
    """Leave no configuration behind."""
    yield
    for kind in CONFIGURATIONS:
        cluster.kubectl("delete", "--ignore-not-found", kind, "numagate")


@pytest.mark.usefixtures("unconfigured")
@pytest.mark.parametrize("how", [[], ["--server-side"]], ids=["client-side", "server-side"])
def test_modes_follow_each_other_in_both_directions(cluster: ControlPlane, ca: Path, how: list[str]) -> None:
    seen = []
    for mode in ("observe", "trial", "enforce", "observe"):
        cluster.kubectl("apply", *how, "-k", str(REPOSITORY / "manifests" / "overlays" / mode))
        put_bundle(cluster, ca)
        seen.append(failure_policies(cluster))

    assert [(mutating, validating.count("Fail"), set(validating)) for mutating, validating in seen] == [
        ([], 0, {"Ignore"}),
        (["Ignore"], 0, {"Ignore"}),
        (["Fail"], 3, {"Fail", "Ignore"}),
        ([], 0, {"Ignore"}),
    ]


@pytest.mark.usefixtures("unconfigured")
@pytest.mark.parametrize("how", [[], ["--server-side"]], ids=["client-side", "server-side"])
def test_applying_again_leaves_a_bundle_that_another_filled_in(cluster: ControlPlane, ca: Path, how: list[str]) -> None:
    overlay = str(REPOSITORY / "manifests" / "overlays" / "enforce")
    cluster.kubectl("apply", *how, "-k", overlay)
    put_bundle(cluster, ca)

    cluster.kubectl("apply", *how, "-k", overlay)

    assert bundles(cluster) == {True}


def pod(resources: dict[str, str]) -> dict[str, Any]:
    container = {"name": "main", "image": "registry.example/vllm:1", "resources": {"limits": resources}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "one"}, "spec": {"containers": [container]}}


GPU = {"nvidia.com/gpu": "1", "cpu": "4", "memory": "8Gi"}


def unreachable(ca: Path) -> Settings:
    (port,) = free_ports(1)
    return read_settings(url=f"https://127.0.0.1:{port}", ca_bundle=ca)


def install(cluster: ControlPlane, settings: Settings, mode: str) -> None:
    items = [item for item in flat(settings, mode) if item["kind"].lower() in CONFIGURATIONS]
    cluster.kubectl("apply", "-f", "-", input={"apiVersion": "v1", "kind": "List", "items": items})


def create(cluster: ControlPlane, resources: dict[str, str], namespace: str = "default") -> int:
    return cluster.request("POST", f"/api/v1/namespaces/{namespace}/pods?dryRun=All", pod(resources)).status


@pytest.mark.usefixtures("unconfigured")
def test_without_an_answer_only_accelerator_pods_wait_and_one_command_frees_them(
    cluster: ControlPlane, ca: Path
) -> None:
    install(cluster, unreachable(ca), "enforce")
    until(lambda: create(cluster, GPU) == 500, what="the enforcing configuration")

    others = [create(cluster, {"cpu": "1"}), create(cluster, GPU, "kube-system"), create(cluster, GPU, "kube-public")]
    cluster.kubectl("delete", ",".join(CONFIGURATIONS), "numagate")
    until(lambda: create(cluster, GPU) == 201, what="the end of the configuration")

    assert others == [201, 201, 500]


@pytest.mark.usefixtures("unconfigured")
@pytest.mark.parametrize("mode", ["observe", "trial"])
def test_without_an_answer_these_modes_let_everything_through(cluster: ControlPlane, ca: Path, mode: str) -> None:
    install(cluster, unreachable(ca), mode)
    waiting = f"{ADMISSION}/validatingwebhookconfigurations/numagate"
    assert cluster.request("GET", waiting).status == 200

    assert create(cluster, GPU) == 201
    counted = 'apiserver_admission_webhook_fail_open_count{name="pods.validate.numagate.io"'
    until(lambda: create(cluster, GPU) == 201 and counted in metrics(cluster), what="a request that passed unseen")


def metrics(cluster: ControlPlane) -> str:
    return cluster.kubectl("get", "--raw", "/metrics").stdout


@pytest.fixture(scope="module")
def guarded(cluster: ControlPlane) -> None:
    """Install the rule for the opt-out label, and let the ordinary user edit namespaces."""
    items = guard()
    cluster.kubectl("apply", "-f", "-", input={"apiVersion": "v1", "kind": "List", "items": items})
    cluster.kubectl("create", "clusterrole", "namespaces", "--verb=create,get,patch,update", "--resource=namespaces")
    cluster.kubectl("create", "clusterrolebinding", "namespaces", "--clusterrole=namespaces", f"--user={ORDINARY}")
    until(lambda: label(cluster, "default", "bad", user="admin", dry_run=True).status == 422, what="the rule")


def label(cluster: ControlPlane, namespace: str, value: str | None, *, user: str, dry_run: bool = False) -> Any:
    body = {"metadata": {"labels": {"numagate.io/admission": value}}}
    path = f"/api/v1/namespaces/{namespace}" + "?dryRun=All" * dry_run
    return cluster.request("PATCH", path, body, user=user, content="application/merge-patch+json")


@pytest.mark.usefixtures("guarded")
def test_nobody_writes_a_value_that_means_nothing(cluster: ControlPlane) -> None:
    answer = label(cluster, "default", "off", user="admin")

    assert answer.status == 422
    assert "label numagate.io/admission must be disabled, or left out" in answer.body["message"]


@pytest.mark.usefixtures("guarded")
def test_who_may_edit_a_namespace_may_not_opt_it_out(cluster: ControlPlane) -> None:
    cluster.create_namespace("team")

    refused = label(cluster, "team", "disabled", user=ORDINARY)
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "new", "labels": {}}}
    body["metadata"]["labels"] = {"numagate.io/admission": "disabled"}
    created = cluster.request("POST", "/api/v1/namespaces", body, user=ORDINARY)

    assert (refused.status, created.status) == (403, 403)
    assert "that needs the verb opt-out on namespaces.numagate.io" in refused.body["message"]


@pytest.mark.usefixtures("guarded")
def test_a_label_that_is_there_may_stay_and_may_go(cluster: ControlPlane) -> None:
    cluster.create_namespace("opted-out", {"numagate.io/admission": "disabled"})

    other = {"metadata": {"labels": {"team": "a"}}}
    kept = cluster.request(
        "PATCH", "/api/v1/namespaces/opted-out", other, user=ORDINARY, content="application/merge-patch+json"
    )
    removed = label(cluster, "opted-out", None, user=ORDINARY)
    again = label(cluster, "opted-out", "disabled", user=ORDINARY)

    assert (kept.status, removed.status, again.status) == (200, 200, 403)


@pytest.mark.usefixtures("guarded")
def test_the_role_lets_its_holders_opt_out(cluster: ControlPlane) -> None:
    cluster.create_namespace("by-role")
    cluster.kubectl("create", "clusterrolebinding", "opt", "--clusterrole=numagate-opt-out", f"--user={ORDINARY}")

    assert until(lambda: label(cluster, "by-role", "disabled", user=ORDINARY).status == 200, what="the role")
    cluster.kubectl("delete", "clusterrolebinding", "opt")
