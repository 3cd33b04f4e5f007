"""The agents' DaemonSet, as it is rendered: what it may and may not."""

from dataclasses import replace
from typing import Any

import pytest

from webhook.cli.main import parser
from webhook.manifests.agent import agent
from webhook.manifests.agent import daemon_set
from webhook.manifests.overlays import agents
from webhook.manifests.overlays import flat
from webhook.manifests.settings import Settings


@pytest.fixture
def pod(settings: Settings) -> dict[str, Any]:
    """Answer the spec of the pods."""
    made: Any = daemon_set(settings)
    found: dict[str, Any] = made["spec"]["template"]["spec"]
    return found


def of_kind(settings: Settings, kind: str) -> dict[str, Any]:
    """Answer the one object of a kind."""
    (found,) = [one for one in agent(settings) if one["kind"] == kind]
    return found


def test_it_sees_processes_of_the_host_and_nothing_else_of_it_is_its_own(pod: dict[str, Any]) -> None:
    assert {key for key in pod if key.startswith("host")} == {"hostPID"}


def test_it_has_two_capabilities_and_is_not_privileged(pod: dict[str, Any]) -> None:
    (container,) = pod["containers"]

    assert container["securityContext"] == {
        "runAsUser": 0,
        "runAsGroup": 0,
        "privileged": False,
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"], "add": ["DAC_READ_SEARCH", "SYS_PTRACE"]},
    }
    assert pod["securityContext"] == {"seccompProfile": {"type": "RuntimeDefault"}}


def test_it_writes_nothing_but_a_folder_in_memory(pod: dict[str, Any]) -> None:
    (container,) = pod["containers"]
    writable = {mount["name"] for mount in container["volumeMounts"] if not mount.get("readOnly")}
    paths = {volume["hostPath"]["path"] for volume in pod["volumes"] if "hostPath" in volume}

    assert [volume["emptyDir"]["medium"] for volume in pod["volumes"] if volume["name"] in writable] == ["Memory"]
    assert paths == {"/proc", "/sys", "/var/lib/kubelet"}


def test_volumes_that_the_host_unmounts_do_not_stay_mounted_here(pod: dict[str, Any]) -> None:
    (container,) = pod["containers"]
    (mount,) = [one for one in container["volumeMounts"] if one["name"] == "kubelet"]

    assert mount["mountPropagation"] == "HostToContainer"


def test_it_takes_no_core_of_the_pods_that_it_watches(pod: dict[str, Any]) -> None:
    (container,) = pod["containers"]
    resources = container["resources"]

    assert resources["requests"]["cpu"].endswith("m")
    assert resources["requests"] != resources["limits"]
    assert "cpu" not in resources["limits"]


def test_its_token_is_bound_to_its_pod_and_lasts_an_hour(settings: Settings, pod: dict[str, Any]) -> None:
    sources = [source for volume in pod["volumes"] for source in volume.get("projected", {}).get("sources", [])]

    assert {"serviceAccountToken": {"path": "token", "expirationSeconds": 3600}} in sources
    assert pod["automountServiceAccountToken"] is False
    assert of_kind(settings, "ServiceAccount")["automountServiceAccountToken"] is False


def test_its_namespace_is_its_own_and_says_what_its_pods_may(settings: Settings) -> None:
    namespace = of_kind(settings, "Namespace")["metadata"]
    places = {one["metadata"].get("namespace") for one in agent(settings)}

    assert namespace["name"] == "numagate-agent"
    assert namespace["labels"]["pod-security.kubernetes.io/enforce"] == "privileged"
    assert places == {None, "numagate-agent"}


def test_nobody_is_called_but_the_api_server(settings: Settings) -> None:
    policy = of_kind(replace(settings, api_servers=("10.0.0.1/32",)), "NetworkPolicy")["spec"]

    assert policy["egress"] == [{"to": [{"ipBlock": {"cidr": "10.0.0.1/32"}}]}]
    assert policy["ingress"] == [{"ports": [{"protocol": "TCP", "port": 8081}]}]


def test_its_arguments_are_those_of_the_command(pod: dict[str, Any]) -> None:
    (container,) = pod["containers"]

    read = parser().parse_args(container["args"])
    assert (read.watch, str(read.root), read.world_object) == (True, "/host", ("numagate-system", "numagate-world"))


def test_the_guard_is_there_before_whom_it_binds(settings: Settings) -> None:
    kinds = [one["kind"] for one in flat(settings, "agent")]

    assert kinds.index("ValidatingAdmissionPolicyBinding") < kinds.index("DaemonSet")
    assert list(agents(settings)) == ["guard.yaml", "agent.yaml", "rbac.yaml"]
