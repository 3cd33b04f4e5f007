"""The two ways to a serving certificate: files from `numagate certs`, or cert-manager.

Each is a kustomize component and, for the flat rendering, a change to the webhook configurations.
"""

from enum import Enum
from ipaddress import ip_address
from urllib.parse import urlsplit

from webhook.domain import keys
from webhook.manifests.settings import CONTROLLER
from webhook.manifests.settings import MODE_LABEL
from webhook.manifests.settings import NAME
from webhook.manifests.settings import TLS_SECRET
from webhook.manifests.settings import Manifest
from webhook.manifests.settings import Mode
from webhook.manifests.settings import Settings
from webhook.manifests.settings import metadata

ROOT = "numagate-ca"
SERVING = "numagate-serving"
BUNDLE_KEY = "caBundle"

_CERT_MANAGER = "cert-manager.io/v1"
_KINDS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")


class Certificates(Enum):
    """Who issues the serving certificate and fills in the configurations' caBundle."""

    SELF_SIGNED = "self-signed"
    CERT_MANAGER = "cert-manager"


def annotation(settings: Settings, certificates: Certificates) -> tuple[str, str]:
    """Answer the annotation that tells who owns the caBundle of a webhook configuration."""
    if certificates is Certificates.CERT_MANAGER:
        return "cert-manager.io/inject-ca-from", f"{settings.namespace}/{SERVING}"
    return keys.DOMAIN + "certificates", certificates.value


def issuers(settings: Settings) -> list[Manifest]:
    """Make cert-manager's objects: a CA of its own for numagate, and the serving certificate signed by it.

    The leaf may change every few weeks without a new caBundle, because the bundle holds the CA.
    """
    here = settings.namespace
    names = [f"{NAME}.{here}.svc", f"{NAME}.{here}", NAME, f"{CONTROLLER}.{here}.svc"]
    hosts = [str(urlsplit(url).hostname) for url in (settings.url, settings.controller_url) if url]
    addresses = list(dict.fromkeys(filter(_is_address, hosts)))
    names += dict.fromkeys(host for host in hosts if not _is_address(host))
    alternatives: Manifest = {"dnsNames": names} | ({"ipAddresses": addresses} if addresses else {})
    return [
        _issuer("numagate-root", here, {"selfSigned": {}}),
        # The bundle changes before the pods have the new leaf. With the same key, what the old CA signed verifies by the
        # new one and the other way round, so that nobody notices.
        _certificate(
            ROOT, here, "numagate-root", rotation="Never", isCA=True, commonName="numagate CA", duration="43800h"
        ),
        _issuer(ROOT, here, {"ca": {"secretName": ROOT}}),
        _certificate(SERVING, here, ROOT, usages=["server auth"], duration="2160h", renewBefore="720h", **alternatives),
    ]


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def component(settings: Settings, certificates: Certificates) -> Manifest:
    """Make the kustomize component, to be listed behind the one of the mode."""
    key, value = annotation(settings, certificates)
    path = "/metadata/annotations/" + key.replace("/", "~1")
    # The empty test of kinds that are not there is kustomize's way: a server without configurations is left as it is.
    patch = {
        "target": {"kind": "|".join(_KINDS), "name": NAME},
        "patch": f"- op: add\n  path: {path}\n  value: {value}\n",
    }
    made: Manifest = {"apiVersion": "kustomize.config.k8s.io/v1alpha1", "kind": "Component"}
    if certificates is Certificates.CERT_MANAGER:
        return made | {"resources": ["certificates.yaml"], "patches": [patch]}
    if settings.ca_bundle is None:
        return made | {"patches": [patch]}
    return made | {"resources": ["ca-bundle.yaml"], "patches": [patch], "replacements": [_replacement()]}


def bundle_map(settings: Settings) -> Manifest:
    """Make the ConfigMap that kustomize copies the CA bundle from; it is never applied."""
    made = metadata(ROOT, settings.namespace, annotations={"config.kubernetes.io/local-config": "true"})
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": made, "data": {BUNDLE_KEY: settings.encoded_bundle}}


def _replacement() -> Manifest:
    target = {"fieldPaths": [f"webhooks.*.clientConfig.{BUNDLE_KEY}"], "options": {"create": True}}
    mutating = {"kind": _KINDS[0], "name": NAME, "labelSelector": f"{MODE_LABEL}!={Mode.OBSERVE.value}"}
    return {
        "source": {"kind": "ConfigMap", "name": ROOT, "fieldPath": f"data.{BUNDLE_KEY}"},
        # The mutating configuration of `observe` has no entries, which a path with * would call an error.
        "targets": [{"select": select, **target} for select in (mutating, {"kind": _KINDS[1], "name": NAME})],
    }


def _issuer(name: str, namespace: str, spec: Manifest) -> Manifest:
    return {"apiVersion": _CERT_MANAGER, "kind": "Issuer", "metadata": metadata(name, namespace), "spec": spec}


def _certificate(name: str, namespace: str, issuer: str, *, rotation: str = "Always", **spec: object) -> Manifest:
    return {
        "apiVersion": _CERT_MANAGER,
        "kind": "Certificate",
        "metadata": metadata(name, namespace),
        "spec": {
            "secretName": TLS_SECRET if name == SERVING else name,
            "issuerRef": {"kind": "Issuer", "name": issuer},
            "privateKey": {"algorithm": "ECDSA", "size": 256, "rotationPolicy": rotation},
            **spec,
        },
    }
