"""Looks at the node that this runs on, once: its pods from the API server or a file, then what they really have."""

import argparse
import re
import sys
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING
from typing import Final

from webhook.cli.verify.options import node_name
from webhook.cli.verify.options import roots
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
        NumagateError: its pods cannot be read.
    """
    node = node_name(arguments)
    places = roots(arguments)
    known = _from_file(arguments.pods) if arguments.pods else _from_cluster(arguments, node)
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
        reads_memory=partial(has_promise, world=world),
    )


def _from_file(file: str) -> Known:
    from webhook.sources.manifests import read_manifests  # noqa: PLC0415 - where the API server is asked, nobody pays

    reading = read_manifests([file], stdin=sys.stdin.buffer)
    if reading.errors:
        raise NumagateError(str(reading.errors[0]))
    return Known(tuple(one.content for one in reading.manifests if get_text(one.content, "kind") == "Pod"))


def _from_cluster(arguments: argparse.Namespace, node: str) -> Known:
    """Ask the API server; the pods are needed, and the rest is read from files where it may not be seen."""
    from webhook.kube.connect import connect  # noqa: PLC0415 - with a file nobody need pay for it
    from webhook.kube.listing import pages  # noqa: PLC0415 - as above

    client = connect(kubeconfig=arguments.kubeconfig, context=arguments.context, user="numagate-verify")
    pods = tuple(pod for page, _ in pages(client, "/api/v1/pods", fields=f"spec.nodeName={node}") for pod in page)
    seen = _try(client, f"/api/v1/nodes/{node}")
    version = _VERSION.match(get_text(get_object(seen, "status", "nodeInfo"), "kubeletVersion"))
    return Known(
        pods=pods,
        configz=_try(client, f"/api/v1/nodes/{node}/proxy/configz"),
        version=(int(version[1]), int(version[2])) if version else None,
    )


def _try(client: "Client", path: str) -> JsonObject | None:
    from webhook.kube.client import Ask  # noqa: PLC0415 - as above
    from webhook.kube.error import KubeError  # noqa: PLC0415 - as above
    from webhook.kube.listing import read_object  # noqa: PLC0415 - as above

    try:
        return read_object(client.send(Ask(path=path)), path)
    except KubeError:
        return None
