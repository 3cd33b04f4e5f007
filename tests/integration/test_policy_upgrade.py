"""From a file policy to objects and back: the commands of docs/operations.md, run as they are written there."""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from controlplane.cluster import ControlPlane
from controlplane.service import NUMAGATE
from controlplane.service import numagate

from webhook.sources.policy_file import parse_stream

OPERATIONS = (Path(__file__).parents[2] / "docs" / "operations.md").read_text(encoding="utf-8")
README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
IMAGE = "registry.example/numagate:1"
SYSTEM = ("--namespace", "numagate-system")
POLICY = """\
apiVersion: numagate.io/v1alpha1
kind: AlignmentPolicy
metadata: {name: production}
spec:
  modes: {enforce: exclusive}
  recognition: {labels: {ray.io/serve: null}}
  repair: {headroom: {cpu: 2, memory: 8Gi}}
---
apiVersion: numagate.io/v1alpha1
kind: NodeProfile
metadata: {name: h100}
spec:
  machine: dgx-h100
  selector: {matchLabels: {pool: h100}}
"""


@pytest.fixture
def cluster(programs: dict[str, Path]) -> Iterator[ControlPlane]:
    """Run an API server of our own, without kubelets: Deployments are only written."""
    with ControlPlane(programs=programs, controllers=False) as running:
        yield running


def blocks(page: str, heading: str) -> list[str]:
    """Answer the commands of one section, but for those that wait for pods or need a registry."""
    section = page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    found = re.findall(r"```console\n(.*?)```", section, flags=re.DOTALL)
    skipped = ("rollout status", "make setup", "make image", "export IMAGE")
    return [
        "".join(f"{line}\n" for line in one.splitlines() if not any(map(line.__contains__, skipped))) for one in found
    ]


def run(cluster: ControlPlane, folder: Path, commands: str) -> str:
    """Run commands in bash, in `folder`, as an administrator of the cluster; answer what they print."""
    search = os.pathsep.join([str(cluster.programs["kubectl"].parent), str(NUMAGATE.parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": search, "KUBECONFIG": str(cluster.kubeconfig()), "IMAGE": IMAGE}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"{commands}\n{done.stdout}{done.stderr}"
    return done.stdout


def server(cluster: ControlPlane) -> dict[str, Any]:
    path = "/apis/apps/v1/namespaces/numagate-system/deployments/numagate"
    found: dict[str, Any] = cluster.request("GET", path).body["spec"]["template"]["spec"]
    return found


def told(cluster: ControlPlane) -> list[str]:
    """Answer where the serving pods have their policy from, and which volumes they mount."""
    spec = server(cluster)
    return [spec["containers"][0]["args"][1], *sorted(volume["name"] for volume in spec["volumes"])]


def names(cluster: ControlPlane, kinds: str) -> list[str]:
    return sorted(cluster.kubectl("get", kinds, *SYSTEM, "-o", "name", "--ignore-not-found").stdout.split())


FILE = ["--policy=/etc/numagate/policy/policy.yaml", "policy", "tls", "tmp"]
OBJECTS = ["--world-object=numagate-system/numagate-world", "api-access", "tls", "tmp"]
OWN_KINDS = "deployments,serviceaccounts,roles,rolebindings,networkpolicies,services,poddisruptionbudgets"


def test_a_file_becomes_objects_and_the_objects_a_file_again(cluster: ControlPlane, tmp_path: Path) -> None:
    forth, back = blocks(OPERATIONS, "Upgrade from a file policy to objects, and back")
    (tmp_path / "policy.yaml").write_text(POLICY)
    numagate("certs", "issue", cwd=tmp_path)
    options = ["--policy", "policy.yaml", "--image", IMAGE, "--ca-bundle", "certs/ca.crt"]
    cluster.kubectl(
        "apply", "-f", "-", input=numagate("manifests", "--overlay", "enforce-file", *options, cwd=tmp_path)
    )
    before = names(cluster, OWN_KINDS)
    assert told(cluster) == FILE

    run(cluster, tmp_path, forth)

    assert told(cluster) == OBJECTS
    assert "deployment.apps/numagate-controller" in names(cluster, OWN_KINDS)
    assert names(cluster, "configmaps") == []
    assert names(cluster, "alignmentpolicies,nodeprofiles") == [
        "alignmentpolicy.numagate.io/production",
        "nodeprofile.numagate.io/h100",
    ]
    cluster.kubectl(
        *("patch", "alignpol", "production", "--subresource=status", "--type=merge", "-p"),
        '{"status":{"observedGeneration":1}}',
    )

    run(cluster, tmp_path, back)

    assert told(cluster) == FILE
    assert names(cluster, OWN_KINDS) == before
    assert names(cluster, "crds") == []
    mounted = cluster.request("GET", "/api/v1/namespaces/numagate-system/configmaps/numagate-policy").body["data"]
    # The generation of a policy names what it says, and the node classes beside it.
    assert parse_stream(mounted["policy.yaml"], "mounted").policies == parse_stream(POLICY, "first").policies


def test_the_steps_of_the_readme_install_a_policy_that_observes(cluster: ControlPlane, tmp_path: Path) -> None:
    (install,) = blocks(README, "Install on a cluster, in five minutes")

    run(cluster, tmp_path, install)

    policy = cluster.request("GET", "/apis/numagate.io/v1alpha1/alignmentpolicies/default").body
    assert policy["spec"]["modes"]["enforce"] == "none"
    assert told(cluster) == OBJECTS


def test_the_overlays_can_be_applied_from_a_checkout(cluster: ControlPlane) -> None:
    commands = blocks(OPERATIONS, "What is installed")[0].partition("\n\n")[0]

    run(cluster, Path(__file__).parents[2], commands)

    assert names(cluster, "alignmentpolicies") == ["alignmentpolicy.numagate.io/default"]
