"""The folder of the chart: Chart.yaml, values, templates, CRDs and notes."""

import json
from dataclasses import replace
from importlib import resources

from webhook import __version__
from webhook.manifests.certificates import Certificates
from webhook.manifests.chart.choice import COMBINATIONS
from webhook.manifests.chart.choice import SET
from webhook.manifests.chart.choice import Combination
from webhook.manifests.chart.merge import Variants
from webhook.manifests.chart.merge import documents
from webhook.manifests.chart.merge import grouped
from webhook.manifests.chart.merge import text
from webhook.manifests.chart.nodes import Fork
from webhook.manifests.chart.places import AGENT
from webhook.manifests.chart.places import CONTROLLER_HOST
from webhook.manifests.chart.places import DASHBOARD_FILE
from webhook.manifests.chart.places import MONITORING
from webhook.manifests.chart.places import PRIORITY_VALUE
from webhook.manifests.chart.places import SERVICE_HOST
from webhook.manifests.chart.places import placed
from webhook.manifests.chart.values import values
from webhook.manifests.chart.values import values_schema
from webhook.manifests.chart.values import values_yaml
from webhook.manifests.chart.write import template
from webhook.manifests.crds import crds
from webhook.manifests.monitoring.dashboard import CONFIG_MAP
from webhook.manifests.monitoring.dashboard import text as dashboard_text
from webhook.manifests.overlays import Overlay
from webhook.manifests.overlays import agents
from webhook.manifests.overlays import monitoring
from webhook.manifests.overlays import parts
from webhook.manifests.settings import NAME
from webhook.manifests.settings import Manifest
from webhook.manifests.settings import Mode
from webhook.manifests.settings import Settings
from webhook.manifests.settings import Source
from webhook.manifests.text import dump

HEADER = "Rendered by `numagate manifests`: change the code or the policy, not this file."

_ABOUT = {
    "apiVersion": "v2",
    "name": NAME,
    "description": "Admission webhook that makes GPU inference pods NUMA-alignable, and refuses those that cannot be.",
    "type": "application",
    "version": __version__,
    "appVersion": __version__,
    "kubeVersion": ">=1.30.0-0",
}
_NAMESPACE = "numagate-system-of-the-release"
_URL = f"https://{SERVICE_HOST}"
_CONTROLLER_URL = f"https://{CONTROLLER_HOST}"
_AGENT_NAMESPACE = "numagate-agent-of-the-release"
_KUBELET_DIR = "/kubelet/of/the/release"
_TEXTS = {
    _NAMESPACE: "{{ .Release.Namespace }}",
    _AGENT_NAMESPACE: f"{{{{ {AGENT}.namespace }}}}",
    _KUBELET_DIR: f"{{{{ {AGENT}.kubeletDir }}}}",
    _URL: "{{ .Values.webhooks.url }}",
    _CONTROLLER_URL: "{{ .Values.webhooks.controllerUrl }}",
}
"""What is rendered in place of a name, an address or a path, and the expression that is written for it."""

_POLICY = "policy.yaml"
_NAMES = {"namespace.yaml": "resourcequota.yaml", _POLICY: "policyfile.yaml"}
"""Files that hold only a part of what the one in the kustomize folder holds."""

_NOT_OURS = ("Namespace", _NAMESPACE)
"""Helm creates the namespace, before it reads the chart: one in the chart would be in its way."""
_AGENT_FILE = "agent.yaml"
"""One file for all about the agents, which are there or not."""

_NEEDED = {
    "ResourceQuota": PRIORITY_VALUE,
    "PodMonitor": f"{MONITORING}.podMonitor",
    "PrometheusRule": f"{MONITORING}.prometheusRule",
}
"""Kinds of objects that are there only where a value is set."""


def files(settings: Settings) -> dict[str, str]:
    """Answer the text of every file by its path in the chart."""
    table = values(settings)
    schema = {"$comment": HEADER, **values_schema(table)}
    return {
        "Chart.yaml": f"# {HEADER}\n{dump([_ABOUT])}",
        "values.yaml": f"# {HEADER}\n\n{values_yaml(table)}",
        "values.schema.json": json.dumps(schema, indent=2, ensure_ascii=False) + "\n",
        DASHBOARD_FILE: dashboard_text(),
        "crds/crds.yaml": f"# {HEADER}\n{dump(crds())}",
        "templates/_helpers.tpl": _own("helpers.tpl"),
        "templates/NOTES.txt": _own("NOTES.txt"),
        "templates/policies.yaml": _own("policies.tpl"),
        **{f"templates/{name}": text for name, text in _templates(settings).items()},
    }


def _own(name: str) -> str:
    text = resources.files(__package__).joinpath(name).read_text("utf-8")
    return f"{{{{- /* {HEADER} */ -}}}}\n{text}"


def _templates(settings: Settings) -> dict[str, str]:
    rendered = [(combination, _parts(settings, combination)) for combination in sorted(COMBINATIONS)]
    names = dict.fromkeys(name for _, made in rendered for name in made)
    return {
        _NAMES.get(name, name): _template(
            [(frozenset([one]), made.get(name, [])) for one, made in rendered],
            needs=f"{AGENT}.enabled" if name == _AGENT_FILE else None,
        )
        for name in sorted(names)
    }


def _template(variants: Variants, *, needs: str | None) -> str:
    """Write one file, all of it for those who set what it `needs`."""
    different = [(some, [*map(placed, objects)]) for some, objects in grouped(variants, text)]
    merged = [
        Fork(((f"if {condition}", (entry,)),)) if condition else entry
        for entry in documents(different)
        for condition in [_needed(entry)]
    ]
    written = template((Fork(((f"if {needs}", tuple(merged)),)),) if needs else tuple(merged))
    for token, expression in _TEXTS.items():
        written = written.replace(token, expression)
    return f"# {HEADER}\n{written}"


def _needed(entry: object) -> str | None:
    if not isinstance(entry, dict):
        return None
    if entry["kind"] == "ResourceQuota" and entry["metadata"]["namespace"] == _AGENT_NAMESPACE:
        return f"{AGENT}.priorityClassName"
    return f"{MONITORING}.dashboard" if entry["metadata"]["name"] == CONFIG_MAP else _NEEDED.get(entry["kind"])


def _parts(settings: Settings, combination: Combination) -> dict[str, list[Manifest]]:
    """Render one combination; each file holds what the one of the same name in the kustomize folder holds."""
    mode, source, certificates, bundle, url, controller_url, api_servers, client_auth = combination
    chosen = replace(
        settings,
        namespace=_NAMESPACE,
        ca_bundle=b"PEM" if bundle == SET else None,
        url=_URL if url == SET else None,
        controller_url=_CONTROLLER_URL if controller_url == SET else None,
        api_servers=("0.0.0.0/0",) if api_servers == SET else (),
        client_auth=client_auth == SET,
        client_names=("name",),
        agent_namespace=_AGENT_NAMESPACE,
        kubelet_dir=_KUBELET_DIR,
    )
    made = parts(chosen, Overlay(Mode(mode), Certificates(certificates), Source(source)))
    made["monitoring.yaml"] = monitoring(chosen)
    if Source(source) is Source.OBJECTS:
        del made[_POLICY]  # policies.yaml makes them of the documents in the values
    # That they go with objects only is for the schema of the values to say.
    made[_AGENT_FILE] = [one for objects in agents(chosen).values() for one in objects]
    kept = {name: [one for one in objects if not _is_foreign(one)] for name, objects in made.items()}
    return {name: objects for name, objects in kept.items() if objects}


def _is_foreign(manifest: Manifest) -> bool:
    metadata = manifest["metadata"]
    return isinstance(metadata, dict) and (manifest["kind"], metadata["name"]) == _NOT_OURS
