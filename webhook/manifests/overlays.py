"""Which combinations of mode and certificates are offered, each as kustomize folder and as one flat list of objects."""

from collections.abc import Mapping
from dataclasses import dataclass

from webhook.manifests import objects
from webhook.manifests import policy_text
from webhook.manifests.certificates import Certificates
from webhook.manifests.certificates import annotation
from webhook.manifests.certificates import issuers
from webhook.manifests.deployment import deployment
from webhook.manifests.guard import guard
from webhook.manifests.settings import Manifest
from webhook.manifests.settings import Mode
from webhook.manifests.settings import Settings
from webhook.manifests.webhooks import configurations


@dataclass(frozen=True, slots=True)
class Overlay:
    """One combination; without a mode the server runs and is asked nothing."""

    mode: Mode | None
    certificates: Certificates | None


def _overlays() -> Mapping[str, Overlay]:
    named = {"base": Overlay(None, None)}
    for certificates in Certificates:
        named[certificates.value] = Overlay(None, certificates)
        suffix = "" if certificates is Certificates.SELF_SIGNED else f"-{certificates.value}"
        named.update({mode.value + suffix: Overlay(mode, certificates) for mode in Mode})
    return named


OVERLAYS = _overlays()
"""Every overlay by name; the modes' plain names go with certificates from `numagate certs`."""


def base(settings: Settings) -> dict[str, list[Manifest]]:
    """Answer the objects of the server alone, by the file they are written to; its policy only observes."""
    return {
        "namespace.yaml": [objects.namespace(settings), objects.priority_quota(settings)],
        "policy.yaml": [objects.policy_map(settings, policy_text.observing(settings.policy_text))],
        "serviceaccount.yaml": [objects.service_account(settings)],
        "service.yaml": [objects.service(settings)],
        "networkpolicy.yaml": [objects.network_policy(settings)],
        "poddisruptionbudget.yaml": [objects.disruption_budget(settings)],
        "deployment.yaml": [deployment(settings)],
        "optout.yaml": guard(),
    }


def flat(settings: Settings, name: str) -> list[Manifest]:
    """Answer all objects of the overlay called `name`, ready to be applied in this order.

    Raises:
        KeyError: there is no such overlay.
    """
    overlay = OVERLAYS[name]
    made = base(settings)
    if overlay.mode not in {None, Mode.OBSERVE}:
        made["policy.yaml"] = [objects.policy_map(settings, settings.policy_text)]
    answer = [manifest for manifests in made.values() for manifest in manifests]
    if overlay.certificates is Certificates.CERT_MANAGER:
        answer += issuers(settings)
    if overlay.mode is not None and overlay.certificates is not None:
        key, value = annotation(settings, overlay.certificates)
        for configuration in webhooks(settings, overlay.mode, overlay.certificates):
            metadata = configuration["metadata"]
            if isinstance(metadata, dict):
                metadata["annotations"] = {**metadata["annotations"], key: value}
            answer.append(configuration)
    return answer


def webhooks(settings: Settings, mode: Mode, certificates: Certificates | None) -> list[Manifest]:
    """Answer the webhook configurations of `mode`; only self-signed ones hold the CA bundle of the settings."""
    return configurations(
        settings.policy,
        namespace=settings.namespace,
        url=settings.url,
        ca_bundle=settings.ca_bundle if certificates is Certificates.SELF_SIGNED else None,
        mode=mode.value,
    )
