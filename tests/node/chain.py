"""A whole cluster around the guest: scheduler, numagate's controller, webhooks and agent, as they are installed."""

from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import ExitStack
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import yaml
from controlplane import numagate_api
from controlplane.cluster import ControlPlane
from controlplane.identity import SCHEDULER
from controlplane.process import Daemon
from controlplane.process import until
from controlplane.replicas import controller
from controlplane.replicas import serving
from controlplane.replicas import snapshot_text
from controlplane.service import numagate
from controlplane.service import registered
from node.guest import HOST
from node.guest import SERVICE
from node.guest import Guest
from node.image import OWN_IMAGE

from webhook.sources.snapshot_reader import Reader

API = "/apis/numagate.io/v1alpha1"
AGENTS_NAMESPACE = "numagate-agent"
AGENTS = f"/api/v1/namespaces/{AGENTS_NAMESPACE}/pods"
IMPORT_SECONDS = 900
AGENT_SECONDS = 900
TYPE = "numagate.io/Aligned"

POLICY = {
    "apiVersion": "numagate.io/v1alpha1",
    "kind": "AlignmentPolicy",
    "metadata": {"name": "default"},
    "spec": {
        "governs": "accelerators",
        # There is only one node, and its word is to count.
        "minReportingNodes": 1,
        "verification": {"readinessGate": True, "settleSeconds": 1},
    },
}


def import_image(guest: Guest) -> None:
    """Give numagate's image to the container runtime."""
    imported = "ctr -n k8s.io images import /images/numagate.tar > /dev/null"
    guest.run(f"{imported}\nctr -n k8s.io images list -q | grep -F {OWN_IMAGE}", seconds=IMPORT_SECONDS)


def forward(guest: Guest, cluster: ControlPlane) -> None:
    """Let pods reach the API server at the address of its Service, which is kube-proxy's work elsewhere."""
    port = urlsplit(cluster.url).port
    guest.run(
        f"ip addr add {SERVICE}/32 dev lo\nsetsid nc -ll -p 443 -e nc {HOST} {port} > /dev/null 2>&1 < /dev/null &\n"
    )


@contextmanager
def scheduler(cluster: ControlPlane, program: Path) -> Iterator[None]:
    """Run the real scheduler for the time of a `with` block."""
    command = [str(program), f"--kubeconfig={cluster.kubeconfig(SCHEDULER)}", "--leader-elect=false", "--secure-port=0"]
    daemon = Daemon("kube-scheduler", command, folder=cluster.folder, env=cluster.environment())
    cluster.daemons.append(daemon)
    try:
        yield
    finally:
        cluster.daemons.remove(daemon)
        daemon.stop()


@contextmanager
def installed(cluster: ControlPlane, certificates: Path, folders: Sequence[str]) -> Iterator[None]:
    """Install numagate: a controller and a replica as processes, the agents as their DaemonSet.

    The API server asks numagate from the moment on that it knows the node by its agent. `folders` of the guest's root
    hold the files of numagate's image.
    """
    apply(cluster, numagate_api.objects())
    cluster.kubectl("wait", "--for=condition=Established", "customresourcedefinitions", "--all")
    apply(cluster, [*agent_objects(folders), POLICY])
    with ExitStack() as stack:
        # Or the next test's node gets one, too.
        stack.callback(cluster.kubectl, "delete", "daemonsets", "--all", "--namespace", AGENTS_NAMESPACE)
        stack.enter_context(controller(cluster, certificates)).until_ready()
        replica = stack.enter_context(serving(cluster, certificates)).until_ready()
        until(lambda: is_known(cluster), seconds=AGENT_SECONDS, what="what the agent says of its node in the snapshot")
        stack.enter_context(registered(cluster, replica))
        yield


def agent_objects(folders: Sequence[str]) -> list[dict[str, Any]]:
    """Answer what is rendered for agents; their pods mount the files of their image, which is empty here.

    And they may take longer to start: the guest is slow.
    """
    items = list(yaml.safe_load_all(numagate("manifests", "--overlay", "agent")))
    (spec,) = [one["spec"]["template"]["spec"] for one in items if one["kind"] == "DaemonSet"]
    spec["containers"][0]["startupProbe"]["failureThreshold"] = 300
    for folder in folders:
        spec["volumes"].append({"name": f"image-{folder}", "hostPath": {"path": f"/{folder}", "type": "Directory"}})
        spec["containers"][0]["volumeMounts"].append(
            {"name": f"image-{folder}", "mountPath": f"/{folder}", "readOnly": True}
        )
    return items


def apply(cluster: ControlPlane, items: list[dict[str, Any]]) -> None:
    """Apply objects as an installation does."""
    cluster.kubectl("apply", "--server-side", "-f", "-", input={"apiVersion": "v1", "kind": "List", "items": items})


def is_known(cluster: ControlPlane) -> bool:
    """Tell whether the snapshot has a class that is trusted and verified, so that pods get the gate."""
    text = snapshot_text(cluster)
    if not text:
        return False
    world = Reader().read(text.encode(), "the cluster")
    return any(one.nodes and one.trusted and one.verified for one in world.classes)


class Agent:
    """The agent's pod on the node."""

    def __init__(self, cluster: ControlPlane, guest: Guest) -> None:
        (pod,) = cluster.request("GET", AGENTS).body["items"]
        self.guest = guest
        self.address: str = pod["status"]["podIP"]

    def looks(self) -> int:
        """Answer how often it has looked."""
        said = self.guest.run(f"wget -qO- http://{self.address}:8081/metrics | grep numagate_agent_look_seconds_count")
        return int(float(said.split()[-1]))

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Stop it for the time of a `with` block; it does not notice."""
        self._signal("STOP")
        try:
            yield
        finally:
            self._signal("CONT")

    def _signal(self, name: str) -> None:
        # The looker of other tests is no agent.
        self.guest.run(f"for pid in $(pgrep -f 'verify --watch'); do kill -{name} $pid; done")


def condition(cluster: ControlPlane, path: str, kind: str) -> dict[str, Any]:
    """Answer a condition of an object, empty where it has none."""
    answer = cluster.request("GET", path)
    assert answer.status == httpx.codes.OK, answer.body
    found: dict[str, Any] = next(
        (one for one in answer.body["status"].get("conditions", ()) if one["type"] == kind), {}
    )
    return found
