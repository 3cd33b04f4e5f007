"""Provides the programs of the tests: found in KUBEBUILDER_ASSETS, else built once from Go sources into a cache."""

import contextlib
import fcntl
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MODULE = Path(__file__).resolve().parent
HEARTBEAT_SECONDS = 30
VERSION_VARIABLES = "k8s.io/component-base/version"


@dataclass(frozen=True, slots=True)
class Program:
    """One program: of the control plane, or (`pins` names the Go module that gives it its version) one beside it.

    The latter is built in a folder of its name, whose go.mod pins it, so that its dependencies change no other program.
    """

    name: str
    package: str
    usual: str
    """How long a cold build takes on two cores; the order of PROGRAMS matters, since they share packages."""
    pins: str = ""

    def folder(self, module: Path) -> Path:
        """Answer the folder of the go.mod that it is built with."""
        return module / self.name if self.pins else module

    def title(self, module: Path) -> str:
        """Name it with its version."""
        if self.pins:
            return f"{self.name} {pinned_version(self.folder(module), self.pins)}"
        return f"{self.name} of Kubernetes {kubernetes_version(module)}"

    def file(self, module: Path) -> Path:
        """Answer where it is kept when it is built."""
        return cache_folder(module) / (self.title(module).replace(" ", "-") if self.pins else self.name)


PROGRAMS = (
    Program("etcd", "go.etcd.io/etcd/server/v3", "1 minute"),
    Program("kube-apiserver", "k8s.io/kubernetes/cmd/kube-apiserver", "5 to 10 minutes"),
    Program("kubectl", "k8s.io/kubernetes/cmd/kubectl", "1 minute"),
    Program("kube-controller-manager", "k8s.io/kubernetes/cmd/kube-controller-manager", "3 minutes"),
    Program("helm", "helm.sh/helm/v4/cmd/helm", "2 minutes", pins="helm.sh/helm/v4"),
)


class BuildError(Exception):
    """A program could not be provided; the text says which, and why."""


def say(line: str) -> None:
    """Print `line` at once, so that whoever waits sees it."""
    print(line, flush=True)  # noqa: T201 - a progress report


def provide(*, module: Path = MODULE, report: Callable[[str], None] = say) -> dict[str, Path]:
    """Answer the path of every program, building what exists neither in KUBEBUILDER_ASSETS nor in the cache.

    Raises:
        BuildError: a program is missing and cannot be built.
    """
    found = existing(module)
    if len(found) < len(PROGRAMS):
        with locked(cache_folder(module), report):
            for program in PROGRAMS:
                if program.name not in existing(module):
                    compile_program(program, module, report)
        found = existing(module)
    return found


def existing(module: Path = MODULE) -> dict[str, Path]:
    """Answer the programs that need no building; those of KUBEBUILDER_ASSETS come first."""
    assets = os.environ.get("KUBEBUILDER_ASSETS")
    found = {}
    for program in PROGRAMS:
        for path in (*([Path(assets) / program.name] if assets else ()), program.file(module)):
            if os.access(path, os.X_OK):
                found[program.name] = path
                break
    return found


def kubernetes_version(module: Path = MODULE) -> str:
    """Answer the Kubernetes version that the go.mod of `module` pins, such as v1.37.2."""
    return pinned_version(module, "k8s.io/kubernetes")


def pinned_version(folder: Path, name: str) -> str:
    """Answer the version of the Go module `name` that the go.mod in `folder` requires."""
    pinned = re.search(rf"(?m)(?:^\t|^require ){re.escape(name)} (v\S+)", (folder / "go.mod").read_text("utf-8"))
    if pinned is None:
        msg = f"{folder / 'go.mod'} does not require {name}"
        raise BuildError(msg)
    return pinned[1]


def cache_folder(module: Path = MODULE) -> Path:
    """Answer where built programs are kept: outside the tree, one folder a version."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "numagate" / "controlplane" / kubernetes_version(module)


@contextlib.contextmanager
def locked(folder: Path, report: Callable[[str], None]) -> Iterator[None]:
    """Hold the build lock of `folder`, so that runs at the same time build once."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        started = time.monotonic()
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                report(f"another run is building the control plane; waiting ({elapsed(started)})")
                time.sleep(HEARTBEAT_SECONDS)
        yield


def compile_program(program: Program, module: Path, report: Callable[[str], None]) -> None:
    """Build `program` into the cache; it appears there whole or not at all.

    Raises:
        BuildError: there is no Go, or it failed; the text ends with its last lines.
    """
    # Only here, so that a machine that has every program needs neither Go nor the package path.
    from controlplane.go_toolchain import NoGoError  # noqa: PLC0415
    from controlplane.go_toolchain import find_go  # noqa: PLC0415
    from controlplane.go_toolchain import go_environment  # noqa: PLC0415

    try:
        go = find_go(program.folder(module))
    except NoGoError as error:
        msg = f"{program.name} cannot be built: {error}"
        raise BuildError(msg) from error
    folder = cache_folder(module)
    partial = folder / f".{program.name}.partial"
    log = folder / f"{program.name}.log"
    report(f"building {program.title(module)}: {program.usual} where nothing is cached")
    started = time.monotonic()
    command = [go, "build", *build_flags(module), "-o", str(partial), program.package]
    with log.open("w") as output:
        process = subprocess.Popen(
            command, cwd=program.folder(module), env=go_environment(), stdout=output, stderr=output
        )
        status = wait(process, lambda: report(f"still building {program.name} ({elapsed(started)})"))
    if status != 0:
        partial.unlink(missing_ok=True)
        tail = "\n".join(log.read_text("utf-8", "replace").splitlines()[-15:])
        msg = f"{program.name} cannot be built, go build ended with {status}:\n{tail}"
        raise BuildError(msg)
    partial.replace(program.file(module))
    report(f"built {program.name} in {elapsed(started)}")


def build_flags(module: Path) -> list[str]:
    """Answer the flags of `go build`: small programs that know their version, and one compile cache for all."""
    version = kubernetes_version(module)
    major, minor, _ = version.removeprefix("v").split(".", 2)
    variables = {"gitVersion": version, "gitMajor": major, "gitMinor": minor}
    stamps = " ".join(f"-X {VERSION_VARIABLES}.{name}={value}" for name, value in variables.items())
    return ["-mod=readonly", "-modcacherw", "-trimpath", "-ldflags", f"-s -w {stamps}"]


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
        programs = provide()
    except BuildError as error:
        say(str(error))
        return 1
    for path in programs.values():
        say(str(path))
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(MODULE.parent))
    sys.exit(main())
