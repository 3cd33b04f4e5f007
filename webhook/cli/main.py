"""The `numagate` program: finds its subcommands, runs one, and turns errors into one line and an exit code."""

import argparse
import io
import os
import sys
from collections.abc import Callable
from collections.abc import Sequence

import webhook
from webhook import registry
from webhook.cli import commands
from webhook.cli.command import Command
from webhook.domain.errors import NumagateError
from webhook.domain.visible import visible

BAD_INPUT = 2
INTERNAL_ERROR = 70
INTERRUPTED = 130
BROKEN_PIPE = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv` (without the program's name) and answer the exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal without UTF-8 is no reason to fail
    return guarded(lambda: _dispatch(argv))


def _dispatch(argv: Sequence[str] | None) -> int:
    args = parser().parse_args(argv)
    run: Callable[[argparse.Namespace], int] = args.run
    return run(args)


def guarded(action: Callable[[], int]) -> int:
    """Run `action` and answer its exit code, or that of the error that ended it."""
    try:
        code = action()
        sys.stdout.flush()
    except NumagateError as error:
        sys.stderr.write(f"numagate: {visible(str(error))}\n")
        return BAD_INPUT
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the interpreter flushes once more at exit
        return BROKEN_PIPE
    except Exception:  # noqa: BLE001 - the edge: a bug must not look like "findings" (1) or "bad input" (2)
        import traceback  # noqa: PLC0415 - only bugs pay for it

        traceback.print_exc()
        sys.stderr.write("numagate: internal error, please report the lines above\n")
        return INTERNAL_ERROR
    return code


def parser() -> argparse.ArgumentParser:
    """Build the parser with every subcommand of `webhook.cli.commands`."""
    top = argparse.ArgumentParser(
        prog="numagate",
        description="Make GPU inference pods NUMA-alignable at admission time, and prove it.",
        epilog="Each command explains itself: numagate COMMAND --help",
    )
    top.add_argument("--version", action="version", version=f"numagate {webhook.__version__}")
    subparsers = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in registry.load(commands, "COMMAND", Command):
        one = subparsers.add_parser(command.name, help=command.help, description=f"{_sentence(command.help)}.")
        command.configure(one)
        one.set_defaults(run=command.run)
    return top


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
