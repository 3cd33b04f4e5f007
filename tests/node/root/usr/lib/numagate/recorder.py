"""Runs a command line of numagate, and prints as JSON what was read meanwhile, and what the kubelet answers.

Of the files of the kernel and the kubelet only those are there that were read; folders whose entries were listed have
all of these, empty where nothing read them.
"""

import base64
import contextlib
import io
import json
import os
import re
import sys
from pathlib import Path

import grpc

from webhook.cli.main import main
from webhook.node.readers import pod_resources_api as api

PROCESS = re.compile(r"/proc/[0-9]+")
OF_A_PROCESS = ("cgroup", "status", "numa_maps", "task/*/status")
"""What is read below the open folder of a process, so that no path says whose it is."""
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


def of_processes() -> set[str]:
    """Answer the files of the processes whose folders were opened."""
    folders = [Path(path) for path in opened if PROCESS.fullmatch(path)]
    return {str(file) for folder in folders for name in OF_A_PROCESS for file in folder.glob(name)}


def of_interfaces() -> set[str]:
    """Answer the links from network interfaces to their devices: that they are there is asked, and not heard here."""
    return {str(link) for link in Path("/sys/class/net").glob("*/device")}


def add(path: str, *, read: bool = False) -> None:
    """Record a path with every link on the way to it, and its text if it is to be `read`."""
    at = Path("/")
    parts = Path(path).parts[1:]
    for number, part in enumerate(parts):
        at /= part
        if at.is_symlink():
            target = str(at.readlink())
            tree[str(at)] = {"link": target}
            add(os.path.normpath(Path(at.parent, target, *parts[number + 1 :])), read=read)
            return
    if at.is_dir():
        tree.setdefault(str(at), {"folder": ""})
    elif not read:
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
    opened.update(of_processes())
    for path in sorted(opened):
        add(path, read=True)
    for path in sorted((listed - {"/proc"}) | of_interfaces()):
        add(path)
        with contextlib.suppress(OSError):
            for entry in sorted(Path(path).iterdir()):
                add(str(entry))
    with grpc.insecure_channel(SOCKET) as channel:
        calls = {name: channel.unary_unary(name) for name in (api.LIST, api.ALLOCATABLE)}
        answers = {name: base64.b64encode(call(b"")).decode() for name, call in calls.items()}
    json.dump({"files": tree, "answers": answers, "report": json.loads(said.getvalue())}, sys.stdout)
    return status
