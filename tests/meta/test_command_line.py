"""The command line as a whole: every command is listed and has help."""

import subprocess
import sys

import pytest

import webhook.cli.commands
from webhook import registry
from webhook.cli.command import Command

COMMANDS = registry.load(webhook.cli.commands, "COMMAND", Command)


def numagate(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run numagate as a user does."""
    code = "import sys; from webhook.cli.main import main; sys.exit(main())"
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)


def test_help_lists_every_command_with_its_line() -> None:
    told = " ".join(numagate("--help").stdout.split())

    assert [command.name for command in COMMANDS if f" {command.name} {command.help}" not in told] == []


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_a_command_has_help(command: Command) -> None:
    done = numagate(command.name, "--help")

    assert (done.returncode, done.stderr) == (0, "")
    assert command.name in done.stdout


def test_an_unknown_command_is_bad_input_without_a_traceback() -> None:
    done = numagate("no-such-command")

    assert done.returncode == 2
    assert "no-such-command" in done.stderr
    assert "Traceback" not in done.stderr
