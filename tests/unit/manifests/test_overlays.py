"""Which combinations there are, and what each holds."""

from dataclasses import replace

import pytest
import yaml

from webhook.manifests.overlays import OVERLAYS
from webhook.manifests.overlays import flat
from webhook.manifests.settings import Settings

SERVER = {
    "Namespace",
    "ResourceQuota",
    "ConfigMap",
    "ServiceAccount",
    "Service",
    "NetworkPolicy",
    "PodDisruptionBudget",
    "Deployment",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "ClusterRole",
}
CONFIGURATIONS = {"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"}


def kinds(settings: Settings, name: str) -> set[str]:
    return {manifest["kind"] for manifest in flat(settings, name)}


def modes(settings: Settings, name: str) -> dict[str, str]:
    (made,) = (manifest for manifest in flat(settings, name) if manifest["kind"] == "ConfigMap")
    return yaml.safe_load(made["data"]["policy.yaml"])["spec"]["modes"]


def test_every_mode_goes_with_both_kinds_of_certificates() -> None:
    assert list(OVERLAYS) == [
        "base",
        "self-signed",
        "observe",
        "trial",
        "enforce",
        "cert-manager",
        "observe-cert-manager",
        "trial-cert-manager",
        "enforce-cert-manager",
    ]


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("base", set()),
        ("self-signed", set()),
        ("cert-manager", {"Issuer", "Certificate"}),
        ("observe", CONFIGURATIONS),
        ("enforce", CONFIGURATIONS),
        ("trial-cert-manager", CONFIGURATIONS | {"Issuer", "Certificate"}),
    ],
)
def test_an_overlay_holds_the_server_and_what_its_parts_add(settings: Settings, name: str, more: set[str]) -> None:
    assert kinds(settings, name) == SERVER | more


@pytest.mark.parametrize("name", ["base", "self-signed", "observe", "observe-cert-manager"])
def test_what_does_not_enforce_brings_a_policy_that_only_observes(settings: Settings, name: str) -> None:
    assert modes(settings, name) == {"enforce": "none", "repair": "none", "warn": "aligned", "audit": "aligned"}


@pytest.mark.parametrize("name", ["trial", "enforce", "enforce-cert-manager"])
def test_what_enforces_brings_the_policy_as_it_was_written(settings: Settings, name: str) -> None:
    assert modes(settings, name)["enforce"] == "aligned"


def test_the_namespace_comes_first(settings: Settings) -> None:
    assert flat(settings, "enforce")[0]["kind"] == "Namespace"


def test_a_server_comes_before_what_calls_it(settings: Settings) -> None:
    order = [manifest["kind"] for manifest in flat(settings, "enforce")]

    assert order.index("Deployment") < order.index("MutatingWebhookConfiguration")


def test_the_bundle_is_for_own_certificates_only(settings: Settings) -> None:
    with_bundle = replace(settings, ca_bundle=b"PEM")

    def bundles(name: str) -> set[bool]:
        made = [item for item in flat(with_bundle, name) if item["kind"] in CONFIGURATIONS]
        return {"caBundle" in entry["clientConfig"] for item in made for entry in item["webhooks"]}

    assert (bundles("enforce"), bundles("enforce-cert-manager")) == ({True}, {False})


@pytest.mark.parametrize("name", list(OVERLAYS))
def test_everything_with_a_namespace_is_in_ours(settings: Settings, name: str) -> None:
    made = flat(replace(settings, namespace="elsewhere"), name)

    assert {item["metadata"].get("namespace", "elsewhere") for item in made} == {"elsewhere"}


def test_no_overlay_has_another_name(settings: Settings) -> None:
    with pytest.raises(KeyError):
        flat(settings, "production")
