"""Runs a command line of numagate, and prints as JSON what was read meanwhile, and what the kubelet answers.

Of the files of the kernel and the kubelet only those are there that were read; folders whose entries were listed have
all of these, empty where nothing read them.
"""

import base64
import contextlib
import io
import json
import os
import sys
from pathlib import Path

import grpc

from webhook.cli.main import main
from webhook.node.readers import pod_resources_api as api

PLACES = ("/proc/", "/sys/", "/var/lib/kubelet/", "/run/look/policy")
SOCKET = "unix:/var/lib/kubelet/pod-resources/kubelet.sock"

opened: set[str] = set()
listed: set[str] = set()
tree: dict[str, dict[str, str]] = {}


def notice(event: str, arguments: tuple[object, ...]) -> None:
    """Note which files are opened and which folders are listed (PEP 578)."""
    seen = {"open": opened, "os.listdir": listed, "os.scandir": listed}.get(event)
    if seen is not None and isinstance(arguments[0], str) and f"{arguments[0]}/".startswith(PLACES):
        seen.add(os.path.normpath(arguments[0]))


def add(path: str) -> None:
    """Record a path with every link on the way to it."""
    at = Path("/")
    parts = Path(path).parts[1:]
    for number, part in enumerate(parts):
        at /= part
        if at.is_symlink():
            target = str(at.readlink())
            tree[str(at)] = {"link": target}
            add(os.path.normpath(Path(at.parent, target, *parts[number + 1 :])))
            return
    if at.is_dir():
        tree.setdefault(str(at), {"folder": ""})
    elif str(at) not in opened:
        tree.setdefault(str(at), {"text": ""})
    else:
        with contextlib.suppress(OSError):
            tree[str(at)] = {"text": at.read_text("utf-8", "surrogateescape")}


def run(arguments: list[str]) -> int:
    """Run the command, read again what it has read, and print all of it; answer the command's status."""
    said = io.StringIO()
    sys.addaudithook(notice)
    with contextlib.redirect_stdout(said):
        status = main(arguments)
    for path in sorted(opened):
        add(path)
    for folder in sorted(listed - {"/proc"}):
        add(folder)
        with contextlib.suppress(OSError):
            for entry in sorted(Path(folder).iterdir()):
                add(str(entry))
    with grpc.insecure_channel(SOCKET) as channel:
        calls = {name: channel.unary_unary(name) for name in (api.LIST, api.ALLOCATABLE)}
        answers = {name: base64.b64encode(call(b"")).decode() for name, call in calls.items()}
    json.dump({"files": tree, "answers": answers, "report": json.loads(said.getvalue())}, sys.stdout)
    return status
