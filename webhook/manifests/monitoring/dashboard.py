"""The Grafana dashboard: panels laid out on its grid of 24 columns, and the ConfigMap that Grafana's sidecar finds."""

import json
from collections.abc import Iterator
from typing import Final

from webhook.manifests.monitoring.panels import ROWS
from webhook.manifests.monitoring.panels import Panel
from webhook.manifests.settings import LABELS
from webhook.manifests.settings import Manifest
from webhook.manifests.settings import Settings
from webhook.manifests.settings import metadata

FILE: Final = "numagate.json"
CONFIG_MAP: Final = "numagate-dashboard"
SIDECAR_LABEL: Final = {"grafana_dashboard": "1"}
"""What the sidecar of Grafana's chart looks for, unless told otherwise."""

_COLUMNS: Final = 24
_STAT_HEIGHT: Final = 4
_HEIGHT: Final = 8
_SCHEMA: Final = 41
"""Of Grafana 12; older ones read it, too."""
_SOURCE: Final = {"type": "prometheus", "uid": "${datasource}"}


def dashboard() -> Manifest:
    """Make the dashboard, as Grafana exports and imports it."""
    return {
        "uid": "numagate",
        "title": "numagate",
        "description": "Rendered by `numagate manifests`: change the code, not this file.",
        "tags": ["kubernetes", "admission", "numagate"],
        "schemaVersion": _SCHEMA,
        "version": 1,
        "editable": True,
        "graphTooltip": 1,
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "timezone": "browser",
        "templating": {
            "list": [{"name": "datasource", "label": "Prometheus", "type": "datasource", "query": "prometheus"}]
        },
        "annotations": {"list": []},
        "panels": list(_panels()),
    }


def text() -> str:
    """Write the dashboard."""
    return json.dumps(dashboard(), indent=1) + "\n"


def config_map(settings: Settings) -> Manifest:
    """Make the ConfigMap."""
    made = metadata(CONFIG_MAP, settings.namespace) | {"labels": LABELS | SIDECAR_LABEL}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": made, "data": {FILE: text()}}


def generator(settings: Settings) -> Manifest:
    """Let kustomize make the same ConfigMap of the file."""
    return {
        "name": CONFIG_MAP,
        "namespace": settings.namespace,
        "files": [FILE],
        "options": {"disableNameSuffixHash": True, "labels": LABELS | SIDECAR_LABEL},
    }


def _panels() -> Iterator[Manifest]:
    number, top = 1, 0
    for title, panels in ROWS.items():
        place = {"h": 1, "w": _COLUMNS, "x": 0, "y": top}
        yield {"id": number, "type": "row", "title": title, "collapsed": False, "gridPos": place, "panels": []}
        number, top = number + 1, top + 1
        width = _COLUMNS // len(panels)
        height = _STAT_HEIGHT if all(one.kind == "stat" for one in panels) else _HEIGHT
        for column, panel in enumerate(panels):
            place = {"h": height, "w": width, "x": column * width, "y": top}
            yield {"id": number, "gridPos": place, **_panel(panel)}
            number += 1
        top += height


def _panel(panel: Panel) -> Manifest:
    return {
        "type": panel.kind,
        "title": panel.title,
        **({"description": panel.text} if panel.text else {}),
        "datasource": dict(_SOURCE),
        "targets": [
            _target(letter, *query, panel) for letter, query in zip("ABCD", panel.queries.items(), strict=False)
        ],
        "fieldConfig": {"defaults": {"unit": panel.unit, **_thresholds(panel)}, "overrides": []},
        "options": _OPTIONS[panel.kind],
    }


def _target(letter: str, legend: str, query: str, panel: Panel) -> Manifest:
    at_once = panel.kind == "table"
    shown: Manifest = {"instant": True, "range": False, "format": "table"} if at_once else {"range": True}
    return {"refId": letter, "datasource": dict(_SOURCE), "expr": query, "legendFormat": legend or "__auto", **shown}


def _thresholds(panel: Panel) -> Manifest:
    if panel.red is None:
        return {}
    first, second = ("red", "green") if panel.red_below else ("green", "red")
    steps = [{"color": first, "value": None}, {"color": second, "value": panel.red}]
    return {"thresholds": {"mode": "absolute", "steps": steps}}


_OPTIONS: Final[dict[str, Manifest]] = {
    "stat": {
        "colorMode": "value",
        "graphMode": "area",
        "reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False},
    },
    "timeseries": {
        "legend": {"displayMode": "list", "placement": "bottom", "showLegend": True},
        "tooltip": {"mode": "multi", "sort": "desc"},
    },
    "table": {"showHeader": True},
}
