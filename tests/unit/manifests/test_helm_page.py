"""docs/helm.md lists every value of the chart with its default, as values.yaml has it."""

import json
from pathlib import Path

import yaml

from webhook.manifests.chart.values import values
from webhook.manifests.chart.values import values_yaml
from webhook.manifests.settings import Settings

PAGE = Path(__file__).parents[3] / "docs" / "helm.md"
LONG = 60


def row(name: str, default: object, about: str) -> str:
    written = json.dumps(default, ensure_ascii=False)
    shown = written if len(written) <= LONG else "see values.yaml"
    return f"| `{name}` | {shown if shown == 'see values.yaml' else f'`{shown}`'} | {about} |"


def test_the_table_lists_every_value(settings: Settings) -> None:
    expected = [row(value.name, value.default, value.about) for value in values(settings)]
    lines = PAGE.read_text("utf-8").splitlines()
    first = lines.index("| value | default | what it does |") + 2

    assert lines[first : lines.index("", first)] == expected


def test_values_yaml_holds_every_default(settings: Settings) -> None:
    table = values(settings)
    written = yaml.safe_load(values_yaml(table))

    for value in table:
        found = written
        for step in value.name.split("."):
            found = found[step]
        assert found == value.default
