"""`numagate simulate`: its options, output and exit codes."""

import io
import json
import re
import sys
from pathlib import Path

import pytest
from kubelets import app
from kubelets import raw_pod

from webhook.cli.main import main
from webhook.config.profile_schema import CoreSpec
from webhook.config.profile_schema import DeviceSpec
from webhook.config.scenario_schema import AnyKubeletSpec
from webhook.config.scenario_schema import ScenarioSpec

PAGE = Path(__file__).parents[4] / "docs" / "kubelet.md"
SMALL = {"name": "small", "numa": [{"id": 0, "memory": "8Gi", "coreCount": 4, "threadsPerCore": 1}]}
HOSTILE = "\x1b[2J\n::error::x\r##vso[a]y\u202e[red]<b>\U0001f600"
TOO_LITTLE = "Node didn't have enough resource: cpu, requested: 5000, used: 1000, capacity: 4000"
ONE_LINE = b'{"name": "a", "numa": [{"id": 0, "memory": "8Gi", "coreCount": 4, "threadsPerCore": 1}], %b}'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "s.jsonl"


def simulate(file: Path, *scenarios: object, options: tuple[str, ...] = ()) -> int:
    """Write scenarios one a line, and run the command."""
    file.write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in scenarios), "utf-8")
    return main(["simulate", *options, str(file)])


def section(kind: str) -> str:
    """Answer the first block of `kind` in the section of the page that shows the command."""
    text = PAGE.read_text("utf-8").split("## Ask it yourself")[1]
    return re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL)[0]


def test_each_scenario_is_one_line_of_json(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    refused = {**SMALL, "pods": [raw_pod(app("1/1Gi/-")), raw_pod(app("9/1Gi"))]}

    assert simulate(file, refused, SMALL) == 0

    first, second = capsys.readouterr().out.splitlines()
    assert [(pod["admit"], pod.get("reason")) for pod in json.loads(first)["pods"]] == [
        (True, None),
        (False, "OutOfcpu"),
    ]
    assert second == '{"name":"small","pods":[]}'


def test_a_bad_line_is_told_with_its_number_and_the_others_are_answered(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert simulate(file, SMALL, '{"name": ', {**SMALL, "pod": []}, SMALL) == 2

    told = capsys.readouterr()
    assert told.out.splitlines() == ['{"name":"small","pods":[]}'] * 2
    assert told.err.splitlines() == [
        f"numagate: {file}:2: no JSON: expecting value",
        f"numagate: {file}:3: pod: unknown field: did you mean pods?",
    ]


def test_standard_input_is_read(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(SMALL).encode())))

    assert main(["simulate", "-"]) == 0
    assert capsys.readouterr().out == '{"name":"small","pods":[]}\n'


def test_people_see_tables_and_why_a_pod_is_refused(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    refused = {**SMALL, "pods": [raw_pod(app("1/1Gi/-")), raw_pod(app("5/1Gi"))]}
    broken = {**SMALL, "kubelet": {"reservedSystemCPUs": "9"}}

    assert simulate(file, refused, broken, SMALL, options=("--output", "text")) == 0

    assert capsys.readouterr().out.splitlines() == [
        "small",
        "POD  QOS         ANSWER    CONTAINER  NUMA  CPUS    MEMORY  DEVICES  HINT",
        "p    Guaranteed  admitted  app        -     shared  -       -        nil/false",
        "p    Guaranteed  refused",
        f"p: scheduler-fit: OutOfcpu: {TOO_LITTLE}",
        "",
        "small",
        "the kubelet would not start: reserved-cpus: 9 is not a subset of online-cpus: 0-3",
        "",
        "small",
        "the kubelet starts; no pods",
        "",
    ]


def test_a_terminal_gets_tables(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "78")

    assert simulate(file, {**SMALL, "pods": [raw_pod(app("1/1Gi/-"))]}) == 0
    table = re.sub("\x1b[^m]*m", "", capsys.readouterr().out).splitlines()[1:-1]
    assert table[0].split() == ["POD", "QOS", "ANSWER", "CONTAINER", "NUMA", "CPUS", "MEMORY", "DEVICES", "HINT"]
    assert max(map(len, table)) <= 78


def test_the_page_shows_what_the_command_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "chats.yaml"
    file.write_text(section("yaml"), "utf-8")

    assert main(["simulate", str(file), "--output", "text"]) == 0

    (command, *expected) = section("console").splitlines()
    assert command == "$ numagate simulate chats.yaml --output text"
    assert capsys.readouterr().out.splitlines() == [*expected, ""]


def test_hostile_names_are_shown_and_not_obeyed(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pod = raw_pod(app("1/1Gi/-", HOSTILE))
    pod["metadata"]["name"] = HOSTILE
    scenario = {**SMALL, "name": HOSTILE, "devices": {"a": [{"id": HOSTILE}]}, "pods": [pod, raw_pod(app("9/1Gi"))]}
    pod["spec"]["containers"][0]["resources"]["limits"]["a"] = "1"
    unknown = {**SMALL, HOSTILE: 1}

    for output in ("text", "json"):
        assert simulate(file, scenario, unknown, options=("--output", output)) == 2
        told = capsys.readouterr()
        lines = (told.out + told.err).split("\n")
        assert all(line.isprintable() for line in lines)
        assert not any(line.lstrip().startswith("::") for line in lines)


@pytest.mark.parametrize(
    "content",
    [
        *(
            b"",
            b"\x00",
            b"\xff\xfe",
            b"{",
            b"}",
            b"[",
            b"{}",
            b"null",
            b"1",
            b'"x"',
            b"- " * 5000,
            b"'",
            b"\t",
            b"a: &a [*a]",
        ),
        b'{"a":' * 10_000,
        b"[" * 100_000,
        b"{" * 100_000,
        ONE_LINE % b'"name": "b"',
        ONE_LINE % b'"pods": 1',
        ONE_LINE % (b'"pods": [%b1%b]' % (b'{"a":' * 300, b"}" * 300)),
        ONE_LINE % b'"pods": [{"spec": {"containers": [{"name": "c", "resources": {"limits": {"cpu": 1e999}}}]}}]',
        ONE_LINE % b'"kubelet": {"reservedMemory": [{"numaNode": -1, "limits": {}}]}',
        ONE_LINE % b'"kubelet": {"featureGates": {"Gate": "true"}}',
        b'{"name": "cells", "numa": [' + b",".join(b'{"id": %d, "memory": 1}' % n for n in range(100_000)) + b"]}",
        b'{"name": NaN}',
        b'{"name": "a", "profile": "../../etc/passwd"}',
    ],
)
def test_bad_input_is_one_line_and_never_a_traceback(
    file: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_bytes(content)

    assert main(["simulate", str(file)]) == 2
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n"), told.err[:10]) == ("", 1, "numagate: ")


def test_a_missing_file_and_a_directory_are_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (main(["simulate", str(tmp_path / "none")]), main(["simulate", str(tmp_path)])) == (2, 2)
    assert [line.rpartition(": ")[2] for line in capsys.readouterr().err.splitlines()] == [
        "No such file or directory",
        "Is a directory",
    ]


def test_the_page_lists_every_field_of_questions_and_answers(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = PAGE.read_text("utf-8").split("### Scenario")[1]
    questions, answers = page.split("### Answer")
    models = (ScenarioSpec, AnyKubeletSpec, CoreSpec, DeviceSpec)
    asked = {field.alias or "" for model in models for field in model.model_fields.values()}

    assert simulate(file, {"name": "n", "profile": "h100-2x4", "pods": [raw_pod(app("2/1Gi/1"))] * 2}) == 0
    (pod, _) = json.loads(capsys.readouterr().out)["pods"]
    answered = {*pod, *pod["containers"]["app"], "handler", "reason", "message", "error"}

    assert {name for name in asked if f"`{name}`" not in questions and f".{name}`" not in questions} == set()
    assert {name for name in answered if not re.search(rf"[`.]{name}(\[\])?`", answers)} == set()
