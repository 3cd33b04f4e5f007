"""Measures numagate on a cluster of 15,000 nodes: a real API server, the real controller, a real serving replica."""

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from dataclasses import field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.churn import churn
from bench.processes import Usage
from bench.processes import usage
from bench.timing import keep
from bench.worlds import ONE
from bench.worlds import SAME
from bench.worlds import Paired
from bench.worlds import in_process
from bench.worlds import over_http
from bench.worlds import shrunk
from controlplane import build
from controlplane import numagate_api
from controlplane.cluster import ControlPlane
from controlplane.flags import NEW_NODES_ARE_READY
from controlplane.load import NODES
from controlplane.load import REPORTS
from controlplane.load import Call
from controlplane.load import send_all
from controlplane.process import until
from controlplane.replicas import Replica
from controlplane.replicas import controller
from controlplane.replicas import labelled
from controlplane.replicas import serving
from controlplane.replicas import snapshot_text
from controlplane.service import numagate
from fleets import KINDS
from fleets import Member
from fleets import fleet
from fleets import node_of
from fleets import report_of
from gpupods import REPAIRED
from gpupods import gpu_pod

NAMESPACES = 2000
TRIES = 15
KIB = 1024

BOUNDS = {
    "first snapshot (s)": 60,
    "snapshot (KiB)": 300,
    "controller RSS, peak (MiB)": 600,
    "label in force, worst (s)": 2,
    "serving RSS, peak (MiB)": 128,
    "decision, ratio to 10 nodes of the same kinds, worst": 1.2,
}
"""What the project promises; a line over its bound is marked, nothing fails."""


@dataclass(slots=True)
class Figures:
    """Prints figures as they come, beside their bounds."""

    found: dict[str, float] = field(default_factory=dict)

    def add(self, name: str, value: float) -> None:
        """Take one figure."""
        self.found[name] = round(value, 2)
        bound = BOUNDS.get(name)
        verdict = "" if bound is None else f"  (bound {bound}: {'kept' if value <= bound else 'MISSED'})"
        print(f"{name:58}{value:>12.2f}{verdict}", flush=True)  # noqa: T201


def main() -> None:
    """Fill a cluster, run numagate in it, and print what it takes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", action="store_true", help="write the figures to figures.json")
    parser.add_argument("--nodes", type=int, default=15_000, help="nodes, and as many reports (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long the churn goes on (default: %(default)g)")
    parser.add_argument("--rate", type=float, default=100.0, help="updates a second (default: %(default)g)")
    arguments = parser.parse_args()
    figures = Figures()
    with ExitStack() as stack:
        cluster = stack.enter_context(new_cluster())
        certificates = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        numagate("certs", "issue", "--dir", str(certificates), "--ip", "127.0.0.1")
        members = fleet(arguments.nodes)
        fill(cluster, members, figures)
        leader = stack.enter_context(controller(cluster, certificates))
        text = first_snapshot(cluster, leader, figures)
        replica = stack.enter_context(serving(cluster, certificates)).until_ready()
        under_churn(Stage(cluster, leader, replica, members), figures, arguments)
        what_else_runs()
        stack.close()
        compare(text, figures)
    if arguments.keep:
        keep("scale", figures.found)


def new_cluster() -> ControlPlane:
    """Make a cluster of an API server and etcd alone."""
    return ControlPlane(programs=build.provide(), controllers=False, api_server_flags=[NEW_NODES_ARE_READY])


def fill(cluster: ControlPlane, members: list[Member], figures: Figures) -> None:
    """Create everything that a cluster has before numagate comes."""
    chance = random.Random(1)  # noqa: S311  # makes objects, keeps no secret
    objects = {"apiVersion": "v1", "kind": "List", "items": numagate_api.objects()}
    cluster.kubectl("apply", "-f", "-", input=objects)
    cluster.kubectl("wait", "--for=condition=Established", "customresourcedefinitions", "--all")
    send_all(cluster, (Call("POST", "/api/v1/namespaces", one) for one in namespaces()))
    ours = "/apis/numagate.io/v1alpha1"
    send_all(cluster, (Call("POST", f"{ours}/alignmentpolicies", one) for one in policies()))
    send_all(cluster, (Call("POST", f"{ours}/nodeprofiles", one) for one in profiles()))
    seconds = send_all(cluster, (Call("POST", NODES, node_of(one)) for one in members))
    figures.add("nodes created a second", len(members) / seconds)
    seconds = send_all(cluster, (Call("POST", REPORTS, report_of(one, chance)) for one in members))
    figures.add("reports created a second", len(members) / seconds)


def first_snapshot(cluster: ControlPlane, leader: Replica, figures: Figures) -> str:
    """Wait for the first snapshot, from the start of the controller's process on."""
    began = time.monotonic()
    text = until(lambda: snapshot_text(cluster), seconds=600, what="the first snapshot")
    figures.add("first snapshot (s)", time.monotonic() - began)
    figures.add("snapshot (KiB)", len(text.encode()) / KIB)
    leader.until_ready()
    _show_usage(figures, "controller, after the first snapshot", usage(leader.daemon.process.pid))
    return text


@dataclass(frozen=True, slots=True)
class Stage:
    """A cluster with numagate in it."""

    cluster: ControlPlane
    leader: Replica
    replica: Replica
    members: list[Member]


def under_churn(stage: Stage, figures: Figures, arguments: argparse.Namespace) -> None:
    """Let the cluster live for a while, and see how long a label takes to be in force."""
    cluster, leader, replica = stage.cluster, stage.leader, stage.replica
    before, writes = usage(leader.daemon.process.pid), leader.metric("numagate_world_writes_total")
    servers = {daemon.name: usage(daemon.process.pid) for daemon in cluster.daemons}
    with churn(cluster, stage.members, rate=arguments.rate) as sent:
        began = time.monotonic()
        waits: list[float] = []
        for namespace in (f"team-{number:04}" for number in range(1, 10 * TRIES, 10)):
            waits.append(label_seconds(cluster, replica, namespace))
            left = began + arguments.seconds * len(waits) / TRIES - time.monotonic()
            time.sleep(max(0.0, left))
        after = usage(leader.daemon.process.pid)
        seconds = time.monotonic() - began
    figures.add("updates a second", sent.rate)
    figures.add("label in force, median (s)", statistics.median(waits))
    figures.add("label in force, worst (s)", max(waits))
    figures.add("snapshots written a minute", (leader.metric("numagate_world_writes_total") - writes) * 60 / seconds)
    figures.add("controller CPU, of one core (%)", (after.cpu - before.cpu) * 100 / seconds)
    for daemon in cluster.daemons:
        share = (usage(daemon.process.pid).cpu - servers[daemon.name].cpu) * 100 / seconds
        figures.add(f"{daemon.name} CPU, of one core (%)", share)
    figures.add("controller RSS, steady (MiB)", after.resident)
    figures.add("controller RSS, peak (MiB)", after.peak)
    served = usage(replica.daemon.process.pid)
    figures.add("serving RSS, steady (MiB)", served.resident)
    figures.add("serving RSS, peak (MiB)", served.peak)
    figures.add("snapshot under churn (KiB)", len(snapshot_text(cluster).encode()) / KIB)


def label_seconds(cluster: ControlPlane, replica: Replica, namespace: str) -> float:
    """Raise a namespace's level; answer how long a pod that it forbids is let in yet."""
    pod = gpu_pod(namespace, resources=REPAIRED)
    if not replica.judge(namespace, pod)["allowed"]:
        msg = f"{namespace} refuses before it was told to"
        raise SystemExit(msg)
    began = time.monotonic()
    labelled(cluster, namespace, enforce="aligned")
    until(lambda: not replica.judge(namespace, pod)["allowed"], seconds=60, what="the label in force")
    return time.monotonic() - began


def compare(text: str, figures: Figures) -> None:
    """Hold decisions on this world against those on small ones."""
    same, one = shrunk(text, nodes=10), shrunk(text, nodes=10, kinds=1)
    results = [(SAME, result) for measure in (in_process, over_http) for result in measure(text, same)]
    results += [(ONE, result) for measure in (in_process, over_http) for result in measure(text, one)]
    for other, result in results:
        _show(other, result)
    for other in (SAME, ONE):
        worst = max(result.ratio for name, result in results if name == other)
        figures.add(f"decision, ratio to {other}, worst", worst)


def what_else_runs() -> None:
    """Print what shares the machine: figures of a busy machine say little."""
    load = " ".join(f"{one:.1f}" for one in os.getloadavg())
    print(f"\n{os.cpu_count()} CPUs, load {load}; busiest processes:")  # noqa: T201
    listed = subprocess.run(["ps", "-eo", "pcpu,rss,comm", "--sort=-pcpu"], capture_output=True, text=True, check=True)
    print("\n".join(listed.stdout.splitlines()[:8]), flush=True)  # noqa: T201


def namespaces() -> Iterator[dict[str, Any]]:
    """Yield namespaces: all with a tier, every tenth with a level of its own."""
    for number in range(1, NAMESPACES + 1):
        labels = {"team": f"team-{number % 50}", "tier": ("prod", "research", "ci")[number % 3]}
        if number % 10 == 0:
            labels |= {"numagate.io/enforce": "exclusive", "numagate.io/warn": "aligned"}
        yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": f"team-{number:04}", "labels": labels}}


def policies() -> Iterator[dict[str, Any]]:
    """Yield policies: one for everybody that only looks, and two for tiers."""
    observe = {"enforce": "none", "repair": "aligned", "warn": "none", "audit": "aligned"}
    yield _ours("AlignmentPolicy", "default", {"governs": "accelerators", "modes": observe})
    for tier, priority in (("research", 10), ("ci", 20)):
        match = {"namespaceSelector": {"matchLabels": {"tier": tier}}}
        yield _ours("AlignmentPolicy", tier, {"priority": priority, "match": match, "modes": observe})


def profiles() -> Iterator[dict[str, Any]]:
    """Yield profiles: a machine that is not there yet, and settings that no report tells."""
    spare = {"machine": "generic-2x4", "selector": {"matchLabels": {"karpenter.sh/nodepool": "spare"}}}
    yield _ours("NodeProfile", "spare", spare)
    options = {"cpuManagerPolicyOptions": {"full-pcpus-only": "true"}}
    selector = {"matchLabels": {"karpenter.sh/nodepool": KINDS[0].pool}}
    yield _ours("NodeProfile", "serving-options", {"kubelet": options, "selector": selector})


def _ours(kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": "numagate.io/v1alpha1", "kind": kind, "metadata": {"name": name}, "spec": spec}


def _show(other: str, result: Paired) -> None:
    print(  # noqa: T201
        f"{result.name:40}{result.first:>10.0f}µs{result.second:>10.0f}µs  x{result.ratio:.2f} {other}", flush=True
    )


def _show_usage(figures: Figures, name: str, found: Usage) -> None:
    figures.add(f"{name}: RSS (MiB)", found.resident)
    figures.add(f"{name}: RSS, peak (MiB)", found.peak)
    figures.add(f"{name}: CPU (s)", found.cpu)


if __name__ == "__main__":
    main()
