"""Asks Kubernetes' own code: builds a Go program of a folder beside once, and sends it questions as JSON lines."""

import fcntl
import hashlib
import json
import os
import re
import subprocess
import tempfile
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from controlplane.go_toolchain import NoGoError
from controlplane.go_toolchain import find_go
from controlplane.go_toolchain import go_environment

from webhook.domain.versions import Version

ORACLE = Path(__file__).resolve().with_name("oracle")
"""The module of the program that reads quantities and pods."""
KUBELET_ORACLE = ORACLE.with_name("kubelet_oracle")
"""The module of the program that admits pods to nodes; its folder `older` holds what other versions need otherwise."""
NEWEST = (1, 37)
"""The Kubernetes version that the modules themselves are for."""

BUILD_SECONDS = 1800
FLAGS = ("-mod=readonly", "-modcacherw", "-trimpath", "-ldflags", "-s -w")
"""As for the control plane's programs, so that what was compiled for those is not compiled again."""

TIMEOUT_STATUS = 3
"""The program's exit code after a question that took too long."""

Question = dict[str, Any]
Answer = dict[str, Any]
Ask = Callable[[Sequence[Question]], list[Answer]]


class OracleError(Exception):
    """The oracle cannot be built or died; the text says why."""


def build(module: Path, report: Callable[[str], None], version: Version = NEWEST) -> Path:
    """Answer the path of the program of a Go module, compiling it where this state of its sources never was.

    Raises:
        OracleError: there is no Go, or it failed; the text ends with its last lines.
    """
    found = sources(module, version)
    program = cache_folder(module, found) / module.name
    program.parent.mkdir(parents=True, exist_ok=True)
    with (program.parent / ".lock").open("w") as lock, tempfile.TemporaryDirectory() as folder:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.access(program, os.X_OK):
            for name, content in found.items():
                (Path(folder) / name).write_bytes(content)
            told = f"building {module.name} from the sources of Kubernetes {version[0]}.{version[1]}"
            report(f"{told} (seconds; up to 5 minutes when Go's cache is empty)")
            compile_to(program, module, Path(folder))
    return program


def sources(module: Path, version: Version = NEWEST) -> dict[str, bytes]:
    """Answer the module's files for a Kubernetes version: each older version replaces some files of the next newer.

    Raises:
        OracleError: the module has nothing for this version.
    """
    layers = {parsed(folder.name): folder for folder in (module / "older").glob("*.*")}
    if version != NEWEST and version not in layers:
        known = ", ".join(f"{major}.{minor}" for major, minor in sorted([NEWEST, *layers]))
        msg = f"{module.name} cannot be built for Kubernetes {version[0]}.{version[1]}: it knows {known}"
        raise OracleError(msg)
    folders = [module, *(layers[layer] for layer in sorted(layers, reverse=True) if layer >= version)]
    files = (file for folder in folders for file in sorted(folder.iterdir()))
    return {file.name: file.read_bytes() for file in files if file.suffix in {".go", ".mod", ".s", ".sum"}}


def parsed(text: str) -> Version:
    """Read a version as `1.36`; what is none becomes one that nobody knows.

    >>> parsed("1.36"), parsed("new")
    ((1, 36), (0, 0))
    """
    found = re.fullmatch(r"(\d+)\.(\d+)", text)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def cache_folder(module: Path, found: Mapping[str, bytes]) -> Path:
    """Answer where the program is kept: outside the tree, one folder for each state of its sources."""
    digest = hashlib.sha256()
    for name, content in sorted(found.items()):
        digest.update(f"{name}\0".encode() + content + b"\0")
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "numagate" / module.name / digest.hexdigest()[:16]


def compile_to(program: Path, module: Path, folder: Path) -> None:
    """Build a module's program from the files in `folder`; it appears at `program` whole or not at all.

    Raises:
        OracleError: there is no Go, or it failed.
    """
    try:
        go = find_go(module)
    except NoGoError as error:
        msg = f"{module.name} cannot be built: {error}"
        raise OracleError(msg) from error
    partial = program.with_suffix(".partial")
    try:
        done = subprocess.run(
            [go, "build", *FLAGS, "-o", str(partial), "."],
            cwd=folder,
            env=go_environment(),
            capture_output=True,
            text=True,
            timeout=BUILD_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        msg = f"{module.name} cannot be built: go build took more than {BUILD_SECONDS} s"
        raise OracleError(msg) from error
    if done.returncode != 0:
        tail = "\n".join(done.stderr.splitlines()[-15:])
        msg = f"{module.name} cannot be built, go build ended with {done.returncode}:\n{tail}"
        raise OracleError(msg)
    partial.replace(program)


def isolated(program: Path) -> tuple[str, ...]:
    """Answer the command that runs `program` with a /var/lib of its own, empty and in memory.

    Raises:
        OracleError: this machine does not let us; the text says what it said.
    """
    # The program is opened first, since it may lie below /var/lib itself.
    script = 'exec 3<"$0" && mount -t tmpfs none /var/lib && exec /proc/self/fd/3'
    as_root = () if os.geteuid() == 0 else ("--map-root-user",)
    command = ("unshare", *as_root, "--mount", "sh", "-c", script, str(program))
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        msg = f"{program.name} cannot run: there is no unshare (util-linux) for a mount namespace of its own"
        raise OracleError(msg) from error
    if done.returncode != 0:
        msg = f"{program.name} cannot run in a mount namespace of its own: {done.stderr.strip()}"
        raise OracleError(msg)
    return command


class Oracle:
    """A program, run anew for each batch of questions."""

    def __init__(self, *command: str | Path) -> None:
        """Keep the command; nothing runs yet."""
        self.command = command

    def ask(self, questions: Sequence[Question]) -> list[Answer]:
        """Answer one object per question, in order; `{"timeout": True}` for one that Go does not answer in time.

        Raises:
            OracleError: the program died.
        """
        answers: list[Answer] = []
        while len(answers) < len(questions):
            left = questions[len(answers) :]
            done = subprocess.run(
                self.command,
                input="".join(json.dumps(question) + "\n" for question in left).encode(),
                capture_output=True,
                check=False,
            )
            found = [json.loads(line) for line in done.stdout.splitlines()]
            # After a question that took too long the program ends itself, and the rest is asked again.
            if (
                done.returncode not in {0, TIMEOUT_STATUS}
                or not found
                or (done.returncode == 0 and len(found) < len(left))
            ):
                tail = done.stderr.decode(errors="replace")[-2000:]
                msg = f"the oracle ended with {done.returncode} after {len(found)} of {len(left)} answers:\n{tail}"
                raise OracleError(msg)
            answers += found
        return answers
