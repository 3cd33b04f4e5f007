"""Measures numagate beside other webhooks; `--peers` adds Kyverno and Gatekeeper, `--keep` keeps the figures."""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench import wrk
from bench.compare import Figures
from bench.compare import Goal
from bench.compare import compare
from bench.compare import kept_figures
from bench.compare import show_goals
from bench.creates import ALONE
from bench.creates import Added
from bench.creates import create_namespaces
from bench.creates import creates
from bench.creates import in_tree
from bench.creates import register
from bench.creates import register_ours
from bench.creates import show_creates
from bench.creates import until_at_work
from bench.peers.gatekeeper import gatekeeper
from bench.peers.kyverno import kyverno
from bench.timing import keep
from bench.webhooks import BARE
from bench.webhooks import NO_OP
from bench.webhooks import NUMAGATE
from bench.webhooks import bare
from bench.webhooks import floor
from bench.webhooks import ours
from controlplane import build
from controlplane.cluster import ControlPlane

CEL = "API server's CEL policy"
KYVERNO = "Kyverno"
GATEKEEPER = "Gatekeeper"
RESIDENT = 128.0
"""MiB that a serving replica may take."""


def main() -> None:
    """Run the comparison and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", action="store_true", help="with Kyverno and Gatekeeper (the first time: built)")
    parser.add_argument("--keep", action="store_true", help="write the medians to figures.json")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="numagate-bench-")))
        print(f"{os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}")  # noqa: T201
        wrk.provide()
        cluster = stack.enter_context(ControlPlane(programs=build.provide(), controllers=False))
        others = (KYVERNO, GATEKEEPER) if arguments.peers else ()
        create_namespaces(cluster, (CEL, NO_OP, BARE, *others, NUMAGATE))
        in_tree(cluster, CEL)
        webhooks = [stack.enter_context(floor(folder / "floor")), stack.enter_context(bare(folder / "bare"))]
        if arguments.peers:
            webhooks.append(stack.enter_context(kyverno(cluster, folder / "kyverno", name=KYVERNO)))
            webhooks.append(stack.enter_context(gatekeeper(cluster, folder / "gatekeeper", name=GATEKEEPER)))
        own, service = stack.enter_context(ours())
        for webhook in webhooks:
            if webhook.name != KYVERNO:  # which registers itself
                register(cluster, webhook)
        register_ours(cluster, service, NUMAGATE)
        loaded = compare([*webhooks, own], folder)
        until_at_work(cluster, (CEL, *others, NUMAGATE))
        created = creates(cluster, (CEL, *(one.name for one in webhooks), NUMAGATE))
    show_creates(created)
    show_goals(goals(loaded, created))
    if arguments.keep:
        keep("peers" if arguments.peers else "webhooks", _kept(loaded, created))


def goals(loaded: Mapping[str, Figures], created: Mapping[str, Added]) -> Iterator[Goal]:
    """Yield what the project promises, as far as its peers were measured in this run."""
    own, plain = loaded[NUMAGATE], loaded[BARE]
    yield Goal("numagate: RSS (MiB)", own.resident, RESIDENT)
    yield Goal("p50 at 1, of that of bare FastAPI", own.p50 / plain.p50, 1.25)
    yield Goal("requests a second, of those of bare FastAPI", own.rate / plain.rate, 0.8, least=True)
    if KYVERNO in loaded:
        peer = loaded[KYVERNO]
        yield Goal("p50 at 1, of that of Kyverno", own.p50 / peer.p50, 1)
        yield Goal("p99 at 16, of that of Kyverno", own.p99 / peer.p99, 0.5)
        yield Goal("requests a second, of those of Kyverno", own.rate / peer.rate, 0.8, least=True)
        passes = "both passes' addition to a creation, of that of Kyverno's one"
        yield Goal(passes, created[NUMAGATE].added / created[KYVERNO].added, 1)
    if GATEKEEPER in loaded:
        yield Goal("requests a second, of those of Gatekeeper", own.rate / loaded[GATEKEEPER].rate, 1, least=True)


def _kept(loaded: Mapping[str, Figures], created: Mapping[str, Added]) -> dict[str, float]:
    added = {f"{name}: added to a creation (ms)": round(one.added, 2) for name, one in created.items() if name != ALONE}
    return {**kept_figures(loaded), "creation of a pod (ms)": round(created[ALONE].median, 2), **added}


if __name__ == "__main__":
    main()
