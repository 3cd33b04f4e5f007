"""The `numagate` program: finds its subcommands, runs one, and turns errors into one line and an exit code."""

import argparse
import contextlib
import errno
import io
import os
import sys
from collections.abc import Callable
from collections.abc import Sequence
from typing import Final

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
_UNWRITABLE: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF, errno.EAGAIN})
"""What a write fails with where there is nowhere to write to."""
_UNREACHABLE: Final = frozenset({errno.EACCES, errno.EPERM, errno.ENAMETOOLONG})
"""What even a look at a file fails with that somebody named."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv` (without the program's name) and answer the exit code."""
    if sys.stdout is None:
        _say("numagate: cannot write the output: it is closed\n")
        return BAD_INPUT
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
        try:
            code = action()
        finally:
            sys.stdout.flush()  # help, too, ends here
    except NumagateError as error:
        _say(f"numagate: {visible(str(error))}\n")
        return BAD_INPUT
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _let_go_of_output()
        return BROKEN_PIPE
    except Exception as error:  # noqa: BLE001 - the edge: a bug must not look like "findings" (1) or "bad input" (2)
        if isinstance(error, OSError) and (told := _told(error)):
            _say(f"numagate: {told}\n")
            return BAD_INPUT
        import traceback  # noqa: PLC0415 - only bugs pay for it

        _say(f"{traceback.format_exc()}numagate: internal error, please report the lines above\n")
        return INTERNAL_ERROR
    return code


def _told(error: OSError) -> str:
    """Say what the system does not let happen, "" where that would be a bug."""
    if error.filename is None and error.errno in _UNWRITABLE:
        _let_go_of_output()
        return f"cannot write the output: {error.strerror}"
    if error.filename is not None and error.errno in _UNREACHABLE:
        return f"{visible(str(error.filename))}: {error.strerror}: name another file, or see who may read it"
    return ""


def _let_go_of_output() -> None:
    """Let nothing be written any more: the interpreter flushes once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say(text: str) -> None:
    with contextlib.suppress(OSError):  # where errors cannot be told either, the exit code tells
        sys.stderr.write(text)


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
