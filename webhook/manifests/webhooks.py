"""The two webhook configurations: which requests the API server sends to numagate, and what happens when it is down."""

from collections.abc import Iterable
from collections.abc import Sequence

from webhook.domain import keys
from webhook.domain.policy import Policy
from webhook.manifests import match
from webhook.manifests.entries import FAIL
from webhook.manifests.entries import IGNORE
from webhook.manifests.entries import Entry
from webhook.manifests.entries import mutating
from webhook.manifests.entries import namespaces
from webhook.manifests.entries import validating
from webhook.manifests.settings import CONTROLLER
from webhook.manifests.settings import LABELS
from webhook.manifests.settings import MODE_LABEL
from webhook.manifests.settings import NAME
from webhook.manifests.settings import NAMESPACE
from webhook.manifests.settings import Manifest
from webhook.manifests.settings import Mode
from webhook.manifests.settings import Settings
from webhook.manifests.settings import metadata

DISABLED = keys.DISABLED
"""Value of the namespace label `keys.ADMISSION` that keeps the namespace's objects away from numagate."""

ALWAYS_EXCLUDED = ("kube-system",)
"""Beside numagate's own namespace: what the cluster itself needs must never wait for numagate."""

_ANNOTATIONS = {"admissions.enforcer/disabled": "true"}
"""AKS rewrites the selectors of webhooks that match many namespaces unless told not to; ours leave its own out."""


def configurations(
    policy: Policy,
    *,
    namespace: str = NAMESPACE,
    url: str | None = None,
    ca_bundle: bytes | None = None,
    mode: str = "enforce",
    selected: Iterable[str] | None = None,
    controller_url: str | None = None,
) -> list[Manifest]:
    """Answer the MutatingWebhookConfiguration and the ValidatingWebhookConfiguration for `policy`.

    The API server calls the Service in `namespace`, or `url` (scheme, host and port) where one is given. `ca_bundle`
    is PEM. Mode `trial` never refuses for want of an answer (Ignore everywhere); mode `observe` neither, and its
    mutating configuration is there but empty, so that applying it over another takes the repairs back.

    Where there is a controller, `selected` are the namespace labels that policies select by (None: there is none), and
    `controller_url` is its address beside `url`; without one nobody can call it.

    Raises:
        ValueError: `mode` is none of the three.
    """
    settings = Settings(
        policy=policy,
        policy_text="",
        namespace=namespace,
        url=url,
        controller_url=controller_url,
        ca_bundle=ca_bundle,
    )
    chosen = Mode(mode)
    second = validating(policy)
    if selected is not None and (url is None or controller_url is not None):
        second += (namespaces(selected),)
    first = () if chosen is Mode.OBSERVE else mutating(policy)
    reinvoked: Manifest = {"reinvocationPolicy": "IfNeeded"}
    return [
        _configuration("Mutating", chosen, [_webhook(entry, settings, chosen) | reinvoked for entry in first]),
        _configuration("Validating", chosen, [_webhook(entry, settings, chosen) for entry in second]),
    ]


def _webhook(entry: Entry, settings: Settings, mode: Mode) -> Manifest:
    exempt = settings.policy.exemptions.lasting_namespaces
    patterns = [name for name in exempt if match.is_pattern(name)]
    conditions = [("namespace-not-exempt", match.namespace_is_none_of(patterns, entry.namespace))] if patterns else []
    return {
        "name": entry.name,
        "clientConfig": _client(entry, settings),
        "rules": list(entry.rules),
        "matchPolicy": "Equivalent",
        "namespaceSelector": _namespaces((*ALWAYS_EXCLUDED, settings.namespace, *exempt)),
        # Any condition here would be a label that the owner of a pod can set to escape.
        "objectSelector": {},
        "matchConditions": _conditions((*conditions, *entry.conditions)),
        "failurePolicy": FAIL if mode is Mode.ENFORCE and entry.binding else IGNORE,
        "sideEffects": "None",
        "timeoutSeconds": entry.seconds,
        "admissionReviewVersions": ["v1"],
    }


def _client(entry: Entry, settings: Settings) -> Manifest:
    service = {"namespace": settings.namespace, "name": entry.service, "port": 443, "path": entry.path}
    url = settings.controller_url if entry.service == CONTROLLER else settings.url
    target: Manifest = {"service": service} if url is None else {"url": url.rstrip("/") + entry.path}
    bundle = settings.encoded_bundle
    return target if bundle is None else {**target, "caBundle": bundle}


def _conditions(conditions: Sequence[tuple[str, str]]) -> list[Manifest]:
    return [{"name": name, "expression": expression} for name, expression in conditions]


def _namespaces(excluded: Iterable[str]) -> Manifest:
    names = sorted({name for name in excluded if not match.is_pattern(name)})
    return {
        "matchExpressions": [
            {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": names},
            {"key": keys.ADMISSION, "operator": "NotIn", "values": [DISABLED]},
        ]
    }


def _configuration(kind: str, mode: Mode, webhooks: list[Manifest]) -> Manifest:
    made = metadata(NAME, annotations=dict(_ANNOTATIONS))
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": f"{kind}WebhookConfiguration",
        "metadata": made | {"labels": {**LABELS, MODE_LABEL: mode.value}},
        "webhooks": webhooks,
    }
