"""Provides what the test node is made of: our builds from Go modules, and Debian's QEMU, kernel and busybox."""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from controlplane import build
from controlplane.build import Module
from controlplane.build import Program

HERE = Path(__file__).resolve().parent
SCRIPT = HERE.parents[1] / "scripts" / "node.sh"


def cache_folder() -> Path:
    """Answer where the node's parts are kept: outside the tree."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "numagate" / "node"


def debian_folder() -> Path:
    """Answer where scripts/node.sh unpacks Debian's packages: another folder for another script."""
    return cache_folder() / f"debian-{hashlib.sha256(SCRIPT.read_bytes()).hexdigest()[:12]}"


KUBELET = Module(
    name="kubelet",
    folder=build.HERE,
    subject="Kubernetes",
    pin="k8s.io/kubernetes",
    programs=(
        Program("kubelet", "k8s.io/kubernetes/cmd/kubelet", "1 to 4 minutes"),
        Program("kube-scheduler", "k8s.io/kubernetes/cmd/kube-scheduler", "3 minutes"),
    ),
)
CONTAINERD = Module(
    name="containerd",
    folder=HERE / "containerd",
    subject="containerd",
    pin="github.com/containerd/containerd/v2",
    programs=tuple(
        Program(name, f"github.com/containerd/containerd/v2/cmd/{name}", usual)
        for name, usual in (("containerd", "3 minutes"), ("containerd-shim-runc-v2", "1 minute"), ("ctr", "1 minute"))
    ),
    tags="urfave_cli_no_docs,no_btrfs,no_devmapper,no_zfs",
    settings=(("CGO_ENABLED", "0"),),
)
RUNC = Module(
    name="runc",
    folder=HERE / "runc",
    subject="runc",
    pin="github.com/opencontainers/runc",
    programs=(Program("runc", "github.com/opencontainers/runc", "1 minute"),),
    # Of its usual tags: seccomp, since the kubelet asks for a profile for every sandbox.
    tags="seccomp,urfave_cli_no_docs",
    settings=(
        ("CGO_ENABLED", "1"),
        ("PKG_CONFIG", str(HERE / "runc" / "pkg-config")),
        ("NODE_DEBIAN", str(debian_folder())),
    ),
)
CNI = Module(
    name="cni",
    folder=HERE / "cni",
    subject="CNI plug-ins",
    pin="github.com/containernetworking/plugins",
    programs=tuple(
        Program(name, f"github.com/containernetworking/plugins/plugins/{kind}/{name}", "seconds")
        for name, kind in (("ptp", "main"), ("host-local", "ipam"))
    ),
    settings=(("CGO_ENABLED", "0"),),
)
DEVICES = Module(
    name="devices",
    folder=HERE / "devices",
    subject="the test node's device plug-in, kubelet",
    pin="k8s.io/kubelet",
    programs=(Program("devices", ".", "20 seconds"),),
    settings=(("CGO_ENABLED", "0"),),
)
MODULES = (DEVICES, CNI, RUNC, CONTAINERD, KUBELET)


@dataclass(frozen=True, slots=True)
class Programs:
    """The programs of the node by name, and the folder of Debian's unpacked packages."""

    built: dict[str, Path]
    debian: Path

    def path(self, name: str) -> Path:
        """Answer where a program of Debian is: among the unpacked ones, or installed on this machine."""
        folders = ["/usr/bin", "/usr/sbin", "/bin", "/sbin"]
        found = shutil.which(name, path=os.pathsep.join([*(f"{self.debian}{folder}" for folder in folders), *folders]))
        if found is None:
            msg = f"there is no {name}, neither installed nor in {self.debian}"
            raise build.BuildError(msg)
        return Path(found)

    def environment(self) -> dict[str, str]:
        """Answer the environment in which the unpacked programs find their libraries."""
        folders = (self.debian / folder / "x86_64-linux-gnu" for folder in ("usr/lib", "lib"))
        return {**os.environ, "LD_LIBRARY_PATH": os.pathsep.join(map(str, folders))}


def provide(report: Callable[[str], None] = build.say) -> Programs:
    """Fetch and build whatever is missing.

    Raises:
        build.BuildError: something cannot be fetched or built; the text says what, and why.
    """
    done = subprocess.run([SCRIPT], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        msg = "Debian's packages of the test node cannot be fetched: the lines above say why"
        raise build.BuildError(msg)
    built = {name: path for module in MODULES for name, path in build.provide(module, report=report).items()}
    return Programs(built, Path(done.stdout.strip()))


def main() -> int:
    """Provide everything and list it."""
    try:
        programs = provide()
    except build.BuildError as error:
        build.say(str(error))
        return 1
    for path in (*programs.built.values(), programs.debian):
        build.say(str(path))
    return 0


if __name__ == "__main__":
    sys.exit(main())
