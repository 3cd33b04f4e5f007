"""What was seen of an installation: raw objects, and for what could not be seen the reason."""

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from datetime import datetime
from types import MappingProxyType

from webhook.domain import keys
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.raw import get_texts


@dataclass(frozen=True, slots=True)
class One:
    """An object; None where there is none, or where `error` says why it could not be read."""

    found: JsonObject | None = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Many:
    """Objects of a kind; none where `error` says why they could not be listed."""

    items: tuple[JsonObject, ...] = ()
    error: str = ""

    def named(self, name: str) -> JsonObject | None:
        """Answer the one of that name."""
        return next((one for one in self.items if name_of(one) == name), None)


@dataclass(frozen=True, slots=True)
class Replica:
    """What a pod said for itself, through the API server's proxy; `error` is why it said nothing."""

    name: str
    component: str
    metrics: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    certificates: bytes = b""
    error: str = ""

    def series(self, metric: str) -> dict[str, float]:
        """Answer the series of a metric by their labels, as they are written."""
        return {
            key.removeprefix(metric): value
            for key, value in self.metrics.items()
            if key == metric or key.startswith(f"{metric}{{")
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Right:
    """A right of an account: whether it is to have it, and whether it has. `allowed` is None where nobody could say."""

    account: str
    verb: str
    what: str
    wanted: bool
    allowed: bool | None = None
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Everything that was seen, at one moment; `now` is this machine's clock, `date` the API server's."""

    namespace: str
    now: datetime
    server: str
    date: datetime | None = None
    version: One = One()
    mutating: Many = Many()
    validating: Many = Many()
    services: Many = Many()
    slices: Many = Many()
    budgets: Many = Many()
    deployments: Many = Many()
    pods: Many = Many()
    quotas: Many = Many()
    world: One = One()
    lease: One = One()
    policy_map: One = One()
    crds: Many = Many()
    policies: Many = Many()
    profiles: Many = Many()
    guards: Many = Many()
    bindings: Many = Many()
    api_server_pods: Many = Many()
    reach: str | None = None
    """What the API server said when it was asked to call the Service: "" for success, None where it was not asked."""
    served: bytes | None = None
    """The certificate that an address answered a handshake with, where the configurations call an address."""
    replicas: tuple[Replica, ...] = ()
    rights: tuple[Right, ...] = ()

    @property
    def configurations(self) -> dict[str, JsonObject]:
        """Both of our configurations, as far as they are there, by "mutating" and "validating"."""
        both = {"mutating": self.mutating.named(NAME), "validating": self.validating.named(NAME)}
        return {word: found for word, found in both.items() if found is not None}

    @property
    def entries(self) -> tuple[JsonObject, ...]:
        """The webhooks of both."""
        return tuple(as_object(one) for found in self.configurations.values() for one in get_list(found, "webhooks"))

    @property
    def absent(self) -> bool:
        """Whether all that could be seen says that numagate is not installed here."""
        unseen = self.mutating.error or self.validating.error or self.deployments.error
        here = any(self.deployments.named(name) for name in (NAME, CONTROLLER))
        return not (unseen or here or self.configurations)

    @property
    def managed(self) -> bool:
        """Whether the controller issues the certificates."""
        annotations = (get_object(one, "metadata", "annotations") for one in self.configurations.values())
        return any(one.get(keys.CERTIFICATES) == keys.MANAGED for one in annotations)

    @property
    def mode(self) -> str:
        """What both configurations are installed for, "" where they do not agree."""
        modes = {label_of(one, keys.INSTALLED_MODE) for one in self.configurations.values()}
        return modes.pop() if len(modes) == 1 else ""

    @property
    def release(self) -> str:
        """The Helm release that the installation is of, "" for none."""
        return next((name for one in self.deployments.items if (name := _release(one))), "")

    @property
    def from_file(self) -> bool:
        """Whether the serving pods read their policy from a file, so that there is no controller."""
        deployment = self.deployments.named(NAME)
        containers = get_list(get_object(deployment, "spec", "template", "spec"), "containers")
        return any(text.startswith("--policy=") for one in containers for text in get_texts(one, "args"))


NAME = "numagate"
CONTROLLER = "numagate-controller"
LABEL = "app.kubernetes.io/name"


def _release(found: JsonObject) -> str:
    return get_text(get_object(found, "metadata", "annotations"), "meta.helm.sh/release-name")


def name_of(found: JsonObject) -> str:
    """Answer the name of an object."""
    return get_text(get_object(found, "metadata"), "name")


def label_of(found: JsonObject, key: str) -> str:
    """Answer a label of an object, "" for none."""
    return get_text(get_object(found, "metadata", "labels"), key)


def service_of(entry: JsonObject) -> tuple[str, str]:
    """Answer namespace and name of the Service that an entry calls, ("", "") where it calls an address."""
    service = get_object(entry, "clientConfig", "service")
    return get_text(service, "namespace"), get_text(service, "name")


def url_of(entry: JsonObject) -> str:
    """Answer the address that an entry calls, "" where it calls a Service."""
    return get_text(get_object(entry, "clientConfig"), "url")
