"""Which combinations there are, and what each holds."""

from dataclasses import replace
from typing import Any

import pytest
import yaml

from webhook.manifests.overlays import OVERLAYS
from webhook.manifests.overlays import flat
from webhook.manifests.settings import Settings

SERVER = {
    "Namespace",
    "ResourceQuota",
    "ServiceAccount",
    "Service",
    "NetworkPolicy",
    "PodDisruptionBudget",
    "Deployment",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "ClusterRole",
}
CONTROLLER = {"ClusterRoleBinding", "Role", "RoleBinding"}
CONFIGURATIONS = {"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"}
OBJECTS = SERVER | CONTROLLER
FILE = SERVER | {"ConfigMap"}
SERVERS = list(OVERLAYS)


def kinds(settings: Settings, name: str) -> set[str]:
    return {manifest["kind"] for manifest in flat(settings, name)}


def policies(settings: Settings, name: str) -> list[dict[str, Any]]:
    made = flat(settings, name)
    texts = [manifest["data"]["policy.yaml"] for manifest in made if manifest["kind"] == "ConfigMap"]
    written = [document for text in texts for document in yaml.safe_load_all(text)]
    return [item for item in (*made, *written) if item["kind"] == "AlignmentPolicy"]


def modes(settings: Settings, name: str) -> dict[str, str]:
    (policy,) = policies(settings, name)
    found: dict[str, str] = policy["spec"]["modes"]
    return found


def test_every_mode_goes_with_both_kinds_of_certificates_and_with_a_file() -> None:
    assert list(OVERLAYS) == [
        "self-signed",
        "observe",
        "trial",
        "enforce",
        "cert-manager",
        "observe-cert-manager",
        "trial-cert-manager",
        "enforce-cert-manager",
        "self-signed-file",
        "observe-file",
        "trial-file",
        "enforce-file",
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("crds", {"CustomResourceDefinition"}),
        ("self-signed", OBJECTS),
        ("cert-manager", OBJECTS | {"Issuer", "Certificate"}),
        ("observe", OBJECTS | CONFIGURATIONS | {"AlignmentPolicy"}),
        ("enforce", OBJECTS | CONFIGURATIONS | {"AlignmentPolicy"}),
        ("trial-cert-manager", OBJECTS | CONFIGURATIONS | {"AlignmentPolicy", "Issuer", "Certificate"}),
        ("self-signed-file", FILE),
        ("enforce-file", FILE | CONFIGURATIONS),
    ],
)
def test_an_overlay_holds_the_server_and_what_its_parts_add(settings: Settings, name: str, expected: set[str]) -> None:
    assert kinds(settings, name) == expected


@pytest.mark.parametrize("name", ["self-signed-file", "observe", "observe-cert-manager", "observe-file"])
def test_what_does_not_enforce_brings_a_policy_that_only_observes(settings: Settings, name: str) -> None:
    assert modes(settings, name) == {"enforce": "none", "repair": "none", "warn": "aligned", "audit": "aligned"}


@pytest.mark.parametrize("name", ["trial", "enforce", "enforce-cert-manager", "trial-file", "enforce-file"])
def test_what_enforces_brings_the_policy_as_it_was_written(settings: Settings, name: str) -> None:
    assert modes(settings, name)["enforce"] == "aligned"


@pytest.mark.parametrize("name", ["self-signed", "cert-manager"])
def test_a_server_that_nobody_asks_has_no_policy_object(settings: Settings, name: str) -> None:
    assert policies(settings, name) == []


def test_profiles_of_the_policy_become_objects_too(settings: Settings) -> None:
    text = settings.policy_text + (
        "---\napiVersion: numagate.io/v1alpha1\nkind: NodeProfile\nmetadata: {name: pool}\nspec: {machine: dgx-h100}\n"
    )
    made = flat(replace(settings, policy_text=text), "enforce")

    assert [item["metadata"]["name"] for item in made if item["kind"] == "NodeProfile"] == ["pool"]


@pytest.mark.parametrize("name", ["observe", "enforce-file"])
def test_the_namespace_comes_first(settings: Settings, name: str) -> None:
    assert flat(settings, name)[0]["kind"] == "Namespace"


@pytest.mark.parametrize("name", ["enforce", "enforce-file"])
def test_servers_come_before_what_calls_them(settings: Settings, name: str) -> None:
    order = [manifest["kind"] for manifest in flat(settings, name)]
    last = max(index for index, kind in enumerate(order) if kind == "Deployment")

    assert last < order.index("MutatingWebhookConfiguration")


def bundles(settings: Settings, name: str) -> set[bool]:
    made = [item for item in flat(settings, name) if item["kind"] in CONFIGURATIONS]
    return {"caBundle" in entry["clientConfig"] for item in made for entry in item["webhooks"]}


def owners(settings: Settings, name: str) -> set[str | None]:
    made = [item for item in flat(settings, name) if item["kind"] in CONFIGURATIONS]
    return {item["metadata"]["annotations"].get("numagate.io/certificates") for item in made}


def mounted(settings: Settings, name: str) -> dict[str, bool]:
    made = [item for item in flat(settings, name) if item["kind"] == "Deployment"]
    specs = {item["metadata"]["name"]: item["spec"]["template"]["spec"] for item in made}
    return {deployment: "secret" in str(spec["volumes"]) for deployment, spec in specs.items()}


def test_the_bundle_is_for_own_certificates_only(settings: Settings) -> None:
    with_bundle = replace(settings, ca_bundle=b"PEM")

    assert (bundles(with_bundle, "enforce"), bundles(with_bundle, "enforce-cert-manager")) == ({True}, {False})


def test_where_the_controller_issues_no_bundle_is_rendered_and_only_servers_mount_the_secret(
    settings: Settings,
) -> None:
    assert bundles(settings, "enforce") == {False}
    assert owners(settings, "enforce") == {"managed"}
    assert mounted(settings, "enforce") == {"numagate": True, "numagate-controller": False}


def test_whoever_brings_a_bundle_has_certificates_of_his_own(settings: Settings) -> None:
    with_bundle = replace(settings, ca_bundle=b"PEM")

    assert owners(with_bundle, "enforce") == {"self-signed"}
    assert mounted(with_bundle, "enforce") == {"numagate": True, "numagate-controller": True}
    assert "numagate-certificates" not in {item["metadata"]["name"] for item in flat(with_bundle, "enforce")}


@pytest.mark.parametrize("name", SERVERS)
def test_no_pod_sees_the_key_of_a_ca(settings: Settings, name: str) -> None:
    deployments = [item for item in flat(settings, name) if item["kind"] == "Deployment"]
    volumes = [volume for item in deployments for volume in item["spec"]["template"]["spec"]["volumes"]]
    secrets = [volume["secret"] for volume in volumes if "secret" in volume]

    assert secrets
    assert {tuple(item["key"] for item in secret["items"]) for secret in secrets} == {("tls.crt", "tls.key")}
    assert not any(secret.get("optional") for secret in secrets)


@pytest.mark.parametrize("name", SERVERS)
def test_everything_with_a_namespace_is_in_ours(settings: Settings, name: str) -> None:
    made = flat(replace(settings, namespace="elsewhere"), name)
    subjects = [subject for item in made for subject in item.get("subjects", [])]

    assert {item["metadata"].get("namespace", "elsewhere") for item in made} == {"elsewhere"}
    assert {subject["namespace"] for subject in subjects} <= {"elsewhere"}


@pytest.mark.parametrize("name", SERVERS)
def test_no_object_is_there_twice(settings: Settings, name: str) -> None:
    found = [(item["kind"], item["metadata"]["name"]) for item in flat(settings, name)]

    assert sorted(set(found)) == sorted(found)


def test_no_overlay_has_another_name(settings: Settings) -> None:
    with pytest.raises(KeyError):
        flat(settings, "production")
