"""Looks at the node that this runs on, once: its pods from the API server or a file, then what they really have."""

import argparse
import io
import re
import sys
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Final

from webhook.cli.verify.options import node_name
from webhook.cli.verify.options import roots
from webhook.domain.errors import InputError
from webhook.domain.errors import NumagateError
from webhook.domain.observation import Observation
from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.engine.verify import has_promise
from webhook.engine.world import World
from webhook.node.observe import cpu_times
from webhook.node.observe import observe

if TYPE_CHECKING:  # with a file nobody need pay for it
    from webhook.kube.client import Client

_LIST: Final = "List"
"""In the kind of a List, which may well be empty; a file without it has no objects at all."""
_WANTED: Final = "give the output of kubectl get pods -o json"
_MOST_HOMES: Final = 3
_VERSION: Final = re.compile(r"v?(\d{1,3})\.(\d{1,3})\.")


@dataclass(frozen=True, slots=True)
class Known:
    """What others say of the node: its pods, its kubelet's configuration at /configz and its version, or None."""

    pods: tuple[JsonObject, ...]
    configz: JsonObject | None = None
    version: tuple[int, int] | None = None


def look(arguments: argparse.Namespace, world: World) -> Observation:
    """Observe the node; of pods that the policies of `world` promise nothing, numa_maps are let alone.

    Raises:
        NumagateError: its pods cannot be read, or those that are given are other ones.
    """
    node = node_name(arguments)
    places = roots(arguments)
    known = _from_file(arguments, node) if arguments.pods else _from_cluster(arguments, node)
    since = None
    if arguments.interval:
        since = cpu_times(places)
        time.sleep(arguments.interval)
    return observe(
        places,
        known.pods,
        node=node,
        configz=known.configz,
        version=known.version,
        since=since,
        is_judged=partial(has_promise, world=world),
        complete=True,
    )


def _from_file(arguments: argparse.Namespace, node: str) -> Known:
    for option in ("kubeconfig", "context"):
        if getattr(arguments, option):
            message = f"with --pods no API server is asked: leave --{option} out, or --pods"
            raise NumagateError(message)
    pods = _read_pods(arguments.pods)
    homes = sorted({get_text(get_object(pod, "spec"), "nodeName") for pod in pods} - {""})
    if pods and node not in homes:
        more = f" and {len(homes) - _MOST_HOMES} more" if len(homes) > _MOST_HOMES else ""
        where = f"its pods are on {', '.join(homes[:_MOST_HOMES])}{more}" if homes else "its pods wait for a node"
        message = f'no pod of node "{node}" in {arguments.pods} ({where}): name it with --node'
        raise NumagateError(message)
    return Known(pods)


def _read_pods(file: str) -> tuple[JsonObject, ...]:
    from webhook.sources.manifests import STDIN  # noqa: PLC0415 - where the API server is asked, nobody pays
    from webhook.sources.manifests import read_manifests  # noqa: PLC0415 - as above
    from webhook.sources.manifests import read_text  # noqa: PLC0415 - as above

    # A pipe can be read once only, be it standard input or what a shell makes of <(kubectl ...).
    piped = sys.stdin.buffer.read() if file == STDIN else Path(file).read_bytes() if Path(file).is_fifo() else None
    name, stdin = (file if piped is None else STDIN), io.BytesIO(piped or b"")
    reading = read_manifests([name], stdin=stdin)
    if reading.errors:
        error = reading.errors[0]
        message = f"{error}: {_WANTED}" if error.line else str(error)
        raise NumagateError(message)
    stdin.seek(0)
    if not reading.manifests and _LIST not in read_text(name, stdin):
        message = f"it is empty: {_WANTED}"
        raise InputError(message, file=file)
    pods = tuple(one.content for one in reading.manifests if get_text(one.content, "kind") == "Pod")
    if reading.manifests and not pods:
        kind = get_text(reading.manifests[0].content, "kind") or "an object without a kind"
        message = f"Pods or a List of them were expected, not {kind}: {_WANTED}"
        raise InputError(message, file=file)
    return pods


def _from_cluster(arguments: argparse.Namespace, node: str) -> Known:
    """Ask the API server; the pods are needed, and the rest is read from files where it may not be seen."""
    from webhook.kube.connect import connect  # noqa: PLC0415 - with a file nobody need pay for it
    from webhook.kube.error import KubeError  # noqa: PLC0415 - as above
    from webhook.kube.listing import pages  # noqa: PLC0415 - as above

    try:
        client = connect(kubeconfig=arguments.kubeconfig, context=arguments.context, user="numagate-verify")
    except NumagateError as error:
        message = f"{error}; or give the node's pods by --pods"
        raise NumagateError(message) from None
    try:
        pods = tuple(pod for page, _ in pages(client, "/api/v1/pods", fields=f"spec.nodeName={node}") for pod in page)
    except KubeError as error:
        # A kubelet may list the pods of its own node only, and is told nothing of the name that it asked for.
        message = f'{error}; asked for those of node "{node}": name another with --node, or give its pods by --pods'
        raise NumagateError(message) from None
    seen = _try(client, f"/api/v1/nodes/{node}", absent="" if pods else f'no node "{node}" in the cluster')
    version = _VERSION.match(get_text(get_object(seen, "status", "nodeInfo"), "kubeletVersion"))
    return Known(
        pods=pods,
        configz=_try(client, f"/api/v1/nodes/{node}/proxy/configz"),
        version=(int(version[1]), int(version[2])) if version else None,
    )


def _try(client: "Client", path: str, *, absent: str = "") -> JsonObject | None:
    """Read an object, None where it may not be seen; where it does not exist, that may be an error (`absent`)."""
    from webhook.kube.client import Ask  # noqa: PLC0415 - as above
    from webhook.kube.error import KubeError  # noqa: PLC0415 - as above
    from webhook.kube.listing import read_object  # noqa: PLC0415 - as above

    try:
        return read_object(client.send(Ask(path=path)), path)
    except KubeError as error:
        if error.absent and absent:
            message = f"{absent}: name it with --node"
            raise NumagateError(message) from None
        return None
