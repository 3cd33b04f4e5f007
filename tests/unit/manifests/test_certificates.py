"""The three ways to a certificate."""

import base64
from dataclasses import replace

from webhook.manifests.certificates import Certificates
from webhook.manifests.certificates import bundle_map
from webhook.manifests.certificates import component
from webhook.manifests.certificates import issuers
from webhook.manifests.settings import Settings


def test_cert_manager_writes_the_secret_that_is_mounted(settings: Settings) -> None:
    assert [item["spec"].get("secretName") for item in issuers(settings)] == [None, "numagate-ca", None, "numagate-tls"]


def test_cert_manager_issues_for_the_name_that_the_api_server_calls(settings: Settings) -> None:
    serving = issuers(replace(settings, namespace="elsewhere"))[-1]

    assert serving["spec"]["dnsNames"][0] == "numagate.elsewhere.svc"
    assert serving["metadata"]["namespace"] == "elsewhere"


def test_cert_manager_issues_for_the_hosts_of_urls_too(settings: Settings) -> None:
    urls = {"url": "https://10.0.0.1:8443", "controller_url": "https://webhook.example:9443"}
    serving = issuers(replace(settings, **urls))[-1]["spec"]

    assert serving["dnsNames"] == [*issuers(settings)[-1]["spec"]["dnsNames"], "webhook.example"]
    assert serving["ipAddresses"] == ["10.0.0.1"]


def test_the_ca_keeps_its_key_and_the_leaf_does_not(settings: Settings) -> None:
    """Cainjector replaces the bundle without overlap: only by the same key do old leaf and new CA belong together."""
    made = {item["metadata"]["name"]: item["spec"] for item in issuers(settings) if item["kind"] == "Certificate"}

    assert made["numagate-ca"]["privateKey"]["rotationPolicy"] == "Never"
    assert made["numagate-serving"]["privateKey"]["rotationPolicy"] == "Always"


def test_each_certificate_is_signed_by_an_issuer_that_is_there(settings: Settings) -> None:
    made = issuers(settings)
    names = {item["metadata"]["name"] for item in made if item["kind"] == "Issuer"}
    wanted = {item["spec"]["issuerRef"]["name"] for item in made if item["kind"] == "Certificate"}

    assert wanted == names


def test_the_component_of_cert_manager_lets_it_inject_the_ca(settings: Settings) -> None:
    (patch,) = component(settings, Certificates.CERT_MANAGER)["patches"]

    assert "cert-manager.io~1inject-ca-from\n  value: numagate-system/numagate-serving\n" in patch["patch"]


def test_without_a_bundle_the_field_is_left_to_who_owns_it(settings: Settings) -> None:
    made = component(settings, Certificates.SELF_SIGNED)

    assert {"resources", "replacements"} & set(made) == set()


def test_a_bundle_goes_into_every_entry(settings: Settings) -> None:
    made = component(replace(settings, ca_bundle=b"PEM"), Certificates.SELF_SIGNED)
    (replacement,) = made["replacements"]

    assert made["resources"] == ["ca-bundle.yaml"]
    assert {path for target in replacement["targets"] for path in target["fieldPaths"]} == {
        "webhooks.*.clientConfig.caBundle"
    }


def test_the_map_of_the_bundle_is_encoded_and_never_applied(settings: Settings) -> None:
    made = bundle_map(replace(settings, ca_bundle=b"PEM"))

    assert made["data"] == {"caBundle": base64.b64encode(b"PEM").decode()}
    assert made["metadata"]["annotations"] == {"config.kubernetes.io/local-config": "true"}
