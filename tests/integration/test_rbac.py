"""What the service accounts may do, as a real API server lists it, and that it is enough."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from controlplane.cluster import ControlPlane
from controlplane.process import until

from webhook.manifests.choices import read_settings
from webhook.manifests.overlays import flat

OWN = "numagate-system"
SERVER = f"system:serviceaccount:{OWN}:numagate"
CONTROLLER = f"system:serviceaccount:{OWN}:numagate-controller"
AGENT = "system:serviceaccount:numagate-agent:numagate-agent"

EVERYBODY = {
    "selfsubjectreviews.authentication.k8s.io: create",
    "selfsubjectaccessreviews.authorization.k8s.io: create",
    "selfsubjectrulesreviews.authorization.k8s.io: create",
    "clustertrustbundles.certificates.k8s.io: get list watch",
    "/.well-known/openid-configuration: get",
    "/.well-known/openid-configuration/: get",
    "/api: get",
    "/api/*: get",
    "/apis: get",
    "/apis/*: get",
    "/healthz: get",
    "/livez: get",
    "/openapi: get",
    "/openapi/*: get",
    "/openid/v1/jwks: get",
    "/openid/v1/jwks/: get",
    "/readyz: get",
    "/version: get",
    "/version/: get",
}
"""What every service account of a cluster may do without being given anything."""

GOLDEN = {
    (SERVER, OWN): {"configmaps/numagate-world: get watch"},
    (SERVER, "default"): set(),
    (CONTROLLER, OWN): {
        "configmaps/numagate-world: create get patch watch",
        "leases.coordination.k8s.io/numagate-controller: create get update",
        "secrets/numagate-tls: create get patch update watch",
    },
    (CONTROLLER, "default"): set(),
    (AGENT, OWN): {"configmaps/numagate-world: get"},
    (AGENT, "default"): set(),
}
EVERYWHERE = {
    SERVER: set(),
    AGENT: {
        "pods: list watch",
        "pods/status: patch",
        "events.events.k8s.io: create patch",
        "nodealignments.numagate.io: create patch",
    },
    CONTROLLER: {
        "nodes: list watch",
        "namespaces: list watch",
        "pods: list",
        "noderesourcetopologies.topology.node.k8s.io: list watch",
        "resourceslices.resource.k8s.io: list watch",
        "deviceclasses.resource.k8s.io: list watch",
        "alignmentpolicies.numagate.io: list watch",
        "nodeprofiles.numagate.io: list watch",
        "nodealignments.numagate.io: list watch",
        "alignmentpolicies.numagate.io/status: patch",
        "nodeprofiles.numagate.io/status: patch",
        "mutatingwebhookconfigurations.admissionregistration.k8s.io/numagate: get patch",
        "validatingwebhookconfigurations.admissionregistration.k8s.io/numagate: get patch",
    },
}


@pytest.fixture(scope="module")
def cluster(programs: dict[str, Path]) -> Iterator[ControlPlane]:
    """Run an API server that has the rights of the rendering."""
    made = [item for name in ("observe", "agent") for item in flat(read_settings(), name)]
    items = [item for item in made if item["apiVersion"].startswith("rbac.")]
    with ControlPlane(programs=programs, controllers=False) as running:
        running.create_namespace(OWN)
        running.kubectl("apply", "-f", "-", input={"apiVersion": "v1", "kind": "List", "items": items})
        until(lambda: len(may(running, AGENT, OWN)) > len(EVERYBODY), what="the rights")
        yield running


def may(cluster: ControlPlane, account: str, namespace: str) -> set[str]:
    """Read the list of `kubectl auth can-i`: one line for each resource, and the object's name where there is one."""
    listed = cluster.kubectl("auth", "can-i", "--list", f"--as={account}", f"--namespace={namespace}").stdout
    found = set()
    for line in listed.splitlines()[1:]:
        head, verbs = line.rstrip("]").rsplit("[", 1)
        resource, _, rest = head.partition("[")
        urls, names = (part.strip().strip("[]") for part in f"[{rest}".split("]", 1))
        places = [part for part in (resource.strip(), urls, names) if part]
        found.add(f"{'/'.join(places)}: {' '.join(sorted(verbs.split()))}")
    return found


@pytest.mark.parametrize(("account", "namespace"), list(GOLDEN))
def test_the_accounts_may_do_what_is_listed_here_and_nothing_else(
    cluster: ControlPlane, account: str, namespace: str
) -> None:
    expected = EVERYBODY | EVERYWHERE[account] | GOLDEN[account, namespace]

    assert may(cluster, account, namespace) == expected


def test_an_account_that_was_given_nothing_may_do_the_rest_of_the_list(cluster: ControlPlane) -> None:
    assert may(cluster, "system:serviceaccount:default:nobody", "default") == EVERYBODY


def world(name: str = "numagate-world") -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": OWN},
        "data": {"world.json": "{}"},
    }


def apply(cluster: ControlPlane, obj: dict[str, Any], account: str) -> int:
    return cluster.kubectl("apply", "--server-side", f"--as={account}", "-f", "-", input=obj, check=False).returncode


def test_the_controller_creates_the_snapshot_by_its_name_and_no_other_object(cluster: ControlPlane) -> None:
    done = [apply(cluster, world(name), CONTROLLER) for name in ("numagate-world", "numagate-world", "another")]

    assert done == [0, 0, 1]


def test_the_controller_creates_its_lease_by_its_name_and_no_other(cluster: ControlPlane) -> None:
    def put(name: str) -> int:
        lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": name, "namespace": OWN}}
        path = f"/apis/coordination.k8s.io/v1/namespaces/{OWN}/leases/{name}"
        arguments = ("replace", f"--as={CONTROLLER}", "--raw", path, "-f", "-")
        return cluster.kubectl(*arguments, input=lease, check=False).returncode

    assert [put("numagate-controller"), put("another")] == [0, 1]


def test_the_server_reads_the_snapshot_and_cannot_list(cluster: ControlPlane) -> None:
    cluster.kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", input=world())

    def read(*arguments: str) -> int:
        return cluster.kubectl("get", f"--as={SERVER}", f"--namespace={OWN}", *arguments, check=False).returncode

    assert (read("configmap", "numagate-world"), read("configmaps"), read("secrets")) == (0, 1, 1)
    watched = f"/api/v1/namespaces/{OWN}/configmaps?watch=1&timeoutSeconds=1"
    assert read("--raw", f"{watched}&fieldSelector=metadata.name=numagate-world") == 0
    assert read("--raw", watched) == 1
