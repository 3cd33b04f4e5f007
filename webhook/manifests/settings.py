"""What an installation may choose: names, image, policy, and how the API server reaches the service."""

import base64
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from webhook import __version__
from webhook.domain import keys
from webhook.domain.policy import Policy

Manifest: TypeAlias = dict[str, object]
"""A Kubernetes object, as it is written to YAML or sent to an API server."""

NAME = "numagate"
"""Name of the Service, of both webhook configurations and of everything that is installed once."""

NAMESPACE = "numagate-system"
IMAGE = f"numagate:{__version__}"

POLICY_MAP = "numagate-policy"
"""ConfigMap that the policy is mounted from."""
POLICY_KEY = "policy.yaml"

CONTROLLER = "numagate-controller"
"""Name of the controller's Deployment, Service and service account."""

AGENT = "numagate-agent"
"""Name of the DaemonSet of the agents and of their service account."""
AGENT_NAMESPACE = "numagate-agent"
"""Theirs, because what runs there sees its host."""

LABELS = {"app.kubernetes.io/name": NAME}
"""Labels of all objects, and the selector of the pods."""

MODE_LABEL = keys.INSTALLED_MODE
"""Label of both webhook configurations: the `Mode` they were rendered for."""


class Mode(Enum):
    """How far numagate may go on the cluster."""

    OBSERVE = "observe"
    """Only look: nothing is patched or refused, and nothing waits for an answer that does not come."""
    TRIAL = "trial"
    """Do what the policy says, but let through what numagate does not answer for."""
    ENFORCE = "enforce"
    """Do what the policy says; an accelerator pod that numagate cannot answer for is refused."""


class Source(Enum):
    """Where the serving pods have their policy from."""

    OBJECTS = "objects"
    """From AlignmentPolicy and NodeProfile objects, by way of the controller's world snapshot."""
    FILE = "file"
    """From a mounted file, without controller, CRDs or any right."""


@dataclass(frozen=True, slots=True)
class Settings:
    """One installation.

    `policy_text` is what `policy` was read from: it goes to the cluster as it is. `url` (scheme, host and port)
    replaces the Service, for an API server that reaches numagate without a cluster network. `ca_bundle` is PEM;
    where it is None the field is left to whoever owns the certificates. `api_servers` are the address blocks (CIDR)
    that the pods may call; without any, whatever listens on the ports of API servers. `selected` are the namespace
    labels that policies select by; `controller_url` is to the controller's Service what `url` is to the other.
    With `client_auth` whoever calls must show a certificate, of one of `client_names`, or of the usual name.
    Agents live in `agent_namespace`, and find the kubelet's sockets and files below `kubelet_dir` of their node.
    """

    policy: Policy
    policy_text: str
    namespace: str = NAMESPACE
    image: str = IMAGE
    url: str | None = None
    ca_bundle: bytes | None = None
    api_servers: tuple[str, ...] = ()
    selected: tuple[str, ...] = ()
    controller_url: str | None = None
    client_auth: bool = False
    client_names: tuple[str, ...] = ()
    agent_namespace: str = AGENT_NAMESPACE
    kubelet_dir: str = "/var/lib/kubelet"

    @property
    def encoded_bundle(self) -> str | None:
        """The CA bundle as the API server's `caBundle` field takes it."""
        return None if self.ca_bundle is None else base64.b64encode(self.ca_bundle).decode("ascii")


def metadata(name: str, namespace: str | None = None, **more: object) -> Manifest:
    """Make the metadata of one of our objects."""
    place: Manifest = {} if namespace is None else {"namespace": namespace}
    return {"name": name, **place, "labels": dict(LABELS), **more}
