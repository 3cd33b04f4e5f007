"""Measures one pass over a full node: 256 CPUs in 8 NUMA nodes, 110 pods with 300 containers, a kubelet's socket."""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.timing import keep
from builders import container
from builders import equal
from fakekubelet import allocatable
from fakekubelet import container as granted
from fakekubelet import devices
from fakekubelet import listing
from fakekubelet import memory
from fakekubelet import pod as listed
from fakekubelet import serving
from nodepods import NODE
from nodepods import running_pod
from nodetree import NodeTree

from webhook.domain import cpuset
from webhook.node.readers import pod_resources_api as api

BOUNDS = {"pass, median (s)": 1.0, "RSS, peak (MiB)": 60.0}
"""What the project promises; a line over its bound is marked, nothing fails."""

CELLS, CPUS = 8, 256
PODS, CONTAINERS = 110, 300
PROCESSES, THREADS, MAPPINGS = 2, 24, 400
HOST_PROCESSES, NICS, QUEUES = 600, 16, 64
PASSES = 7
GPU = "nvidia.com/gpu"

LOOKER = """
import json, sys, time
from pathlib import Path
from webhook.node.observe import cpu_times, observe
from webhook.node.roots import Roots

def resident(key):
    return int(Path("/proc/self/status").read_text().split(key + ":")[1].split()[0]) / 1024

root, pods, node, passes = sys.argv[1:]
roots, pods = Roots.below(Path(root)), json.loads(Path(pods).read_text())
before, seconds, since = resident("VmRSS"), [], None
for _ in range(int(passes)):
    start = time.perf_counter()
    found = observe(roots, pods, node=node, since=since)
    seconds.append(time.perf_counter() - start)
    since = cpu_times(roots)
containers = [one for pod in found.pods for one in pod.containers]
print(json.dumps({
    "seconds": seconds, "before": before, "steady": resident("VmRSS"), "peak": resident("VmHWM"),
    "containers": len(containers), "processes": sum(len(one.processes) for one in containers),
    "unread": sorted({one.reason for thing in (found, found.machine, *containers) for one in thing.unread}),
    "cpu": time.process_time(),
}))
"""


def main() -> None:
    """Make the node, look at it from a fresh process, and print a line for each figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", action="store_true", help="write the figures to those that are kept")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="node") as folder:
        tree = NodeTree(Path(folder))
        pods = full_node(tree)
        file = tree.root / "pods.json"
        file.write_text(json.dumps(pods))
        with serving(tree.roots.pod_resources) as kubelet:
            kubelet.answers[api.LIST] = listing(*grants(pods))
            kubelet.answers[api.ALLOCATABLE] = allocatable(
                *(devices(GPU, f"GPU-{cell}", cells=(cell,)) for cell in range(CELLS))
            )
            command = [sys.executable, "-c", LOOKER, str(tree.root), str(file), NODE, str(PASSES)]
            told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    if (told["containers"], told["unread"]) != (CONTAINERS, []):
        msg = f"{told['containers']} containers were seen, and unread was {told['unread']}"
        raise SystemExit(msg)
    figures = shown(told)
    if arguments.keep:
        keep("node", figures)


def shown(told: dict[str, Any]) -> dict[str, float]:
    """Print the figures beside their bounds."""
    seconds = sorted(told["seconds"])
    figures = {
        "pass, median (s)": seconds[len(seconds) // 2],
        "pass, worst (s)": seconds[-1],
        "CPU time of a pass (s)": told["cpu"] / len(seconds),
        "RSS before, with the pods (MiB)": told["before"],
        "RSS, steady (MiB)": told["steady"],
        "RSS, peak (MiB)": told["peak"],
        "processes of containers": told["processes"],
    }
    for name, value in figures.items():
        bound = BOUNDS.get(name)
        verdict = "" if bound is None else f"  (bound {bound}: {'kept' if value <= bound else 'MISSED'})"
        print(f"{name:58}{value:>12.2f}{verdict}", flush=True)  # noqa: T201
    return {name: round(value, 3) for name, value in figures.items()}


def full_node(tree: NodeTree) -> list[dict[str, Any]]:
    """Make the files of a full node and answer its pods."""
    half = CPUS // 2 // CELLS
    for cell in range(CELLS):
        first = cell * half
        cpus = f"{first}-{first + half - 1},{first + CPUS // 2}-{first + CPUS // 2 + half - 1}"
        tree.cell(cell, cpus, threads=2, socket=cell * 2 // CELLS, caches=2, distances="10 " * CELLS)
    interrupt = 100
    for nic in range(NICS):
        device = tree.pci(f"0000:{nic:02x}:00.0", 0x020000, cell=nic % CELLS)
        tree.interface(f"eth{nic}", device)
        for _ in range(QUEUES):
            tree.interrupt(interrupt, f"0-{CPUS - 1}", device=device, effective=str(interrupt % CPUS))
            interrupt += 1
    for number in range(300):
        tree.pci(f"0001:{number // 8:02x}:{number % 8:02x}.0", 0x060400, cell=number % CELLS)
    for pid in range(1, HOST_PROCESSES):
        tree.process(pid, "system.slice/containerd.service", maps=None)
    tree.roots.kubelet_config.write_text("kind: KubeletConfiguration\ncpuManagerPolicy: static\n")
    return list(_pods(tree))


def _pods(tree: NodeTree) -> Iterator[dict[str, Any]]:
    number, pid = 1, 10_000
    for pod in range(1, PODS + 1):
        many = CONTAINERS // PODS + (pod <= CONTAINERS % PODS)
        cell = pod % CELLS
        cpus = cpuset.format(sum(1 << cpu for cpu in range(cell * 16, cell * 16 + 16)))
        env = [{"name": f"VARIABLE_{at}", "value": "x" * 40} for at in range(30)]
        containers = [container(f"c{at}", **equal(), env=env) for at in range(many)]
        for _ in range(many):
            path = tree.container(number, pod=pod, effective_cpus=cpus, effective_cells=str(cell), used=number * 1000)
            for _ in range(PROCESSES):
                maps = "\n".join(_mapping(line, pid) for line in range(MAPPINGS))
                threads = {pid + 1 + thread: cpus for thread in range(THREADS - 1)}
                tree.process(pid, path, cpus=cpus, cells=str(cell), maps=maps, threads=threads)
                pid += 100
            number += 1
        ids = {f"c{at}": number - many + at for at in range(many)}
        yield running_pod(f"llm-{pod}", *containers, number=pod, ids=ids)


def _mapping(line: int, pid: int) -> str:
    """Make a mapping: of three two are of libraries, which many processes share, and one is the process's own."""
    if line % 3:
        return (
            f"7f{line:010x} default file=/usr/lib/python3/dist-packages/lib{line}.so mapped=9 N0=9 kernelpagesize_kB=4"
        )
    pages = line * 37 + pid
    return f"7f{line:010x} default anon={pages} dirty={pages} active=0 N1={pages} kernelpagesize_kB=4"


def grants(pods: list[dict[str, Any]]) -> Iterator[Any]:
    """Make what the kubelet says of these pods."""
    for at, pod in enumerate(pods):
        given = (
            granted(
                one["name"],
                cpu_ids=range(at % CELLS * 16, at % CELLS * 16 + 16),
                memory=[memory("memory", 32 << 30, at % CELLS)],
                devices=[devices(GPU, f"GPU-{at}", cells=(at % CELLS,))],
            )
            for one in pod["spec"]["containers"]
        )
        yield listed(pod["metadata"]["name"], *given)


if __name__ == "__main__":
    main()
