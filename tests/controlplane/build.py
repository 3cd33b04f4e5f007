"""Provides the programs that tests run beside ours, each built once from Go sources into a cache.

Those of the control plane are taken from KUBEBUILDER_ASSETS where they are there. Each Go module here is a folder whose
go.mod pins what is built; whoever needs another program adds a module to the table.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
HEARTBEAT_SECONDS = 30
VERSION_VARIABLES = "k8s.io/component-base/version"


@dataclass(frozen=True, slots=True)
class Program:
    """One program of a module."""

    name: str
    package: str
    usual: str
    """How long a cold build takes on two cores; the order in a module matters, since programs share packages."""


@dataclass(frozen=True, slots=True)
class Module:
    """A Go module of ours: `pin` is the module in its go.mod whose version names all that is built from it.

    `files` is a folder of the pinned module that is kept beside the programs; `tags` are build tags, and `settings`
    variables of the environment of the build.
    """

    name: str
    folder: Path
    subject: str
    pin: str
    programs: tuple[Program, ...]
    files: str = ""
    tags: str = ""
    settings: tuple[tuple[str, str], ...] = ()


CONTROL_PLANE = Module(
    name="controlplane",
    folder=HERE,
    subject="Kubernetes",
    pin="k8s.io/kubernetes",
    programs=(
        Program("etcd", "go.etcd.io/etcd/server/v3", "1 minute"),
        Program("kube-apiserver", "k8s.io/kubernetes/cmd/kube-apiserver", "5 to 10 minutes"),
        Program("kubectl", "k8s.io/kubernetes/cmd/kubectl", "1 minute"),
        Program("kube-controller-manager", "k8s.io/kubernetes/cmd/kube-controller-manager", "3 minutes"),
    ),
)
CERT_MANAGER = Module(
    name="cert-manager",
    folder=HERE / "certmanager",
    subject="cert-manager",
    pin="github.com/cert-manager/cert-manager",
    programs=(Program("cert-manager", ".", "2 minutes"),),
    files="deploy/crds",
)
HELM = Module(
    name="helm",
    folder=HERE / "helm",
    subject="helm",
    pin="helm.sh/helm/v4",
    programs=(Program("helm", "helm.sh/helm/v4/cmd/helm", "2 minutes"),),
)
MODULES = (CONTROL_PLANE, HELM, CERT_MANAGER)


class BuildError(Exception):
    """A program could not be provided; the text says which, and why."""


def say(line: str) -> None:
    """Print `line` at once, so that whoever waits sees it."""
    print(line, flush=True)  # noqa: T201 - a progress report


def provide(module: Module = CONTROL_PLANE, *, report: Callable[[str], None] = say) -> dict[str, Path]:
    """Answer the path of every program of `module`, building what is neither in KUBEBUILDER_ASSETS nor in the cache.

    Raises:
        BuildError: a program is missing and cannot be built.
    """
    found = existing(module)
    if len(found) < len(module.programs):
        with locked(module, report):
            for program in module.programs:
                if program.name not in existing(module):
                    compile_program(program, module, report)
        found = existing(module)
    return found


def existing(module: Module) -> dict[str, Path]:
    """Answer the programs that need no building; those of KUBEBUILDER_ASSETS come first."""
    folders = [cache_folder(module)]
    assets = os.environ.get("KUBEBUILDER_ASSETS")
    if assets:
        folders.insert(0, Path(assets))
    found = {}
    for program in module.programs:
        for folder in folders:
            if os.access(folder / program.name, os.X_OK):
                found[program.name] = folder / program.name
                break
    return found


def version_of(module: Module) -> str:
    """Answer the version that the go.mod of `module` pins, such as v1.37.2."""
    file = module.folder / "go.mod"
    pinned = re.search(rf"(?<!\S){re.escape(module.pin)} (v\S+)", file.read_text("utf-8"))
    if pinned is None:
        msg = f"{file} does not require {module.pin}"
        raise BuildError(msg)
    return pinned[1]


def cache_folder(module: Module) -> Path:
    """Answer where built programs are kept: outside the tree, one folder a version, and a state of sources of ours."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    main = module.folder / "main.go"
    state = f"-{hashlib.sha256(main.read_bytes()).hexdigest()[:12]}" if main.exists() else ""
    return Path(cache) / "numagate" / module.name / f"{version_of(module)}{state}"


@contextlib.contextmanager
def locked(module: Module, report: Callable[[str], None]) -> Iterator[None]:
    """Hold the build lock of `module`, so that runs at the same time build once."""
    folder = cache_folder(module)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        started = time.monotonic()
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                report(f"another run is building {module.subject}; waiting ({elapsed(started)})")
                time.sleep(HEARTBEAT_SECONDS)
        yield


def compile_program(program: Program, module: Module, report: Callable[[str], None]) -> None:
    """Build `program` into the cache; it appears there whole or not at all.

    Raises:
        BuildError: there is no Go, or it failed; the text ends with its last lines.
    """
    # Only here, so that a machine that has every program needs neither Go nor the package path.
    from controlplane.go_toolchain import NoGoError  # noqa: PLC0415
    from controlplane.go_toolchain import find_go  # noqa: PLC0415
    from controlplane.go_toolchain import go_environment  # noqa: PLC0415

    try:
        go = find_go(module.folder)
    except NoGoError as error:
        msg = f"{program.name} cannot be built: {error}"
        raise BuildError(msg) from error
    if module.files:
        keep_files(go, module, go_environment())
    folder = cache_folder(module)
    partial = folder / f".{program.name}.partial"
    log = folder / f"{program.name}.log"
    report(f"building {program.name} of {module.subject} {version_of(module)}: {program.usual} where nothing is cached")
    started = time.monotonic()
    command = [go, "build", *build_flags(module), "-o", str(partial), program.package]
    with log.open("w") as output:
        environment = {**go_environment(), **dict(module.settings)}
        process = subprocess.Popen(command, cwd=module.folder, env=environment, stdout=output, stderr=output)
        status = wait(process, lambda: report(f"still building {program.name} ({elapsed(started)})"))
    if status != 0:
        partial.unlink(missing_ok=True)
        tail = "\n".join(log.read_text("utf-8", "replace").splitlines()[-15:])
        msg = f"{program.name} cannot be built, go build ended with {status}:\n{tail}"
        raise BuildError(msg)
    partial.replace(folder / program.name)
    report(f"built {program.name} in {elapsed(started)}")


def keep_files(go: str, module: Module, environment: Mapping[str, str]) -> None:
    """Copy the folder of the pinned module that tests need, as it was downloaded.

    Raises:
        BuildError: it cannot be downloaded.
    """
    command = [go, "mod", "download", "-json", module.pin]
    done = subprocess.run(command, cwd=module.folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        msg = f"{module.pin} cannot be downloaded: {done.stderr}{done.stdout}"
        raise BuildError(msg)
    there = Path(json.loads(done.stdout)["Dir"]) / module.files
    # The module cache is read-only, permissions included.
    shutil.copytree(there, files_of(module), copy_function=shutil.copyfile, dirs_exist_ok=True)


def files_of(module: Module) -> Path:
    """Answer where the files of the pinned module are kept."""
    return cache_folder(module) / module.files


def build_flags(module: Module) -> list[str]:
    """Answer the flags of `go build`: small programs, and one compile cache for all.

    Those of Kubernetes know their version; whatever else is linked with its libraries must not take its own for it.
    """
    flags = ["-mod=readonly", "-modcacherw", "-trimpath", f"-tags={module.tags}", "-ldflags"]
    if module.pin != CONTROL_PLANE.pin:
        return [*flags, "-s -w"]
    version = version_of(module)
    major, minor, _ = version.removeprefix("v").split(".", 2)
    variables = {"gitVersion": version, "gitMajor": major, "gitMinor": minor}
    stamps = " ".join(f"-X {VERSION_VARIABLES}.{name}={value}" for name, value in variables.items())
    return [*flags, f"-s -w {stamps}"]


def wait(process: subprocess.Popen[bytes], heartbeat: Callable[[], None]) -> int:
    """Wait for `process`, calling `heartbeat` now and then, and end it if the wait is broken off."""
    try:
        while True:
            try:
                return process.wait(HEARTBEAT_SECONDS)
            except subprocess.TimeoutExpired:
                heartbeat()
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()


def elapsed(started: float) -> str:
    """Answer how long ago the monotonic instant `started` was."""
    return f"{time.monotonic() - started:.0f} s"


def main() -> int:
    """Build what is missing and list what there is."""
    try:
        found = [path for module in MODULES for path in provide(module).values()]
    except BuildError as error:
        say(str(error))
        return 1
    for path in found:
        say(str(path))
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parent))
    sys.exit(main())
