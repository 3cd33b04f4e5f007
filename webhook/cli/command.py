"""A subcommand: what its module in `webhook.cli.commands` exports as `COMMAND`."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    """One subcommand; `name` is unique, `help` describes it in one line.

    `configure` adds its options to the parser. `run` answers the exit code: 0 fine, 1 findings, 2 bad input. Heavy
    packages are imported inside `run`, so that the other commands start fast.
    """

    name: str
    help: str
    configure: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
