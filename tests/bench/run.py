"""Measures the decision, the service and the start-up of lint; prints figures, and ratios within the same run."""

import http.client
import json
import ssl
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from builders import container
from builders import equal
from builders import mutating
from builders import pod
from builders import request
from builders import world
from controlplane.service import WebhookService

from webhook.domain.jsonpatch import apply
from webhook.engine.review import review
from webhook.engine.world import World
from webhook.sources.policy_file import load_profile

ROUNDS = 300
MIB = 1 << 20


def main() -> None:
    """Run every measurement and print one line for each."""
    print(f"{'decision (mutating + validating pass)':58}{'median':>10}{'p99':>10}")  # noqa: T201
    decisions()
    print(f"\n{'slow inputs, one decision':58}{'median':>10}{'p99':>10}")  # noqa: T201
    hostile()
    print(f"\n{'service over TLS, one kept-alive connection':58}{'median':>10}{'p99':>10}")  # noqa: T201
    service()
    print(f"\n{'start-up of a process':58}{'median':>10}")  # noqa: T201
    start_up()


def decisions() -> None:
    """Decide on a plain and on a crowded pod, on one to a hundred node classes."""
    base = load_profile("generic-2x4")
    plain = pod(container(**equal("16", "64Gi", 2)))
    crowded = pod(
        container(**equal("16", "64Gi", 2)),
        *(container(f"helper-{number}", requests={"cpu": "100m"}) for number in range(3)),
        init=(container("load"), container("proxy", restartPolicy="Always")),
    )
    first = 0.0
    for count in (1, 10, 100):
        known = world(*(replace(base, name=f"class-{number}") for number in range(count)))
        for name, obj in (("2 GPUs, one container", plain), ("six containers, to be repaired", crowded)):
            median = show(f"{name}, {count} node classes", times(partial(both, obj, known)))
            first = first or median
    print(f"{'last / first':58}{median / first:>9.1f}x")  # noqa: T201
    for machine in ("dgx-a100", "gb200-tray-numa"):
        show(f"2 GPUs on {machine}", times(partial(both, plain, world(machine=machine))))


def hostile() -> None:
    """Decide on objects that are meant to cost time."""
    known = world()
    inputs = {
        "cpu 1e1000000": pod(container(limits={"cpu": "1e1000000", "memory": "1Gi", "nvidia.com/gpu": "1"})),
        "cpu of 1 MB of digits": pod(container(limits={"cpu": "9" * MIB, "nvidia.com/gpu": "1"})),
        "1000 containers": pod(*(container(f"c{number}", **equal("2", "1Gi", 1)) for number in range(1000))),
        "1000 resource names": pod(container(limits={f"example.com/r{number}": "1" for number in range(1000)})),
        "64 KiB of limit-ranger annotation": pod(
            container(**equal()), annotations={"kubernetes.io/limit-ranger": "cpu, " * 13_000}
        ),
    }
    for name, obj in inputs.items():
        show(name, times(partial(review, request(obj), known), rounds=20))


def service() -> None:
    """Ask the real service over TLS, one request after the other."""
    bodies = {
        "review of a 2-GPU pod": _body(pod(container(**equal("16", "64Gi", 2)))),
        "review of 3 MiB": _body(pod(container(**equal(), env=[{"name": "A", "value": "x" * (3 * MIB)}]))),
    }
    with WebhookService(arguments=("--profile", "generic-2x4")) as running:
        context = ssl.create_default_context(cafile=str(running.ca))
        host, port = running.url.removeprefix("https://").split(":")
        for name, body in bodies.items():
            connection = http.client.HTTPSConnection(host, int(port), context=context, timeout=30)
            show(name, times(partial(_post, connection, body), rounds=ROUNDS if len(body) < MIB else 20))
            connection.close()


def start_up() -> None:
    """Start Python alone, then `numagate lint` on one small file."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        json.dump(pod(), file)
        file.flush()
        bare = show("python -c pass", times(partial(_run, [sys.executable, "-c", "pass"]), rounds=10))
        lint = [sys.executable, "-m", "webhook", "lint", file.name]
        full = show("numagate lint, one pod", times(partial(_run, lint), rounds=10))
    print(f"{'difference':58}{(full - bare) * 1e3:>8.0f}ms")  # noqa: T201


def times(run: Callable[[], object], rounds: int = ROUNDS) -> list[float]:
    """Time `run` after two warm-up rounds, in seconds."""
    run()
    run()
    measured = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        measured.append(time.perf_counter() - start)
    return sorted(measured)


def show(name: str, measured: list[float]) -> float:
    """Print median and 99th percentile in milliseconds and answer the median in seconds."""
    median = statistics.median(measured)
    p99 = measured[min(len(measured) - 1, len(measured) * 99 // 100)]
    print(f"{name:58}{median * 1e3:>8.3f}ms{p99 * 1e3:>8.3f}ms")  # noqa: T201
    return median


def both(obj: dict[str, Any], known: World) -> None:
    """Decide in both passes: the validating one sees what the mutating one made."""
    patched = apply(obj, review(mutating(obj), known).patch)
    if isinstance(patched, dict):
        review(request(patched), known)


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
