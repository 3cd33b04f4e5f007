"""Where values of the chart go into the rendered objects; a place that an object lacks is an error here."""

from collections.abc import Callable
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from webhook.manifests.agent import PRIORITY as AGENT_PRIORITY
from webhook.manifests.certificates import BUNDLE_KEY
from webhook.manifests.chart.nodes import Block
from webhook.manifests.chart.nodes import Each
from webhook.manifests.chart.nodes import Expression
from webhook.manifests.chart.nodes import More
from webhook.manifests.chart.nodes import Optional
from webhook.manifests.monitoring.dashboard import FILE
from webhook.manifests.pods import PRIORITY
from webhook.manifests.settings import CONTROLLER
from webhook.manifests.settings import NAME
from webhook.manifests.settings import POLICY_KEY
from webhook.manifests.settings import Manifest

PRIORITY_VALUE = ".Values.priorityClassName"
CLIENT_NAMES = ".Values.clientAuth.names"
API_SERVERS = ".Values.networkPolicy.apiServers"
MONITORING = ".Values.monitoring"
DASHBOARD_FILE = f"dashboards/{FILE}"
"""Its place in the chart: a file of its own, because it is no YAML that anyone reads."""
SERVICE_HOST = "service.host.invalid"
CONTROLLER_HOST = "controller.host.invalid"
"""What is rendered for the hosts of the addresses in the values."""

AGENT = ".Values.agent"
_AGENT_PRIORITY = f"{AGENT}.priorityClassName"

SECTIONS = {NAME: "serving", CONTROLLER: "controller"}
"""The section of values.yaml for each Deployment."""

_MORE = "more"
"""The key of a `More`, which is never written."""


def placed(manifest: Manifest) -> Manifest:
    """Answer an object with expressions where values of the chart go."""
    made = deepcopy(manifest)
    metadata: Any = made["metadata"]
    metadata["labels"] |= {_MORE: More(".Values.commonLabels")}
    if "annotations" in metadata:
        metadata["annotations"] |= {_MORE: More(".Values.commonAnnotations")}
    else:
        metadata["annotations"] = Optional(".Values.commonAnnotations")
    place = _PLACES.get(str(made["kind"]))
    if place is not None:
        place(made)
    return made


def _deployment(made: Any) -> None:
    values = f".Values.{SECTIONS[made['metadata']['name']]}"
    spec = made["spec"]
    spec["replicas"] = Expression(f"{values}.replicas")
    template = spec["template"]
    for key in ("labels", "annotations"):
        template["metadata"][key] |= {_MORE: More(f"{values}.pod{key.title()}")}
    pod = template["spec"]
    pod["priorityClassName"] = Optional(PRIORITY_VALUE, Expression("."))
    for key in ("affinity", "topologySpreadConstraints"):
        pod[key] = Optional(f"{values}.{key}", otherwise=pod[key])
    for key in ("nodeSelector", "tolerations"):
        pod[key] = Optional(f"{values}.{key}")
    pod["imagePullSecrets"] = Optional(".Values.image.pullSecrets")
    (container,) = pod["containers"]
    container["image"] = Expression('include "numagate.image" .')
    container["imagePullPolicy"] = Expression(".Values.image.pullPolicy")
    container["args"] = [_argument(argument) for argument in container["args"]]
    container["args"].append(Optional(f"{values}.logLevel", Expression('printf "--log-level=%s" .')))
    container["resources"] = Block(f"toYaml {values}.resources")


def _daemon_set(made: Any) -> None:
    template = made["spec"]["template"]
    for key in ("labels", "annotations"):
        template["metadata"][key] |= {_MORE: More(f"{AGENT}.pod{key.title()}")}
    pod = template["spec"]
    pod["priorityClassName"] = Optional(_AGENT_PRIORITY, Expression("."))
    for key in ("nodeSelector", "tolerations"):
        pod[key] = Optional(f"{AGENT}.{key}")
    pod["imagePullSecrets"] = Optional(".Values.image.pullSecrets")
    (container,) = pod["containers"]
    container["image"] = Expression('include "numagate.image" .')
    container["imagePullPolicy"] = Expression(".Values.image.pullPolicy")
    container["args"].append(Optional(f"{AGENT}.logLevel", Expression('printf "--log-level=%s" .')))
    container["resources"] = Block(f"toYaml {AGENT}.resources")


def _argument(argument: str) -> object:
    option = "--client-name="
    return Each(CLIENT_NAMES, Expression(f'printf "{option}%s" .')) if argument.startswith(option) else argument


def _certificate(made: Any) -> None:
    """Name the hosts of the addresses, which are names or IP addresses; the rendering takes both for names."""
    spec = made["spec"]
    hosts = {
        SERVICE_HOST: 'include "numagate.dnsName" .Values.webhooks.url',
        CONTROLLER_HOST: 'include "numagate.dnsName" .Values.webhooks.controllerUrl',
    }
    names = spec.get("dnsNames", [])
    if names:
        spec["dnsNames"] = [Optional(hosts[name], Expression(".")) if name in hosts else name for name in names]
        spec["ipAddresses"] = Optional('include "numagate.ipAddresses" . | fromYamlArray')


def _configuration(made: Any) -> None:
    for webhook in made["webhooks"]:
        if BUNDLE_KEY in webhook["clientConfig"]:
            webhook["clientConfig"][BUNDLE_KEY] = Expression(".Values.certificates.caBundle | b64enc")


def _quota(made: Any) -> None:
    (scope,) = made["spec"]["scopeSelector"]["matchExpressions"]
    known = {PRIORITY: PRIORITY_VALUE, AGENT_PRIORITY: _AGENT_PRIORITY}
    scope["values"] = [Expression(known[name]) for name in scope["values"]]


def _network_policy(made: Any) -> None:
    for egress in made["spec"]["egress"]:
        if "to" in egress:
            egress["to"] = [Each(API_SERVERS, {"ipBlock": {"cidr": Expression(". | quote")}})]


def _config_map(made: Any) -> None:
    texts = {POLICY_KEY: 'include "numagate.documents" .', FILE: f'.Files.Get "{DASHBOARD_FILE}"'}
    for key in made["data"]:
        made["data"][key] = Block(texts[key], literal=True)


def _pod_monitor(made: Any) -> None:
    made["metadata"]["labels"] |= {f"{_MORE} of it": More(f"{MONITORING}.podMonitorLabels")}


def _prometheus_rule(made: Any) -> None:
    made["metadata"]["labels"] |= {f"{_MORE} of it": More(f"{MONITORING}.prometheusRuleLabels")}


_PLACES: Mapping[str, Callable[[Any], None]] = {
    "DaemonSet": _daemon_set,
    "Deployment": _deployment,
    "MutatingWebhookConfiguration": _configuration,
    "ValidatingWebhookConfiguration": _configuration,
    "ResourceQuota": _quota,
    "NetworkPolicy": _network_policy,
    "Certificate": _certificate,
    "ConfigMap": _config_map,
    "PodMonitor": _pod_monitor,
    "PrometheusRule": _prometheus_rule,
}
