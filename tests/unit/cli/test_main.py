"""The `numagate` program: help, version, exit codes and errors in one line."""

import io
import subprocess
import sys
from pathlib import Path

import pytest

import webhook
import webhook.cli.commands
from webhook import registry
from webhook.cli.command import Command
from webhook.cli.main import guarded
from webhook.cli.main import main
from webhook.cli.main import parser
from webhook.domain.errors import NumagateError

COMMANDS = registry.load(webhook.cli.commands, "COMMAND", Command)


def raising(error: BaseException) -> int:
    raise error


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert (end.value.code, capsys.readouterr().out) == (0, f"numagate {webhook.__version__}\n")


def test_help_lists_every_command_with_its_sentence() -> None:
    text = " ".join(parser().format_help().split())
    assert [command.name for command in COMMANDS if f"{command.name} {command.help}" not in text] == []


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_explains_itself(command: Command, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([command.name, "--help"])
    assert (end.value.code, f"numagate {command.name}" in capsys.readouterr().out) == (0, True)


@pytest.mark.parametrize("argv", [[], ["nonsense"], ["lint"], ["lint", "--nonsense", "x"]])
def test_a_wrong_command_line_ends_with_2_and_says_why(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(argv)
    assert (end.value.code, "usage: numagate" in capsys.readouterr().err) == (2, True)


def test_an_error_is_one_line_in_which_nothing_is_obeyed(capsys: pytest.CaptureFixture[str]) -> None:
    assert guarded(lambda: raising(NumagateError("bad\n\x1b[2J"))) == 2
    assert capsys.readouterr().err == "numagate: bad\\n\\x1b[2J\n"


def test_the_code_of_a_command_is_the_code_of_the_program() -> None:
    assert guarded(lambda: 1) == 1


def test_an_interrupt_ends_quietly(capsys: pytest.CaptureFixture[str]) -> None:
    assert guarded(lambda: raising(KeyboardInterrupt())) == 130
    assert capsys.readouterr().err == ""


def test_a_bug_is_shown_and_is_neither_a_finding_nor_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert guarded(lambda: raising(ZeroDivisionError("boom"))) == 70
    shown = capsys.readouterr().err
    assert ("ZeroDivisionError: boom" in shown, shown.endswith("please report the lines above\n")) == (True, True)


def test_a_closed_pipe_ends_quietly(tmp_path: Path) -> None:
    manifest = tmp_path / "a.yaml"
    manifest.write_text("kind: List\nitems:\n" + "- {kind: X, spec: {containers: [{name: a}]}}\n" * 2000, "utf-8")
    command = [sys.executable, "-m", "webhook", "lint", str(manifest)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == b""
    assert running.returncode == 141


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--version"],
        ["profiles", "list"],
        ["profiles", "show", "dgx-h100"],
        ["manifests", "--overlay", "crds"],
    ],
    ids=" ".join,
)
def test_output_that_cannot_be_written_is_told_in_one_line(arguments: list[str]) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "webhook", *arguments], stdout=full, stderr=subprocess.PIPE, check=False, env={}
        )

    assert (done.returncode, done.stderr) == (2, b"numagate: cannot write the output: No space left on device\n")


@pytest.mark.parametrize(
    "words",
    [
        "lint {}", "explain {}", "kubelet check {}", "kubelet generate --node {}", "simulate {}", "policy which {}",
        "topology --world {}", "verify --pods {}", "verify --pods - --root {}", "profiles list --policy {}",
    ],
)  # fmt: skip
def test_a_name_that_the_system_does_not_take_is_bad_input(
    words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"kind: List\nitems: []\n")))

    assert main(words.format("x" * 5000).split()) == 2
    assert "File name too long" in capsys.readouterr().err


def test_output_that_is_closed_is_told_in_one_line() -> None:
    command = ["sh", "-c", '"$0" -m webhook profiles list >&-', sys.executable]
    done = subprocess.run(command, stderr=subprocess.PIPE, check=False)

    assert (done.returncode, done.stderr) == (2, b"numagate: cannot write the output: it is closed\n")


def test_errors_that_cannot_be_told_are_no_findings(tmp_path: Path) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "webhook", "lint", str(tmp_path / "none.yaml"), "--policy", str(tmp_path / "none")],
            stdout=subprocess.DEVNULL,
            stderr=full,
            check=False,
        )

    assert done.returncode == 2


def test_a_file_that_a_command_forgot_to_look_after_is_a_bug(capsys: pytest.CaptureFixture[str]) -> None:
    assert guarded(lambda: raising(FileNotFoundError(2, "No such file or directory", "/x"))) == 70
    assert "cannot write" not in capsys.readouterr().err


def test_a_terminal_without_utf_8_gets_escapes(tmp_path: Path) -> None:
    manifest = tmp_path / "a.yaml"
    manifest.write_text("apiVersion: v1\nkind: Pod\nmetadata: {name: größe}\nspec: {containers: []}\n", "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "webhook", "lint", str(manifest)],
        capture_output=True,
        check=False,
        env={"PYTHONIOENCODING": "ascii"},
    )
    assert (done.stderr, b"gr\\xf6\\xdfe" in done.stdout) == (b"", True)
