"""Which combinations of mode, certificates and source are offered, each as kustomize folder and as flat list."""

from collections.abc import Mapping
from dataclasses import dataclass

from webhook.manifests import objects
from webhook.manifests import policy_text
from webhook.manifests.agent import agent
from webhook.manifests.agent_guard import agent_guard
from webhook.manifests.certificates import Certificates
from webhook.manifests.certificates import annotation
from webhook.manifests.certificates import chosen
from webhook.manifests.certificates import issuers
from webhook.manifests.client_auth import asking
from webhook.manifests.controller import controller
from webhook.manifests.crds import crds
from webhook.manifests.deployment import deployment
from webhook.manifests.guard import guard
from webhook.manifests.level_guard import level_guard
from webhook.manifests.monitoring.dashboard import config_map
from webhook.manifests.monitoring.rules import prometheus_rule
from webhook.manifests.monitoring.scrape import pod_monitor
from webhook.manifests.rbac import agent_rights
from webhook.manifests.rbac import controller_rights
from webhook.manifests.rbac import issuing_rights
from webhook.manifests.rbac import serving_rights
from webhook.manifests.settings import Manifest
from webhook.manifests.settings import Mode
from webhook.manifests.settings import Settings
from webhook.manifests.settings import Source
from webhook.manifests.webhooks import configurations

CRDS = "crds"
"""What is applied first: an API server takes no object of a kind that it does not know yet."""
AGENTS = "agent"
"""The agents, which go with every combination whose policy is in objects, or come later."""
MONITORING = "monitoring"
"""What is for the Prometheus operator and Grafana; its kinds are theirs, so it goes apart, too."""


@dataclass(frozen=True, slots=True)
class Overlay:
    """One combination; without a mode the server runs and is asked nothing, and has no policy object."""

    mode: Mode | None
    certificates: Certificates
    source: Source


def _overlays() -> Mapping[str, Overlay]:
    return (
        _modes(Certificates.MANAGED, Source.OBJECTS, server="self-signed")
        | _modes(Certificates.CERT_MANAGER, Source.OBJECTS, server="cert-manager", tail="-cert-manager")
        # Without a controller there is nobody to issue.
        | _modes(Certificates.SELF_SIGNED, Source.FILE, server="self-signed-file", tail="-file")
    )


def _modes(certificates: Certificates, source: Source, *, server: str, tail: str = "") -> dict[str, Overlay]:
    """Answer the combinations of one way to certificates: the `server` alone, and each mode."""
    named = {server: Overlay(None, certificates, source)}
    return named | {mode.value + tail: Overlay(mode, certificates, source) for mode in Mode}


OVERLAYS = _overlays()
"""Every overlay by name."""
NAMES = (CRDS, *OVERLAYS, AGENTS, MONITORING)
"""What can be rendered flat."""


def base(settings: Settings) -> dict[str, list[Manifest]]:
    """Answer what every installation has, by the file it is written to."""
    return {
        "namespace.yaml": [objects.namespace(settings), objects.priority_quota(settings)],
        "serviceaccount.yaml": [objects.service_account(settings)],
        "service.yaml": [objects.service(settings)],
        "poddisruptionbudget.yaml": [objects.disruption_budget(settings)],
        "optout.yaml": guard(),
        "levels.yaml": level_guard(),
    }


def source_objects(settings: Settings, source: Source, *, issues: bool = False) -> dict[str, list[Manifest]]:
    """Answer the servers for a policy in objects, or in a file that only observes.

    Where the controller `issues`, it needs `issuing_rights`, too.
    """
    if source is Source.FILE:
        return {
            "policy.yaml": [objects.policy_map(settings, policy_text.observing(settings.policy_text))],
            "networkpolicy.yaml": [objects.network_policy(settings)],
            "deployment.yaml": [deployment(settings, source)],
        }
    return {
        "rbac.yaml": [*serving_rights(settings), *controller_rights(settings)],
        "networkpolicy.yaml": [objects.network_policy(settings, egress=True)],
        "deployment.yaml": [deployment(settings, source)],
        "controller.yaml": controller(settings, issues=issues),
    }


def policy(settings: Settings, mode: Mode, source: Source) -> list[Manifest]:
    """Answer the policy that a mode brings: in `observe` it looks only, else it is as it was written."""
    observes = mode is Mode.OBSERVE
    if source is Source.FILE:
        text = settings.policy_text
        return [objects.policy_map(settings, policy_text.observing(text) if observes else text)]
    make = policy_text.observing_objects if observes else policy_text.objects
    return make(settings.policy_text)


def flat(settings: Settings, name: str) -> list[Manifest]:
    """Answer all objects of the overlay called `name`, ready to be applied in this order.

    Raises:
        KeyError: there is no such overlay.
    """
    if name == CRDS:
        return list(crds())
    if name == MONITORING:
        return monitoring(settings)
    if name == AGENTS:
        return [manifest for manifests in agents(settings).values() for manifest in manifests]
    return [manifest for manifests in parts(settings, OVERLAYS[name]).values() for manifest in manifests]


def monitoring(settings: Settings) -> list[Manifest]:
    """Answer what is for the Prometheus operator and for Grafana's sidecar."""
    return [pod_monitor(settings), prometheus_rule(settings), config_map(settings)]


def agents(settings: Settings) -> dict[str, list[Manifest]]:
    """Answer what the agents need beside the definitions, by the file that it is written to."""
    return {
        # Before there is anybody whom they bind.
        "guard.yaml": agent_guard(settings),
        "agent.yaml": agent(settings),
        "rbac.yaml": agent_rights(settings),
    }


def parts(settings: Settings, overlay: Overlay) -> dict[str, list[Manifest]]:
    """Answer the objects of an overlay by the file that they are written to, in the order in which they are applied."""
    certificates = chosen(settings, overlay.certificates)
    issues = certificates is Certificates.MANAGED
    made = base(settings) | source_objects(settings, overlay.source, issues=issues)
    if overlay.mode is not None:
        made["policy.yaml"] = policy(settings, overlay.mode, overlay.source)
    if certificates is Certificates.CERT_MANAGER:
        made["certificates.yaml"] = issuers(settings)
    if issues:
        made["certificates.yaml"] = issuing_rights(settings)
    if overlay.mode is not None:
        made["webhooks.yaml"] = _asked(settings, overlay.mode, certificates, overlay.source)
    return {file: asking(settings, manifests) for file, manifests in made.items()}


def webhooks(settings: Settings, mode: Mode, certificates: Certificates | None, source: Source) -> list[Manifest]:
    """Answer the webhook configurations of `mode`.

    Only self-signed ones hold the CA bundle of the settings, and only where policies are objects is a controller asked.
    """
    return configurations(
        settings.policy,
        namespace=settings.namespace,
        url=settings.url,
        ca_bundle=settings.ca_bundle if certificates is Certificates.SELF_SIGNED else None,
        mode=mode.value,
        selected=settings.selected if source is Source.OBJECTS else None,
        controller_url=settings.controller_url,
    )


def _asked(settings: Settings, mode: Mode, certificates: Certificates, source: Source) -> list[Manifest]:
    """Answer the webhook configurations with the annotation that tells who owns their CA bundle."""
    key, value = annotation(settings, certificates)
    made = webhooks(settings, mode, certificates, source)
    for configuration in made:
        metadata = configuration["metadata"]
        if isinstance(metadata, dict):
            metadata["annotations"] = {**metadata["annotations"], key: value}
    return made
