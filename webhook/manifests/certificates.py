"""The three ways to a serving certificate: the controller's own, files from `numagate certs`, or cert-manager.

Each is a kustomize component and, for the flat rendering, a change to the webhook configurations. Where the controller
issues, it alone writes caBundle: it is never rendered, so that applying again takes nothing away.
"""

from enum import Enum
from ipaddress import ip_address
from urllib.parse import urlsplit

from webhook.domain import keys
from webhook.domain.api import TLS_SECRET
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.manifests.controller import RELYING
from webhook.manifests.controller import deployment
from webhook.manifests.settings import CONTROLLER
from webhook.manifests.settings import MODE_LABEL
from webhook.manifests.settings import NAME
from webhook.manifests.settings import Manifest
from webhook.manifests.settings import Mode
from webhook.manifests.settings import Settings
from webhook.manifests.settings import metadata
from webhook.manifests.text import dump

ROOT = "numagate-ca"
SERVING = "numagate-serving"
BUNDLE_KEY = "caBundle"
INJECTED = "cert-manager.io/inject-ca-from"
"""Annotation by which cainjector knows the configurations that it fills in."""

_CERT_MANAGER = "cert-manager.io/v1"
_AUTHORITY: Manifest = {"isCA": True, "commonName": "numagate CA", "duration": "43800h"}
_KINDS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")


class Certificates(Enum):
    """Who issues the serving certificate and fills in the configurations' caBundle."""

    MANAGED = keys.MANAGED
    """The controller."""
    CERT_MANAGER = "cert-manager"
    SELF_SIGNED = "self-signed"
    """Whoever runs `numagate certs`, by hand."""


def chosen(settings: Settings, certificates: Certificates) -> Certificates:
    """Answer who it is in this installation: whoever names a CA bundle has certificates of his own."""
    if certificates is Certificates.MANAGED and settings.ca_bundle is not None:
        return Certificates.SELF_SIGNED
    return certificates


def annotation(settings: Settings, certificates: Certificates) -> tuple[str, str]:
    """Answer the annotation that tells who owns the caBundle of a webhook configuration."""
    if certificates is Certificates.CERT_MANAGER:
        return INJECTED, f"{settings.namespace}/{SERVING}"
    return keys.CERTIFICATES, certificates.value


def issuers(settings: Settings) -> list[Manifest]:
    """Make cert-manager's objects: a CA of its own for numagate, and the serving certificate signed by it.

    The leaf may change every few weeks without a new caBundle, because the bundle holds the CA.
    """
    here = settings.namespace
    services = [f"{NAME}.{here}.svc", f"{NAME}.{here}", NAME, f"{CONTROLLER}.{here}.svc"]
    hosts = [str(urlsplit(url).hostname) for url in (settings.url, settings.controller_url) if url]
    names = dict.fromkeys([*services, *(host for host in hosts if not _is_address(host))])
    serving: Manifest = {"dnsNames": list(names), "usages": ["server auth"], "duration": "2160h", "renewBefore": "720h"}
    if addresses := list(dict.fromkeys(filter(_is_address, hosts))):
        serving |= {"ipAddresses": addresses}
    return [
        _issuer("numagate-root", here, {"selfSigned": {}}),
        # cainjector changes the bundle before the pods have the new leaf, and before version 1.19 it forgot the old CA.
        # As long as the key stays, what the old CA has signed verifies by the new one and the other way round.
        _certificate(ROOT, here, "numagate-root", _AUTHORITY, rotation="Never"),
        _issuer(ROOT, here, {"ca": {"secretName": ROOT}}),
        _certificate(SERVING, here, ROOT, serving),
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
    if certificates is Certificates.MANAGED:
        return made | {"resources": ["rbac.yaml"], "patches": [patch, {"patch": dump([_issuing(settings)])}]}
    if settings.ca_bundle is None:
        return made | {"patches": [patch]}
    return made | {"resources": ["ca-bundle.yaml"], "patches": [patch], "replacements": [_replacement()]}


def bundle_map(settings: Settings) -> Manifest:
    """Make the ConfigMap that kustomize copies the CA bundle from; it is never applied."""
    made = metadata(ROOT, settings.namespace, annotations={"config.kubernetes.io/local-config": "true"})
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": made, "data": {BUNDLE_KEY: settings.encoded_bundle}}


def _issuing(settings: Settings) -> Manifest:
    """Make the patch that lets a controller issue, which was to read the Secret as a file."""
    relying, issuing = (deployment(settings, issues=issues) for issues in (False, True))
    spec = get_object(issuing, "spec", "template", "spec")
    (container,) = map(as_object, get_list(spec, "containers"))
    folder, volume = RELYING[1], RELYING[0]["name"]
    patch = {
        "containers": [
            {
                "name": container["name"],
                "args": container["args"],
                "volumeMounts": [{"mountPath": folder, "$patch": "delete"}],
            }
        ],
        "volumes": [{"name": volume, "$patch": "delete"}],
    }
    head = {key: relying[key] for key in ("apiVersion", "kind")}
    named = {key: value for key, value in get_object(relying, "metadata").items() if key != "labels"}
    return {**head, "metadata": named, "spec": {"template": {"spec": patch}}}


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


def _certificate(name: str, namespace: str, issuer: str, spec: Manifest, *, rotation: str = "Always") -> Manifest:
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
