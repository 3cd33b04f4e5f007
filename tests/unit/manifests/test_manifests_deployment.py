"""The Deployment: locked down, spread, and ended without dropping a request."""

import argparse
from dataclasses import replace
from typing import Any

import pytest

from webhook.cli.main import parser
from webhook.manifests.deployment import deployment
from webhook.manifests.overlays import flat
from webhook.manifests.settings import Settings
from webhook.manifests.settings import Source
from webhook.server.world_watch import JOIN_SECONDS
from webhook.web.listener import GRACEFUL_SECONDS
from webhook.web.ports import PROBES_SECONDS
from webhook.web.protocol import RECEIVE_SECONDS


@pytest.fixture(params=Source, ids=[source.value for source in Source])
def source(request: pytest.FixtureRequest) -> Source:
    """Answer each source of the policy in turn."""
    return request.param


@pytest.fixture
def pod(settings: Settings, source: Source) -> dict[str, Any]:
    """Answer the pod spec of the Deployment."""
    return deployment(settings, source)["spec"]["template"]["spec"]


@pytest.fixture
def container(pod: dict[str, Any]) -> dict[str, Any]:
    """Answer its one container."""
    (only,) = pod["containers"]
    return only


def test_three_replicas_are_replaced_one_by_one_without_a_gap(settings: Settings) -> None:
    spec = deployment(settings)["spec"]

    assert (spec["replicas"], spec["strategy"]["rollingUpdate"]) == (3, {"maxSurge": 1, "maxUnavailable": 0})


def test_the_selector_is_the_label_of_the_pods(settings: Settings) -> None:
    spec = deployment(settings)["spec"]

    assert spec["selector"]["matchLabels"] == spec["template"]["metadata"]["labels"]


@pytest.fixture
def arguments(container: dict[str, Any]) -> argparse.Namespace:
    """Answer what the program makes of its arguments."""
    return parser().parse_args(container["args"])


def test_the_program_takes_the_arguments_it_is_given(arguments: argparse.Namespace) -> None:
    assert str(arguments.cert_dir) == "/etc/numagate/tls"
    assert arguments.namespace == "numagate-system"


def test_the_program_is_told_one_source_of_its_policy(arguments: argparse.Namespace, source: Source) -> None:
    policy = None if arguments.policy is None else str(arguments.policy)

    assert (policy, arguments.world_object) == {
        Source.FILE: ("/etc/numagate/policy/policy.yaml", None),
        Source.OBJECTS: (None, ("numagate-system", "numagate-world")),
    }[source]


def test_the_ports_are_those_the_program_listens_on(container: dict[str, Any], arguments: argparse.Namespace) -> None:

    assert {port["name"]: port["containerPort"] for port in container["ports"]} == {
        "https": arguments.port,
        "probes": arguments.probe_port,
    }


def test_there_is_time_to_drain(pod: dict[str, Any], container: dict[str, Any], arguments: argparse.Namespace) -> None:
    leaving = container["lifecycle"]["preStop"]["sleep"]["seconds"]
    # uvicorn looks ten times a second, waits a tenth for connections to close, and the watch and the probes are ended.
    ending = arguments.drain_seconds + GRACEFUL_SECONDS + JOIN_SECONDS + PROBES_SECONDS + 1

    assert ending <= 26
    assert leaving + ending < pod["terminationGracePeriodSeconds"]


def test_a_request_in_flight_at_the_end_may_take_its_whole_timeout(settings: Settings) -> None:
    configurations = [item for item in flat(settings, "enforce") if "webhooks" in item]
    longest = max(entry["timeoutSeconds"] for item in configurations for entry in item["webhooks"])

    assert longest < GRACEFUL_SECONDS
    assert longest >= RECEIVE_SECONDS


def test_the_process_has_no_rights_and_no_token_of_its_own_accord(
    pod: dict[str, Any], container: dict[str, Any]
) -> None:
    assert pod["automountServiceAccountToken"] is False
    assert (pod["securityContext"]["runAsNonRoot"], pod["securityContext"]["runAsUser"]) == (True, 10001)
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }


def test_a_token_is_mounted_only_where_the_api_server_is_watched(pod: dict[str, Any], source: Source) -> None:
    projected = [volume["name"] for volume in pod["volumes"] if "projected" in volume]

    assert projected == ([] if source is Source.FILE else ["api-access"])


def test_only_a_folder_in_memory_can_be_written(pod: dict[str, Any], container: dict[str, Any]) -> None:
    writable = [mount["name"] for mount in container["volumeMounts"] if not mount.get("readOnly")]
    (volume,) = (volume for volume in pod["volumes"] if volume["name"] in writable)

    assert volume["emptyDir"]["medium"] == "Memory"


def test_changes_of_policy_and_certificate_reach_the_running_pod(container: dict[str, Any]) -> None:
    assert [mount for mount in container["volumeMounts"] if "subPath" in mount] == []


def test_probes_use_their_own_port(container: dict[str, Any]) -> None:
    probes = {name: container[f"{name}Probe"]["httpGet"] for name in ("startup", "liveness", "readiness")}

    assert {probe["port"] for probe in probes.values()} == {"probes"}
    assert {name: probe["path"] for name, probe in probes.items()} == {
        "startup": "/healthz",
        "liveness": "/healthz",
        "readiness": "/readyz",
    }


def test_memory_is_limited_and_cpu_is_not(container: dict[str, Any]) -> None:
    assert container["resources"]["limits"] == {"memory": "384Mi"}


def test_pods_are_spread_over_nodes_and_zones(pod: dict[str, Any]) -> None:
    assert {item["topologyKey"]: item["whenUnsatisfiable"] for item in pod["topologySpreadConstraints"]} == {
        "kubernetes.io/hostname": "DoNotSchedule",
        "topology.kubernetes.io/zone": "ScheduleAnyway",
    }


def test_image_and_namespace_are_those_chosen(settings: Settings) -> None:
    made = deployment(replace(settings, image="registry.example/numagate:7", namespace="elsewhere"))

    assert made["metadata"]["namespace"] == "elsewhere"
    assert made["spec"]["template"]["spec"]["containers"][0]["image"] == "registry.example/numagate:7"
    assert "--namespace=elsewhere" in made["spec"]["template"]["spec"]["containers"][0]["args"]
