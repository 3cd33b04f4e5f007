"""docs/observability.md lists what there is, and nothing else."""

import re
from pathlib import Path

import metrictable
from prometheus_client import Metric

from webhook.web import logs

PAGE = metrictable.PAGE.read_text(encoding="utf-8")
CODE = Path(__file__).parents[3] / "webhook"


def rows(heading: str) -> set[str]:
    """Answer the names in the first column of the table below a heading."""
    section = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    first = (line.split("|")[1] for line in section.splitlines() if line.startswith("| `"))
    return {name for cell in first for name in re.findall(r"`([^`]+)`", cell)}


def all_families() -> list[Metric]:
    """Answer the metrics of both processes."""
    return [family for registry in metrictable.REGISTRIES.values() for family in metrictable.families(registry)]


def test_the_table_of_metrics_is_that_of_the_registries() -> None:
    assert metrictable.page_with_table(PAGE) == PAGE, "run: PYTHONPATH=tests python tests/metrictable.py"


def test_metrics_are_named_as_prometheus_wants_it() -> None:
    units = ("_seconds", "_bytes")
    strange = [
        family.name
        for family in all_families()
        if not family.name.startswith("numagate_")
        or re.search(r"_(milliseconds|ms|kb|mb|count|total)$", family.name)
        or (family.type == "histogram" and not family.name.endswith(units))
    ]

    assert strange == []


def test_every_metric_is_explained_in_a_sentence() -> None:
    assert [one.name for one in all_families() if not one.documentation.endswith(".")] == []


def test_every_key_of_a_log_line_is_listed() -> None:
    named = {name: value for name, value in vars(logs).items() if name.isupper() and not name.startswith("_")}

    assert rows("Log lines") == {value for value in named.values() if isinstance(value, str)}


def test_no_log_line_writes_its_keys_out() -> None:
    texts = (path.read_text("utf-8") for path in CODE.rglob("*.py"))
    lines = [line for text in texts for line in text.splitlines() if "_LOGGER" in line and "extra=" in line]

    assert lines
    assert [line for line in lines if "logs.fields(" not in line or re.search(r"""fields\(\{["']""", line)] == []


def test_every_audit_annotation_is_listed() -> None:
    written = {
        name
        for path in (*(CODE / "engine").glob("*.py"), *(CODE / "server").glob("*.py"))
        for name in re.findall(r'audit(?:\[|=\{|=\{\*\*[\w.]*audit, )"([a-z-]+)"', path.read_text("utf-8"))
    }
    respond = (CODE / "engine" / "respond.py").read_text("utf-8")
    written |= set(re.findall(r'"(decision|policy|level|findings|fits|reason|exempt-\w+)"', respond))

    assert rows("Audit annotations") == written
