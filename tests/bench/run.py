"""Measures decisions, the simulated kubelet, the service and the start-up of lint; `--keep` keeps the figures."""

import argparse
import http.client
import json
import ssl
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.decisions import MIB
from bench.decisions import PLAIN
from bench.decisions import decisions
from bench.decisions import hostile
from bench.placements import placements
from bench.timing import KEPT
from bench.timing import ROUNDS
from bench.timing import Table
from builders import container
from builders import equal
from builders import pod
from controlplane.service import WebhookService

BARE = "python -c pass"


def main() -> None:
    """Run every measurement and print one line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", action="store_true", help=f"write the medians to {KEPT.name}")
    arguments = parser.parse_args()
    table = Table()
    decisions(table)
    hostile(table)
    placements(table)
    service(table)
    start_up(table)
    if arguments.keep:
        table.keep()


def service(table: Table) -> None:
    """Ask the real service over TLS, one request after the other."""
    bodies = {
        "review of a 2-GPU pod": _body(PLAIN),
        "review of 3 MiB": _body(pod(container(**equal(), env=[{"name": "A", "value": "x" * (3 * MIB)}]))),
    }
    table.head("service over TLS, one kept-alive connection")
    with WebhookService(arguments=("--profile", "generic-2x4")) as running:
        context = ssl.create_default_context(cafile=str(running.ca))
        host, port = running.url.removeprefix("https://").split(":")
        for name, body in bodies.items():
            connection = http.client.HTTPSConnection(host, int(port), context=context, timeout=30)
            table.add(name, partial(_post, connection, body), rounds=ROUNDS if len(body) < MIB else 20)
            connection.close()


def start_up(table: Table) -> None:
    """Start Python alone, then `numagate lint` on one small file."""
    table.head("start-up of a process")
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        json.dump(pod(), file)
        file.flush()
        bare = table.add(BARE, partial(_run, [sys.executable, "-c", "pass"]), rounds=10)
        lint = [sys.executable, "-m", "webhook", "lint", file.name]
        full = table.add("numagate lint, one pod", partial(_run, lint), rounds=10, than=BARE)
    print(f"{'difference':58}{(full - bare) / 1e3:>10.0f}ms")  # noqa: T201


def _body(obj: dict[str, Any]) -> bytes:
    kind = {"group": "", "version": "v1", "kind": "Pod"}
    asked = {"uid": "1", "kind": kind, "resource": {"group": "", "version": "v1", "resource": "pods"}, "object": obj}
    asked |= {"operation": "CREATE", "namespace": "team-a", "userInfo": {"username": "bench"}}
    return json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": asked}).encode()


def _post(connection: http.client.HTTPSConnection, body: bytes) -> None:
    connection.request("POST", "/validate?timeout=10s", body, {"Content-Type": "application/json"})
    response = connection.getresponse()
    if response.status != http.client.OK:
        msg = f"the service answered {response.status}"
        raise SystemExit(msg)
    response.read()


def _run(command: Iterable[str]) -> None:
    subprocess.run(list(command), check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
