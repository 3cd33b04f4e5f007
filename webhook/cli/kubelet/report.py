"""Judges the configurations of a file, and prints what is wrong and what to do."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from webhook.cli.kubelet import show
from webhook.cli.kubelet.examine import Examined
from webhook.cli.kubelet.examine import examine
from webhook.cli.kubelet.target import machine
from webhook.cli.kubelet.target import version_of
from webhook.cli.kubelet.transition import find_stale
from webhook.domain.errors import InputError
from webhook.domain.kubelet_configuration.state_files import procedure
from webhook.domain.visible import visible
from webhook.sources.manifests import read_text

FOLDER: Final = "/var/lib/kubelet"


def report(arguments: argparse.Namespace) -> int:
    """Answer 1 where a kubelet does not start (with --strict: where anything was found, or has to go), else 0.

    Raises:
        NumagateError: a file cannot be read, or no machine has that name.
    """
    node = machine(arguments.node) if arguments.node else None
    version = version_of(arguments.version, node)
    folder = _folder(arguments.state_dir) if arguments.state_dir is not None else None
    if arguments.file == arguments.was == "-":
        message = "stdin can be read once only: name a file here, or as FILE"
        raise InputError(message, file="--was -")
    text = read_text(arguments.file, sys.stdin.buffer)
    examined = examine(text, arguments.file, version=version, node=node)
    stale = None
    if arguments.was or folder:
        if _is_readable(examined):
            was = read_text(arguments.was, sys.stdin.buffer) if arguments.was else None
            stale = find_stale(examined, was, str(arguments.was), folder=folder, version=version, node=node)
        else:
            told = f"state files are not compared: mend first what cannot be read in {arguments.file}"
            sys.stderr.write(f"numagate: {visible(told)}\n")
    steps = procedure(stale or (), arguments.state_dir or FOLDER)
    if arguments.output == "json":
        sys.stdout.write(json.dumps(show.as_json(examined, stale, steps), indent=2) + "\n")
    else:
        sys.stdout.writelines(f"{line}\n" for line in show.as_text(examined, stale, steps))
    fatal = any(told.fatal for one in examined for told in one.findings)
    found = bool(stale) or any(one.findings for one in examined)
    return 1 if fatal or (arguments.strict and found) else 0


def _folder(name: str) -> Path:
    folder = Path(name)
    if not name or not folder.is_dir():
        message = "no such folder"
        raise InputError(message, file=f"--state-dir {name}")
    return folder


def _is_readable(examined: Sequence[Examined]) -> bool:
    """Tell whether there are settings to compare, and not only values that no kubelet can read."""
    return all(one.is_readable for one in examined)
