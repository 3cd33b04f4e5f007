"""The values of the chart: one table, from which values.yaml and its schema are made."""

import textwrap
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from typing import TypeAlias

from webhook import __version__
from webhook.manifests import policy_text
from webhook.manifests.agent import PRIORITY as AGENT_PRIORITY
from webhook.manifests.agent import daemon_set
from webhook.manifests.certificates import Certificates
from webhook.manifests.chart import schema
from webhook.manifests.controller import controller
from webhook.manifests.deployment import deployment
from webhook.manifests.pods import PRIORITY
from webhook.manifests.settings import Manifest
from webhook.manifests.settings import Mode
from webhook.manifests.settings import Settings
from webhook.manifests.settings import Source
from webhook.manifests.text import dump_one

_WIDTH = 100
_SECTIONS = {
    "serving": "The Deployment of `numagate serve`, which the API server calls.",
    "controller": "That of `numagate controller`, of which one replica leads; only with policy.source objects.",
    "agent": "The DaemonSet of `numagate verify --watch`, which looks at each node; only with policy.source objects.",
}

Tree: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Value:
    """One value: its dotted name, what it does, what it is by default, and its JSON schema."""

    name: str
    about: str
    default: object
    schema: schema.Schema


def values(settings: Settings) -> tuple[Value, ...]:
    """Answer every value of the chart, in the order of values.yaml; those of `settings` are the defaults."""
    return (
        Value(
            "mode",
            "How far numagate may go: observe (only look), trial (do what the policy says, but let through what is not "
            "answered), enforce (an accelerator pod that numagate cannot answer for is refused).",
            Mode.OBSERVE.value,
            schema.one_of(*(mode.value for mode in Mode)),
        ),
        *_policy(settings),
        *_calls(settings),
        *_image(settings),
        *_server("serving", deployment(settings)),
        *_server("controller", _controller(settings)),
        *_agent(settings),
        Value(
            "priorityClassName",
            "Priority class of the pods of both Deployments, and the one of the ResourceQuota; empty for none.",
            PRIORITY,
            schema.text(),
        ),
        Value(
            "networkPolicy.apiServers",
            "Address blocks (CIDR) that the pods may call: your API servers. Empty: ports 443, 6443 and 8443 anywhere.",
            list(settings.api_servers),
            schema.items(schema.text(r"^[0-9a-fA-F:.]+/[0-9]{1,3}$")),
        ),
        *_monitoring(),
        Value("commonLabels", "Further labels of every object.", {}, schema.LABELS),
        Value("commonAnnotations", "Further annotations of every object.", {}, schema.STRINGS),
    )


def _calls(settings: Settings) -> Iterator[Value]:
    """Yield what is about the API server's calls: whom it trusts, where it calls, and how it proves itself."""
    bundle = "" if settings.ca_bundle is None else settings.ca_bundle.decode()
    yield Value(
        "certificates.mode",
        "Who issues the serving certificate and fills in caBundle: managed (the controller; not with policy.source "
        "file), cert-manager, or self-signed (you, with numagate certs).",
        Certificates.MANAGED.value,
        schema.one_of(*(one.value for one in Certificates)),
    )
    yield Value(
        "certificates.caBundle",
        "With certificates.mode self-signed: the CA, PEM, that the API server shall trust: "
        "--set-file certificates.caBundle=certs/ca.crt. Left empty, the field is not rendered, so that what "
        "another writes there stays.",
        bundle,
        schema.text(r"^(-----BEGIN CERTIFICATE-----[\s\S]*-----END CERTIFICATE-----\s*)?$"),
    )
    yield Value(
        "webhooks.url",
        "https://HOST:PORT that the API server calls instead of the Service, where it has no cluster network.",
        settings.url or "",
        schema.text(r"^(https://[^/@?#\s]+)?$"),
    )
    yield Value(
        "webhooks.controllerUrl",
        "With webhooks.url: the same for the controller, which warns about namespaces.",
        settings.controller_url or "",
        schema.text(r"^(https://[^/@?#\s]+)?$"),
    )
    yield Value(
        "clientAuth.enabled",
        "Ask the API server for a certificate of the CA in Secret numagate-client-ca (numagate certs client).",
        settings.client_auth,
        {"type": "boolean"},
    )
    yield Value(
        "clientAuth.names",
        "Names in the API server's certificate, one of which it must have; empty for the usual one.",
        list(settings.client_names),
        schema.items(schema.text("^[A-Za-z0-9.:@_-]{1,253}$")),
    )


def _monitoring() -> Iterator[Value]:
    switch = {"type": "boolean"}
    yield Value("monitoring.podMonitor", "A PodMonitor, for the Prometheus operator.", default=False, schema=switch)
    yield Value("monitoring.podMonitorLabels", "Labels that your Prometheus selects it by.", {}, schema.LABELS)
    yield Value("monitoring.prometheusRule", "Alert rules, for the Prometheus operator.", default=False, schema=switch)
    yield Value("monitoring.prometheusRuleLabels", "Labels that your Prometheus selects them by.", {}, schema.LABELS)
    yield Value("monitoring.dashboard", "A ConfigMap for Grafana's sidecar.", default=False, schema=switch)


def _policy(settings: Settings) -> Iterator[Value]:
    yield Value(
        "policy.source",
        "Where the serving pods have their policy from: objects (AlignmentPolicy and NodeProfile objects, by way of "
        "the controller) or file (a mounted ConfigMap, without controller, CRDs or any right).",
        Source.OBJECTS.value,
        schema.one_of(*(source.value for source in Source)),
    )
    yield Value(
        "policy.documents",
        "AlignmentPolicy and NodeProfile documents, as they would stand in a policy file. In mode observe their "
        "enforce and repair are installed as none. Empty, with source objects: you apply them yourself.",
        policy_text.objects(settings.policy_text),
        schema.items({"$ref": "#/$defs/Document"}),
    )


def _image(settings: Settings) -> Iterator[Value]:
    name, _, digest = settings.image.partition("@")
    repository, colon, tag = name.rpartition(":")
    if not colon or "/" in tag:
        repository, tag = name, ""
    yield Value("image.repository", "Image of all pods, without its tag.", repository, schema.text("^.+$"))
    yield Value(
        "image.tag",
        "Its tag; empty for the version of the chart.",
        "" if tag == __version__ else tag,
        schema.text(r"^[\w.-]*$"),
    )
    yield Value(
        "image.digest",
        "Its digest (sha256:…), which wins over the tag.",
        digest,
        schema.text("^(sha256:[0-9a-f]{64})?$"),
    )
    yield Value(
        "image.pullPolicy",
        "When the kubelet pulls it.",
        "IfNotPresent",
        schema.one_of("IfNotPresent", "Always", "Never"),
    )
    yield Value(
        "image.pullSecrets", "Secrets to pull it with, as in a pod: [{name: …}].", [], schema.items(schema.ANY_MAP)
    )


def _controller(settings: Settings) -> Manifest:
    (made,) = (one for one in controller(settings) if one["kind"] == "Deployment")
    return made


def _agent(settings: Settings) -> Iterator[Value]:
    made: Any = daemon_set(settings)
    pod = made["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    yield Value("agent.enabled", "Whether there are agents.", default=False, schema={"type": "boolean"})
    yield Value(
        "agent.namespace",
        "Their namespace, which the chart makes: what runs there sees its host, so it is for nobody else.",
        settings.agent_namespace,
        schema.text("^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$"),
    )
    yield Value("agent.nodeSelector", "Labels of the nodes they run on.", pod["nodeSelector"], schema.STRINGS)
    yield Value("agent.tolerations", "Taints they tolerate.", pod["tolerations"], schema.items(schema.ANY_MAP))
    yield Value("agent.kubeletDir", "The kubelet's --root-dir.", settings.kubelet_dir, schema.text("^/[^:]+$"))
    yield Value(
        "agent.resources",
        "Resources of the container. Whole CPUs with equal requests and limits would take cores from the pods that "
        "they watch.",
        container["resources"],
        schema.ANY_MAP,
    )
    yield Value(
        "agent.priorityClassName", "Priority class of their pods; empty for none.", AGENT_PRIORITY, schema.text()
    )
    yield Value("agent.logLevel", "Log level; empty for info.", "", schema.one_of("", *LOG_LEVELS))
    yield Value("agent.podLabels", "Further labels of their pods.", {}, schema.LABELS)
    yield Value("agent.podAnnotations", "Further annotations of their pods.", {}, schema.STRINGS)


def _server(section: str, made: Any) -> Iterator[Value]:
    (container,) = made["spec"]["template"]["spec"]["containers"]
    yield Value(f"{section}.replicas", "How many pods.", made["spec"]["replicas"], schema.whole(1))
    yield Value(
        f"{section}.resources",
        "Resources of the container. A CPU limit would throttle it, and every pod of the cluster would wait.",
        container["resources"],
        schema.ANY_MAP,
    )
    yield Value(f"{section}.logLevel", "Log level; empty for info.", "", schema.one_of("", *LOG_LEVELS))
    yield Value(f"{section}.podLabels", "Further labels of its pods.", {}, schema.LABELS)
    yield Value(f"{section}.podAnnotations", "Further annotations of its pods.", {}, schema.STRINGS)
    yield Value(f"{section}.nodeSelector", "Labels of the nodes it may run on.", {}, schema.STRINGS)
    yield Value(f"{section}.tolerations", "Taints it tolerates.", [], schema.items(schema.ANY_MAP))
    yield Value(f"{section}.affinity", "In place of the built-in one, which keeps replicas apart.", {}, schema.ANY_MAP)
    yield Value(
        f"{section}.topologySpreadConstraints",
        "In place of the built-in ones, which spread the pods over nodes and zones.",
        [],
        schema.items(schema.ANY_MAP),
    )


LOG_LEVELS = ("debug", "info", "warning", "error")
"""What the commands take as --log-level."""


def values_yaml(table: Sequence[Value]) -> str:
    """Write values.yaml: each value with what it does."""
    return "\n".join(_written(_nested(table), ""))


def _written(tree: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, value in tree.items():
        if isinstance(value, Value):
            yield from _comment(value.about, indent)
            yield textwrap.indent(dump_one({key: value.default}), indent).rstrip("\n")
        else:
            yield from _comment(_SECTIONS.get(key, ""), indent)
            yield f"{indent}{key}:"
            yield from _written(value, indent + "  ")
        if not indent:
            yield ""


def _comment(text: str, indent: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent=f"{indent}# ", subsequent_indent=f"{indent}# ")


def values_schema(table: Sequence[Value]) -> schema.Schema:
    """Make the JSON schema of values.yaml, in which a name that is not in the table is an error."""
    made = _schema(_nested(table))
    # A chart that depends on this one hands down `global`, and asks by `enabled` whether it wants it.
    made["properties"] |= {"global": schema.ANY_MAP, "enabled": {"type": "boolean"}}
    return {"$schema": schema.DIALECT, **made, **schema.TOGETHER, "$defs": schema.definitions()}


def _schema(tree: Mapping[str, Any]) -> schema.Schema:
    properties = {
        key: {"description": value.about, **value.schema} if isinstance(value, Value) else _schema(value)
        for key, value in tree.items()
    }
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _nested(table: Sequence[Value]) -> Tree:
    """Put the values into sections by the dots of their names."""
    tree: Tree = {}
    for value in table:
        *sections, name = value.name.split(".")
        place = tree
        for section in sections:
            place = place.setdefault(section, {})
        place[name] = value
    return tree
