"""Lays out what the guest boots from: a kernel, a first file system that finds the disk, and the disk itself."""

import hashlib
import io
import json
import re
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterable
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from imageroot import lay_out
from imageroot import make_venv
from node import cpio
from node.programs import HERE
from node.programs import Programs
from node.programs import cache_folder

from webhook.manifests.settings import IMAGE

SIZE = "3G"
"""Of the disk, which is sparse."""

PATHS = {
    "/usr/bin": ("containerd", "containerd-shim-runc-v2", "ctr", "runc", "kubelet", "devices"),
    "/opt/cni/bin": ("ptp", "host-local"),
}
MODULES = ("virtio_pci", "virtio_blk", "virtio_net", "overlay", "virtio_rng", "veth", "br_netfilter", "nf_conntrack")
BUSYBOX_IMAGE = "localhost/busybox:1"
OWN_IMAGE = f"docker.io/library/{IMAGE}"
"""The image of the manifests, by its name in full."""

BLOBS = "blobs/sha256"
IDLE = ["/bin/busybox", "tail", "-f", "/dev/null"]
FOLDERS = ("dev", "proc", "sys", "run", "tmp", "root", "mnt", "var/log", "var/lib/kubelet", "images", "etc/kubernetes")


@dataclass(frozen=True, slots=True)
class Image:
    """What QEMU is given."""

    kernel: Path
    initrd: Path
    disk: Path
    folders: tuple[str, ...]
    """Folders of the guest's root that hold what numagate's own image has."""


def make(folder: Path, programs: Programs) -> Image:
    """Make the image in `folder`: the files of numagate's own container image, the programs, and tests/node/root."""
    tree = folder / "tree"
    venv = _lay_out(tree, folder)
    folders = tuple(sorted(path.name for path in tree.iterdir() if path.name not in {"etc", "tmp"}))
    shutil.copytree(HERE / "root", tree, dirs_exist_ok=True)
    numagate = tree / "usr" / "bin" / "numagate"
    numagate.parent.mkdir(parents=True, exist_ok=True)
    numagate.symlink_to(venv / "bin" / "numagate")
    for name in FOLDERS:
        (tree / name).mkdir(parents=True, exist_ok=True)
    _programs(tree, programs)
    busybox_image(tree / "images" / "busybox.tar", programs.debian / "bin" / "busybox")
    own_image(tree / "images" / "numagate.tar", venv)
    initrd = folder / "initrd"
    initrd.write_bytes(_initrd(programs.debian))
    disk = folder / "disk.ext4"
    # No journal: whatever is written is gone with the guest.
    command = [programs.path("mke2fs"), "-q", "-t", "ext4", "-O", "^has_journal", "-d", tree, disk, SIZE]
    subprocess.run(command, check=True, env=programs.environment(), stdout=subprocess.DEVNULL)
    (kernel,) = (programs.debian / "boot").glob("vmlinuz-*")
    return Image(kernel, initrd, disk, folders)


def _lay_out(tree: Path, work: Path) -> Path:
    """Lay out numagate's container image in `tree`; answer where its virtual environment is there.

    Not below /tmp, where pods have a folder of their own.
    """
    there = cache_folder()
    there.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="venv-", dir=there) as folder:
        venv = make_venv(Path(folder) / "numagate")
        lay_out(tree, venv, work)
    return venv


def _programs(tree: Path, programs: Programs) -> None:
    busybox = tree / "bin" / "busybox"
    busybox.parent.mkdir(exist_ok=True)
    shutil.copy(programs.debian / "bin" / "busybox", busybox)
    for applet in subprocess.run([busybox, "--list-full"], capture_output=True, text=True, check=True).stdout.split():
        link = tree / applet
        link.parent.mkdir(parents=True, exist_ok=True)
        if not link.exists():
            link.symlink_to("/bin/busybox")
    for folder, names in PATHS.items():
        for name in names:
            target = tree / folder[1:] / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(programs.built[name], target)
    for library in _libraries(programs.built[name] for names in PATHS.values() for name in names):
        target = tree / str(library)[1:]
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, target)


def _libraries(programs: Iterable[Path]) -> set[Path]:
    """Answer the shared libraries that programs load, by the names that they load them by."""
    found: set[Path] = set()
    for program in programs:
        said = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
        found |= {Path(name) for name in re.findall(r"(?:=> )?(/\S+) \(0x", said)}
    return found


def _initrd(debian: Path) -> bytes:
    """Write the first file system: it loads every kernel module that the guest needs, and mounts the disk."""
    modules = {path.stem.replace("-", "_"): path for path in (debian / "lib" / "modules").rglob("*.ko")}
    order = in_order(modules, MODULES)
    files = {
        "bin/busybox": cpio.Entry((debian / "bin" / "busybox").read_bytes(), 0o755),
        "init": cpio.Entry((HERE / "stage1").read_bytes(), 0o755),
        "modules/order": cpio.Entry("".join(f"{name}.ko\n" for name in order).encode()),
        **{f"modules/{name}.ko": cpio.Entry(modules[name].read_bytes()) for name in order},
    }
    return cpio.archive(files, folders=("dev", "disk"))


def in_order(modules: Mapping[str, Path], names: Iterable[str]) -> list[str]:
    """Answer the named kernel modules and those that they need, each after what it needs."""
    found: dict[str, None] = {}
    for name in names:
        depends = re.search(rb"\0depends=([^\0]*)\0", modules[name].read_bytes())
        needed = depends[1].decode().replace("-", "_").split(",") if depends and depends[1] else []
        found |= dict.fromkeys([*in_order(modules, needed), name])
    return list(found)


def busybox_image(target: Path, busybox: Path) -> None:
    """Write an image that holds busybox with all its names, and idles where no command is given."""
    names = subprocess.run([busybox, "--list"], capture_output=True, text=True, check=True).stdout.split()
    with tarfile.open(target.with_suffix(".layer"), mode="w") as tar:
        for folder in ("bin", "tmp", "proc", "sys", "dev", "etc"):
            tar.addfile(_member(folder, tarfile.DIRTYPE, 0o755))
        tar.add(busybox, "bin/busybox")
        for name in names:
            if name != "busybox":
                link = _member(f"bin/{name}", tarfile.SYMTYPE, 0o777)
                link.linkname = "busybox"
                tar.addfile(link)
    oci_archive(target, BUSYBOX_IMAGE, target.with_suffix(".layer"), {"Cmd": IDLE, "Env": ["PATH=/bin"]})


def own_image(target: Path, venv: Path) -> None:
    """Write numagate's own image, configured as by the Dockerfile, and empty: the guest takes minutes to unpack it.

    Its files are in the guest's root, too; pods mount them from there.
    """
    layer = target.with_suffix(".layer")
    with tarfile.open(layer, mode="w") as tar:
        tar.addfile(_member("tmp", tarfile.DIRTYPE, 0o1777))
    config = {"Entrypoint": ["numagate"], "Cmd": ["serve"], "Env": [f"PATH={venv}/bin"], "User": "10001:10001"}
    oci_archive(target, OWN_IMAGE, layer, config)


def oci_archive(target: Path, name: str, layer: Path, config: Mapping[str, object]) -> None:
    """Write an image of one layer, a file that is used up, as `ctr images import` reads it."""
    files: dict[str, bytes] = {}

    def blob(data: bytes, media: str) -> dict[str, object]:
        digest = hashlib.sha256(data).hexdigest()
        files[f"{BLOBS}/{digest}"] = data
        return {"mediaType": f"application/vnd.oci.image.{media}", "digest": f"sha256:{digest}", "size": len(data)}

    with layer.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    entry = {
        "mediaType": "application/vnd.oci.image.layer.v1.tar",
        "digest": f"sha256:{digest}",
        "size": layer.stat().st_size,
    }
    rootfs = {"type": "layers", "diff_ids": [entry["digest"]]}
    described = {"architecture": "amd64", "os": "linux", "config": config, "rootfs": rootfs}
    configured = blob(_json(described), "config.v1+json")
    manifest = blob(_json({"schemaVersion": 2, "config": configured, "layers": [entry]}), "manifest.v1+json")
    named = {**manifest, "annotations": {"io.containerd.image.name": name}}
    files["index.json"] = _json({"schemaVersion": 2, "manifests": [named]})
    files["oci-layout"] = _json({"imageLayoutVersion": "1.0.0"})
    with tarfile.open(target, mode="w") as tar:
        for path, data in files.items():
            member = _member(path, tarfile.REGTYPE, 0o644)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
        tar.add(layer, f"{BLOBS}/{digest}")
    layer.unlink()


def _member(name: str, kind: bytes, mode: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.mode = kind, mode
    return member


def _json(value: object) -> bytes:
    return json.dumps(value).encode()
