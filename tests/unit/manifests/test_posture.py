"""What holds in every combination that is offered: tokens, what can be written, who can be reached."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from webhook.manifests.overlays import OVERLAYS
from webhook.manifests.overlays import flat
from webhook.manifests.settings import Settings
from webhook.manifests.settings import Source


@pytest.fixture(params=[False, True], ids=["open", "client-auth"])
def chosen(request: pytest.FixtureRequest, settings: Settings) -> Settings:
    """Answer settings without and with client certificates."""
    return replace(settings, client_auth=request.param)


def of_kind(settings: Settings, overlay: str, kind: str) -> Iterator[dict[str, Any]]:
    made: list[Any] = flat(settings, overlay)
    return (one for one in made if one["kind"] == kind)


def volumes_with_a_token(pod: dict[str, Any]) -> list[dict[str, Any]]:
    sources = [source for volume in pod["volumes"] for source in volume.get("projected", {}).get("sources", [])]
    return [source["serviceAccountToken"] for source in sources if "serviceAccountToken" in source]


@pytest.mark.parametrize("overlay", list(OVERLAYS))
def test_only_pods_that_ask_the_api_server_have_a_token_and_it_is_for_nobody_else(
    chosen: Settings, overlay: str
) -> None:
    wanted = [] if OVERLAYS[overlay].source is Source.FILE else [{"path": "token", "expirationSeconds": 3600}]
    for account in of_kind(chosen, overlay, "ServiceAccount"):
        assert account["automountServiceAccountToken"] is False
    for deployment in of_kind(chosen, overlay, "Deployment"):
        pod = deployment["spec"]["template"]["spec"]
        assert pod["automountServiceAccountToken"] is False
        assert volumes_with_a_token(pod) == wanted


@pytest.mark.parametrize("overlay", list(OVERLAYS))
def test_nothing_can_be_written_but_a_folder_in_memory(chosen: Settings, overlay: str) -> None:
    for deployment in of_kind(chosen, overlay, "Deployment"):
        pod = deployment["spec"]["template"]["spec"]
        (container,) = pod["containers"]
        writable = {mount["name"] for mount in container["volumeMounts"] if not mount.get("readOnly")}
        assert container["securityContext"]["readOnlyRootFilesystem"] is True
        assert [volume["emptyDir"]["medium"] for volume in pod["volumes"] if volume["name"] in writable] == ["Memory"]
        assert not [volume for volume in pod["volumes"] if "hostPath" in volume]
        assert not {"hostNetwork", "hostPID", "hostIPC", "initContainers"} & pod.keys()


@pytest.mark.parametrize("overlay", list(OVERLAYS))
def test_every_deployment_is_held_to_the_ways_in_and_out_that_it_needs(chosen: Settings, overlay: str) -> None:
    known = replace(chosen, api_servers=("10.0.0.1/32",))
    policies = {one["metadata"]["name"]: one["spec"] for one in of_kind(known, overlay, "NetworkPolicy")}
    deployments = list(of_kind(known, overlay, "Deployment"))

    assert deployments
    for deployment in deployments:
        template = deployment["spec"]["template"]
        policy = policies[deployment["metadata"]["name"]]
        asks = volumes_with_a_token(template["spec"])
        assert policy["podSelector"]["matchLabels"].items() <= template["metadata"]["labels"].items()
        assert policy["policyTypes"] == ["Ingress", "Egress"]
        assert [port["port"] for rule in policy["ingress"] for port in rule["ports"]] == [8443, 8081]
        assert policy["egress"] == ([{"to": [{"ipBlock": {"cidr": "10.0.0.1/32"}}]}] if asks else [])


@pytest.mark.parametrize("overlay", list(OVERLAYS))
def test_no_role_reaches_secrets_but_the_one_of_the_certificate(chosen: Settings, overlay: str) -> None:
    rules = [
        rule for kind in ("Role", "ClusterRole") for one in of_kind(chosen, overlay, kind) for rule in one["rules"]
    ]

    assert not [rule for rule in rules if "*" in rule["resources"] + rule["verbs"] + rule["apiGroups"]]
    for rule in rules:
        if "secrets" in rule["resources"]:
            assert rule["resourceNames"] == ["numagate-tls"]
            assert "list" not in rule["verbs"]
