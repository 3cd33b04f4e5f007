"""What the guest is made of, without a guest: archives, kernel modules, hardware, kubelets of the shapes."""

import json
import stat
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from node import cpio
from node import hardware
from node import image
from node import shapes
from node.hardware import Hardware
from node.kubelet import configuration
from node.kubelet import plugin_arguments
from node.machine import described
from node.shapes import Shape

from webhook.domain.kubelet.admit import startup_error

SHAPES = [
    pytest.param(machine, shape, id=shape.name)
    for machine, table in ((hardware.SMALL, shapes.SMALL), (hardware.LARGE, shapes.LARGE))
    for shape in table
]


def members(data: bytes) -> Iterator[tuple[str, int, bytes]]:
    """Read an archive as cpio(5) describes it: path, mode and bytes of each member."""
    at = 0
    while at < len(data):
        fields = [int(data[at + 6 + 8 * n : at + 14 + 8 * n], 16) for n in range(13)]
        mode, size, named = fields[1], fields[6], fields[11]
        start = at + 110 + named + -(110 + named) % 4
        yield data[at + 110 : at + 109 + named].decode(), mode, data[start : start + size]
        at = start + size + -size % 4


def test_an_archive_holds_folders_before_what_is_in_them_and_ends_with_its_trailer() -> None:
    files = {"init": cpio.Entry(b"#!/bin/sh\n", 0o755), "lib/modules/order": cpio.Entry(b"abc")}

    found = list(members(cpio.archive(files, folders=["dev"])))

    assert [name for name, _, _ in found] == ["lib", "lib/modules", "dev", "init", "lib/modules/order", "TRAILER!!!"]
    assert [stat.filemode(mode) for _, mode, _ in found[2:5]] == ["drwxr-xr-x", "-rwxr-xr-x", "-rw-r--r--"]
    assert [data for _, _, data in found[3:]] == [b"#!/bin/sh\n", b"abc", b""]


def test_kernel_modules_are_loaded_after_those_that_they_need(tmp_path: Path) -> None:
    needs = {"virtio": "", "virtio_ring": "virtio", "virtio_pci": "virtio-ring,virtio", "veth": ""}
    for name, others in needs.items():
        (tmp_path / f"{name}.ko").write_bytes(b"\x7fELF\0license=GPL\0depends=%b\0name=x\0" % others.encode())
    modules = {name: tmp_path / f"{name}.ko" for name in needs}

    assert image.in_order(modules, ["virtio_pci", "veth"]) == ["virtio", "virtio_ring", "virtio_pci", "veth"]


def test_an_image_names_its_layer_by_its_digest(tmp_path: Path) -> None:
    layer = tmp_path / "layer"
    layer.write_bytes(b"layer")
    image.oci_archive(tmp_path / "image.tar", "localhost/made:1", layer, {"Cmd": ["true"]})

    with tarfile.open(tmp_path / "image.tar") as tar:
        files = {member.name: tar.extractfile(member).read() for member in tar}  # type: ignore[union-attr]
    (entry,) = json.loads(files["index.json"])["manifests"]
    manifest = json.loads(files[f"blobs/sha256/{entry['digest'].removeprefix('sha256:')}"])
    (described,) = manifest["layers"]
    assert entry["annotations"] == {"io.containerd.image.name": "localhost/made:1"}
    assert files[f"blobs/sha256/{described['digest'].removeprefix('sha256:')}"] == b"layer"
    assert not layer.exists()


@pytest.mark.parametrize("machine", [hardware.SMALL, hardware.LARGE], ids=lambda machine: f"{machine.cells} NUMA nodes")
def test_qemu_is_told_of_every_cpu_once(machine: Hardware) -> None:
    words = list(machine.arguments())

    ranges = [word.split("cpus=")[1].split(",")[0].split("-") for word in words if "cpus=" in word]
    cpus = [cpu for first, last in ranges for cpu in range(int(first), int(last) + 1)]
    assert cpus == list(range(machine.cpus))
    assert sum(word.startswith("dist,") for word in words) == machine.cells * (machine.cells - 1) // 2
    chassis = [part for word in words for part in word.split(",") if part.startswith("chassis=")]
    assert len(set(chassis)) == len(chassis) == machine.cells * hardware.DISPLAYS + 1


@pytest.mark.parametrize(("machine", "shape"), SHAPES)
def test_the_kubelet_of_each_shape_would_start(machine: Hardware, shape: Shape) -> None:
    memory = dict.fromkeys(range(machine.cells), machine.megabytes << 20)
    node = described(
        machine,
        shape.settings(machine),
        shape.devices(),
        memory=memory,
        pages=dict.fromkeys(memory, shape.pages),
    )

    assert startup_error(node) is None
    assert configuration(node.kubelet)["topologyManagerPolicy"] == shape.policy.split("/")[0]
    assert len(plugin_arguments(node.devices)) == len(node.devices) > 0


def test_there_are_sixty_shapes_and_more_and_no_two_are_named_alike() -> None:
    names = [shape.name for shape in (*shapes.SMALL, *shapes.LARGE)]

    assert len(names) * shapes.PODS >= 60
    assert len(set(names)) == len(names)
