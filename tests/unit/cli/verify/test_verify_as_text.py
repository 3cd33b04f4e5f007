"""The text of a node's report: golden, within its columns, and safe to print."""

import re
from pathlib import Path

import pytest
from controlplane.golden import Golden
from verifications import USUAL
from verifications import hostile
from verifications import reported

from webhook.cli.drawing.spans import plain
from webhook.cli.drawing.spans import width
from webhook.cli.verify import as_html
from webhook.cli.verify import as_json
from webhook.cli.verify.as_text import lines
from webhook.cli.verify.report import Report

PATH = Path(__file__).parent / "golden.txt"
REPORTS = {"usual": reported(), "hostile": hostile(), "nothing": reported({})}
ORDER = [f"{name} {output}" for name in REPORTS for output in ("text", "json", "html")]


def rendered(report: Report, output: str) -> str:
    """Write a report, HTML without its style and with a tag a line."""
    if output == "text":
        return plain(lines(report, 100))
    if output == "json":
        return re.sub(r'"generation": "[0-9a-f]{12}"', '"generation": "…"', as_json.write(report))
    page = re.sub(r"<style>.*?</style>", "<style></style>", as_html.write(report), flags=re.DOTALL)
    return re.sub(r"numagate \d[^,]*,", "numagate VERSION,", page.replace("><", ">\n<"))


@pytest.mark.parametrize("section", ORDER)
def test_a_report_reads_as_the_golden_text(section: str) -> None:
    golden = Golden.read(PATH)
    name, _, output = section.rpartition(" ")
    found = golden.compared(section, rendered(REPORTS[name], output))
    golden.write(ORDER)

    assert found == golden.expected(section)


@pytest.mark.parametrize("columns", [10, 60, 81, 100, 120, 300])
@pytest.mark.parametrize("name", REPORTS)
def test_no_line_is_longer_than_the_terminal(name: str, columns: int) -> None:
    most = min(120, max(60, columns))

    assert [line for line in lines(REPORTS[name], columns) if width(line) > most] == []


def test_no_character_of_the_text_is_obeyed_by_a_terminal() -> None:
    text = rendered(REPORTS["hostile"], "text")

    assert [char for char in text if not (char.isprintable() or char == "\n")] == []
    assert not re.search(r"^::|##vso", text, re.MULTILINE)


@pytest.mark.parametrize(("columns", "nodes"), [(60, 2), (100, 5), (120, 6)])
def test_memory_on_many_numa_nodes_has_as_many_columns_as_there_is_room(columns: int, nodes: int) -> None:
    pod = {**USUAL["pods"]["team-a/llm"]}
    spread = [{"memory": {"anonymous": dict.fromkeys(range(9), 10)}}]
    pod["shows"] = {"server": {**pod["shows"]["server"], "processes": spread}}
    shown = list(lines(reported({"pods": {"team-a/llm": pod}}), columns))

    assert max(map(width, shown)) <= columns
    assert f"Node {nodes - 1}      Others" in plain(shown)


def test_of_many_processes_some_are_shown_and_the_rest_is_counted() -> None:
    pod = {**USUAL["pods"]["team-a/llm"]}
    pod["shows"] = {**pod["shows"], "server": {**pod["shows"]["server"], "processes": [{}] * 20}}
    text = rendered(reported({"pods": {"team-a/llm": pod}}), "text")

    assert text.count("current affinity list: 2-5 (python)") == 8
    assert "(+12 processes)" in text
