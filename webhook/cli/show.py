"""Plays API server: starts the real service, sends it the sample pods, prints what kubectl would show."""

import base64
import http.client
import json
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import contextmanager
from datetime import UTC
from datetime import datetime
from importlib import resources
from pathlib import Path

import yaml
from rich.console import Console
from rich.text import Text

from webhook.cli.drawing import terminal
from webhook.cli.drawing.boxes import LEGEND
from webhook.cli.drawing.boxes import boxes
from webhook.cli.drawing.wording import letter
from webhook.cli.drawing.wording import placed
from webhook.domain.drawing import draw
from webhook.domain.errors import NumagateError
from webhook.domain.facts import read
from webhook.domain.jsonpatch import Operation
from webhook.domain.jsonpatch import apply
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.raw import get_texts
from webhook.engine.subject import gather
from webhook.sources.policy_file import load_policy
from webhook.sources.policy_file import load_profile
from webhook.tls import files
from webhook.tls.folder import issue_into
from webhook.tls.issue import service_names

SAMPLES = ("aligned", "repairable", "eight-gpus", "bad-sidecar")
RESOURCE = "nvidia.com/gpu"
LOOPBACK = "127.0.0.1"
START_SECONDS = 30.0
_VALIDATOR = "pods.validate.numagate.io"


def run(machine: str, folder: Path) -> None:
    """Run the whole demonstration in `folder`, which is thrown away afterwards.

    Raises:
        NumagateError: the machine is not known or has no such accelerators, or the service does not start.
    """
    console = Console(highlight=False)
    if RESOURCE not in load_profile(machine).devices:
        msg = f"the samples ask for {RESOURCE}, which {machine} has not: choose another with --machine"
        raise NumagateError(msg)
    console.print(f"[bold]numagate demo[/]: a TLS service on {LOOPBACK}, four pods, node class {machine}\n")
    issue_into(folder, service_names("numagate", "numagate-system", addresses=[LOOPBACK]), now=datetime.now(UTC))
    with _service(machine, folder) as port:
        console.print(f"service ready on https://{LOOPBACK}:{port}\n")
        context = ssl.create_default_context(cafile=str(folder / files.CA_CERTIFICATE))
        connection = http.client.HTTPSConnection(LOOPBACK, port, context=context, timeout=10)
        for sample in SAMPLES:
            _apply(console, connection, sample)
        connection.close()
    _picture(console, machine)


@contextmanager
def _service(machine: str, folder: Path) -> Iterator[int]:
    """Run `numagate serve` until the block ends; yields its TLS port once it is ready."""
    port, probe_port = _free_ports(2)
    log = (folder / "service.log").open("wb")
    command = [sys.executable, "-m", "webhook", "serve", "--bind", LOOPBACK, "--port", str(port)]
    command += [
        "--probe-port",
        str(probe_port),
        "--cert-dir",
        str(folder),
        "--profile",
        machine,
        "--drain-seconds",
        "0",
    ]
    process = subprocess.Popen(command, stdout=log, stderr=log)  # noqa: S603 - our own program
    try:
        _await_ready(process, probe_port, folder / "service.log")
        yield port
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        log.close()


def _await_ready(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        connection = http.client.HTTPConnection(LOOPBACK, port, timeout=1)
        try:
            connection.request("GET", "/readyz")
            if connection.getresponse().status == http.client.OK:
                return
        except OSError:
            pass
        finally:
            connection.close()
        time.sleep(0.05)
    tail = log.read_text(errors="replace").strip().splitlines()[-1:]
    msg = f"the service did not become ready: {tail[0] if tail else 'it wrote nothing'}"
    raise NumagateError(msg)


def _free_ports(count: int) -> list[int]:
    sockets = [socket.create_server((LOOPBACK, 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def _apply(console: Console, connection: http.client.HTTPSConnection, sample: str) -> None:
    """Send one sample through both passes, as the API server would, and print kubectl's words."""
    text = _sample_text(sample)
    pod = as_object(yaml.safe_load(text))
    console.print(Text(text.splitlines()[0], style="dim"), soft_wrap=True)
    console.print(Text(f"$ kubectl apply -f {sample}.yaml", style="bold"), soft_wrap=True)
    mutated = _send(connection, "/mutate", pod)
    for operation in _operations(mutated):
        pod = as_object(apply(pod, [operation]))
    validated = _send(connection, "/validate", pod)
    for warning in (*get_texts(mutated, "warnings"), *get_texts(validated, "warnings")):
        console.print(Text(f"Warning: {warning}", style="yellow"), soft_wrap=True)
    name = get_text(get_object(pod, "metadata"), "name")
    if validated.get("allowed") is True:
        console.print(Text(f"pod/{name} created", style="green"), soft_wrap=True)
        for section in ("labels", "annotations"):
            for key, value in get_object(pod, "metadata", section).items():
                console.print(Text(f"  {key}: {value}", style="dim"), soft_wrap=True)
    else:
        message = get_text(get_object(validated, "status"), "message")
        denial = f'admission webhook "{_VALIDATOR}" denied the request: {message}'
        where = f'error when creating "{sample}.yaml"'
        console.print(Text(f"Error from server (Forbidden): {where}: {denial}", style="red"), soft_wrap=True)
    console.print()


def _send(connection: http.client.HTTPSConnection, path: str, pod: JsonObject) -> JsonObject:
    body = {
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": {
            "uid": "00000000-0000-0000-0000-000000000001",
            "kind": {"group": "", "version": "v1", "kind": "Pod"},
            "resource": {"group": "", "version": "v1", "resource": "pods"},
            "operation": "CREATE",
            "namespace": get_text(get_object(pod, "metadata"), "namespace"),
            "name": get_text(get_object(pod, "metadata"), "name"),
            "userInfo": {"username": "demo"},
            "object": pod,
        },
    }
    connection.request("POST", f"{path}?timeout=5s", json.dumps(body), {"Content-Type": "application/json"})
    return get_object(json.loads(connection.getresponse().read()), "response")


def _operations(response: JsonObject) -> Iterator[Operation]:
    patch: object = json.loads(base64.b64decode(get_text(response, "patch"))) if response.get("patch") else []
    for item in get_list({"patch": patch}, "patch"):
        fields: Mapping[str, object] = as_object(item)
        yield Operation(get_text(fields, "op"), get_text(fields, "path"), fields.get("value"))


def _picture(console: Console, machine: str) -> None:
    """Draw where the first sample lands on an empty node."""
    pod = read(as_object(yaml.safe_load(_sample_text(SAMPLES[0]))))
    fits = gather(pod, load_policy().policy, (load_profile(machine),)).fits
    console.print(Text(f"Where {SAMPLES[0]}.yaml lands on an empty node of {machine}:", style="bold"), soft_wrap=True)
    placements = fits[0].admission.placements
    terminal.write(boxes(draw(fits[0].node_class, fits[0].admission), console.width), sys.stdout)
    for index, placement in enumerate(placements):
        console.print(
            f"{letter(index)} {placement.container}: {'; '.join(placed(placement))}", markup=False, soft_wrap=True
        )
    console.print(LEGEND)


def _sample_text(sample: str) -> str:
    return (resources.files("webhook") / "data" / "samples" / f"{sample}.yaml").read_text(encoding="utf-8")
