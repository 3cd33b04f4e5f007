"""Records what `numagate verify` reads in the guest, for tests that need no guest: `make record-node`."""

import json
import re
import tempfile
from pathlib import Path
from typing import Any

from builders import GPU
from controlplane import build
from controlplane.cluster import ControlPlane
from controlplane.flags import FOR_KUBELETS
from node import hardware
from node import image
from node import pods
from node import programs
from node import verifying
from node.guest import HOST
from node.guest import Guest
from node.kubelet import Kubelet
from node.machine import started
from node.shapes import Shape
from recordednode import FOLDER
from recordednode import TWO_NODES

PROCESS = re.compile(r"/proc/(\d+)\b")


def main() -> None:
    """Record the guest of two NUMA nodes with a pinned pod and one in the shared pool."""
    made = programs.provide()
    with tempfile.TemporaryDirectory(prefix="numagate-record-") as folder:
        files = image.make(Path(folder), made)
        with (
            ControlPlane(programs=build.provide(), names=[HOST], api_server_flags=FOR_KUBELETS) as cluster,
            Guest(hardware.SMALL, image=files, programs=made) as guest,
        ):
            guest.until_images()
            recorded = record(Kubelet(guest, cluster))
    FOLDER.mkdir(exist_ok=True)
    TWO_NODES.write_text(json.dumps(recorded, indent=1, sort_keys=True) + "\n", "utf-8")
    build.say(f"{TWO_NODES}: {len(recorded['files'])} files, {TWO_NODES.stat().st_size >> 10} KiB")


def record(kubelet: Kubelet) -> dict[str, Any]:
    """Let two pods run, look at them, and answer all that was read."""
    verifying.start(kubelet.guest)
    started(kubelet, Shape("recorded", "single-numa-node/container", nics=(0, 1)))
    pods.run(kubelet, "pinned", {"cpu": "2", "memory": "256Mi", GPU: "1"}, pods.filling())
    pods.run(kubelet, "shared", {"cpu": "1500m", "memory": "64Mi", GPU: "1"}, pods.filling())
    listed = verifying.pods_of_node(kubelet)
    arguments = verifying.hand_over(kubelet, listed)
    found = verifying.ask(kubelet, ["record", *arguments])
    return {**found, "files": without_kernel_threads(found["files"]), "pods": listed}


def without_kernel_threads(files: dict[str, Any]) -> dict[str, Any]:
    """Leave out processes that are in no cgroup of the kubelet: they are many, and nothing more is read of them."""
    kept = {"1", *(path.split("/")[2] for path, one in files.items() if "/kubepods" in one.get("text", ""))}
    return {path: one for path, one in files.items() if not (found := PROCESS.match(path)) or found[1] in kept}


if __name__ == "__main__":
    main()
