"""Looks at an installation through the API server, with the rights of whoever asks; writes nothing."""

from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Final
from urllib.parse import urlsplit

import orjson

from webhook.cli.doctor import wanted
from webhook.cli.doctor.facts import CONTROLLER
from webhook.cli.doctor.facts import LABEL
from webhook.cli.doctor.facts import NAME
from webhook.cli.doctor.facts import Facts
from webhook.cli.doctor.facts import Many
from webhook.cli.doctor.facts import One
from webhook.cli.doctor.facts import Replica
from webhook.cli.doctor.facts import Right
from webhook.cli.doctor.facts import label_of
from webhook.cli.doctor.facts import name_of
from webhook.cli.doctor.facts import url_of
from webhook.domain.api import ALIGNMENTS
from webhook.domain.api import GROUP
from webhook.domain.api import LEASE
from webhook.domain.api import POLICIES
from webhook.domain.api import PROFILES
from webhook.domain.api import VERSION
from webhook.domain.api import WORLD_MAP
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.kube.client import Ask
from webhook.kube.client import Client
from webhook.kube.election import LEASES
from webhook.kube.error import KubeError
from webhook.kube.listing import PAGE
from webhook.kube.listing import read_object
from webhook.kube.resource import Resource
from webhook.manifests.pods import PROBE_PORT
from webhook.manifests.settings import POLICY_MAP
from webhook.tls.handshake import shown_by

_ADMISSION: Final = "admissionregistration.k8s.io"
_PODS: Final = Resource("", "v1", "pods")
_SERVICES: Final = Resource("", "v1", "services")
_MAPS: Final = Resource("", "v1", "configmaps")
_REFUSED: Final = (401, 403)
_SECONDS: Final = 10.0
_MOST_BYTES: Final = 1 << 20
_HTTPS: Final = 443
_NOBODY: Final = "no endpoints available"


def gather(client: Client, *, namespace: str, now: datetime) -> Facts:
    """Ask for everything once; what may not be seen is noted as such.

    Raises:
        KubeError: the API server does not answer at all, or does not know who asks.
    """
    cluster = _Cluster(client, namespace)
    version = read_object(client.send(Ask(path="/version")), "/version")
    pods = cluster.many(_PODS, namespace)
    facts = Facts(
        namespace=namespace,
        now=now,
        server=client.server,
        date=cluster.date(),
        version=One(version),
        mutating=cluster.many(Resource(_ADMISSION, "v1", "mutatingwebhookconfigurations")),
        validating=cluster.many(Resource(_ADMISSION, "v1", "validatingwebhookconfigurations")),
        services=cluster.many(_SERVICES, namespace),
        slices=cluster.many(Resource("discovery.k8s.io", "v1", "endpointslices"), namespace),
        budgets=cluster.many(Resource("policy", "v1", "poddisruptionbudgets"), namespace),
        deployments=cluster.many(Resource("apps", "v1", "deployments"), namespace),
        pods=pods,
        quotas=cluster.many(Resource("", "v1", "resourcequotas"), namespace),
        world=cluster.one(_MAPS, namespace, WORLD_MAP),
        lease=cluster.one(LEASES, namespace, LEASE),
        policy_map=cluster.one(_MAPS, namespace, POLICY_MAP),
        crds=cluster.each(Resource("apiextensions.k8s.io", "v1", "customresourcedefinitions"), _KINDS),
        policies=cluster.many(Resource(GROUP, VERSION, POLICIES)),
        profiles=cluster.many(Resource(GROUP, VERSION, PROFILES)),
        guards=cluster.many(Resource(_ADMISSION, "v1", "validatingadmissionpolicies")),
        bindings=cluster.many(Resource(_ADMISSION, "v1", "validatingadmissionpolicybindings")),
        api_server_pods=cluster.many(_PODS, "kube-system", labels="component=kube-apiserver"),
        replicas=tuple(map(cluster.replica, filter(_runs, pods.items))),
    )
    return cluster.asked(facts)


_KINDS: Final = tuple(f"{plural}.{GROUP}" for plural in (POLICIES, PROFILES, ALIGNMENTS))


class _Cluster:
    """What can be asked of one API server about one installation."""

    def __init__(self, client: Client, namespace: str) -> None:
        self._client = client
        self._namespace = namespace

    def date(self) -> datetime | None:
        """Answer the API server's clock, by the header of a reply."""
        told = self._client.headers(Ask(path="/version")).get("Date", "")
        try:
            return parsedate_to_datetime(told)
        except ValueError:
            return None

    def one(self, resource: Resource, namespace: str, name: str) -> One:
        """Read an object."""
        path = resource.path(namespace, name)
        try:
            return One(read_object(self._client.send(Ask(path=path)), path))
        except KubeError as error:
            return One() if error.absent else One(error=_why(error, "get", f"{resource} {name}", namespace))

    def each(self, resource: Resource, names: tuple[str, ...]) -> Many:
        """Read objects by their names: there may be thousands of others."""
        found = [self.one(resource, "", name) for name in names]
        error = next((one.error for one in found if one.error), "")
        return Many(tuple(one.found for one in found if one.found is not None), error)

    def many(self, resource: Resource, namespace: str = "", *, labels: str = "") -> Many:
        """List objects; a kind that is not defined has none."""
        items: list[JsonObject] = []
        query = {"limit": str(PAGE), **({"labelSelector": labels} if labels else {})}
        path = resource.path(namespace)
        try:
            while True:
                found = read_object(self._client.send(Ask(path=path, query=query)), path)
                items += map(as_object, get_list(found, "items"))
                more = get_text(get_object(found, "metadata"), "continue")
                if not more:
                    return Many(tuple(items))
                query["continue"] = more
        except KubeError as error:
            return Many() if error.absent else Many(error=_why(error, "list", str(resource), namespace))

    def replica(self, pod: JsonObject) -> Replica:
        """Ask a pod about itself."""
        name, component = name_of(pod), "controller" if label_of(pod, LABEL) == CONTROLLER else "serve"
        place = _PODS.path(self._namespace, f"http:{name}:{_probe_port(pod)}", "proxy")
        try:
            metrics = self._client.send(Ask(path=f"{place}/metrics", seconds=_SECONDS, most=_MOST_BYTES))
            shown = self._client.send(Ask(path=f"{place}/certificate", seconds=_SECONDS, most=_MOST_BYTES))
        except KubeError as error:
            return Replica(name, component, error=_why(error, "get", "pods/proxy", self._namespace))
        return Replica(name, component, dict(_samples(metrics.decode("utf-8", "replace"))), shown)

    def asked(self, facts: Facts) -> Facts:
        """Add what can be known only of what the first look has shown: who is reached, and who may do what."""
        addresses = [url for entry in facts.entries if (url := url_of(entry))]
        reach, served = self._by_address(addresses[0]) if addresses else (self._by_service(facts), None)
        return replace(
            facts,
            reach=reach,
            served=served,
            rights=() if facts.from_file else tuple(self._rights(issues=facts.managed)),
        )

    def _by_service(self, facts: Facts) -> str | None:
        if facts.services.error or facts.services.named(NAME) is None:
            return None
        path = _SERVICES.path(self._namespace, f"https:{NAME}:{_HTTPS}", "proxy")
        try:
            self._client.send(Ask(path=f"{path}/healthz", seconds=_SECONDS, most=_MOST_BYTES))
        except KubeError as error:
            # That nobody is ready is told by another probe.
            return None if _NOBODY in str(error) else _why(error, "get", "services/proxy", self._namespace)
        return ""

    def _by_address(self, url: str) -> tuple[str, bytes | None]:
        parts = urlsplit(url)
        try:
            return "", shown_by(parts.hostname or "", parts.port or _HTTPS)
        except OSError as error:
            return f"{parts.netloc}: {error}", None

    def _rights(self, *, issues: bool) -> Iterator[Right]:
        for account, attributes in wanted.wanted_rights(self._namespace, issues=issues):
            yield self._right(account, attributes, wanted_at_all=True)
        for account, attributes in wanted.unwanted_rights(self._namespace):
            yield self._right(account, attributes, wanted_at_all=False)

    def _right(self, account: str, attributes: JsonObject, *, wanted_at_all: bool) -> Right:
        groups = ["system:serviceaccounts", f"system:serviceaccounts:{self._namespace}", "system:authenticated"]
        user = f"system:serviceaccount:{self._namespace}:{account}"
        body = {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SubjectAccessReview",
            "spec": {"user": user, "groups": groups, "resourceAttributes": attributes},
        }
        path, allowed, told = "/apis/authorization.k8s.io/v1/subjectaccessreviews", None, ""
        try:
            answer = read_object(self._client.send(Ask(method="POST", path=path, body=orjson.dumps(body))), path)
            allowed = get_object(answer, "status").get("allowed") is True
        except KubeError as error:
            told = _why(error, "create", "subjectaccessreviews", "")
        verb = get_text(attributes, "verb")
        return Right(
            account=account, verb=verb, what=_what(attributes), wanted=wanted_at_all, allowed=allowed, error=told
        )


def _what(attributes: JsonObject) -> str:
    """Write a resource as people do: configmaps/numagate-world in numagate-system."""
    resource, part, group, name, place = (
        get_text(attributes, key) for key in ("resource", "subresource", "group", "name", "namespace")
    )
    kind = f"{resource}{f'/{part}' if part else ''}{f'.{group}' if group else ''}"
    return f"{kind}{f' {name}' if name else ''}{f' in {place}' if place else ''}"


def _why(error: KubeError, verb: str, what: str, namespace: str) -> str:
    """Say which right is missing, or what else has gone wrong."""
    if error.status in _REFUSED:
        return f"needs the right to {verb} {what}" + (f" in {namespace}" if namespace else "")
    return str(error)


def _runs(pod: JsonObject) -> bool:
    status = get_object(pod, "status")
    return label_of(pod, LABEL) in {NAME, CONTROLLER} and bool(get_text(status, "podIP"))


def _probe_port(pod: JsonObject) -> int:
    containers = map(as_object, get_list(get_object(pod, "spec"), "containers"))
    ports = (as_object(port) for container in containers for port in get_list(container, "ports"))
    found = (port.get("containerPort") for port in ports if port.get("name") == "probes")
    number = next(found, PROBE_PORT)
    return number if isinstance(number, int) else PROBE_PORT


def _samples(text: str) -> Mapping[str, float]:
    """Read Prometheus' text format, as far as it is ours: a name with labels, a space, a number."""
    made: dict[str, float] = {}
    for line in text.splitlines():
        name, _, value = line.rpartition(" ")
        if name and not line.startswith("#"):
            try:
                made[name] = float(value)
            except ValueError:
                continue
    return made
