"""Client certificates in the manifests: what the pods are told, and what they mount."""

from dataclasses import replace
from typing import Any

import pytest

from webhook.manifests.client_auth import component
from webhook.manifests.overlays import flat
from webhook.manifests.settings import Settings


def deployments(settings: Settings, overlay: str) -> dict[str, Any]:
    found: list[Any] = flat(settings, overlay)
    return {one["metadata"]["name"]: one["spec"]["template"]["spec"] for one in found if one["kind"] == "Deployment"}


@pytest.mark.parametrize(("overlay", "count"), [("enforce", 2), ("enforce-file", 1)])
def test_every_server_asks_for_certificates_of_the_ca_in_the_secret(
    settings: Settings, overlay: str, count: int
) -> None:
    pods = deployments(replace(settings, client_auth=True), overlay)

    assert len(pods) == count
    for pod in pods.values():
        (container,) = pod["containers"]
        (mount,) = [one for one in container["volumeMounts"] if one["name"] == "client-ca"]
        (volume,) = [one for one in pod["volumes"] if one["name"] == "client-ca"]
        assert container["args"][-1] == f"--client-ca={mount['mountPath']}/ca.crt"
        assert mount["readOnly"]
        assert volume["secret"]["secretName"] == "numagate-client-ca"
        assert [item["key"] for item in volume["secret"]["items"]] == ["ca.crt"]


def test_the_names_that_may_call_can_be_chosen(settings: Settings) -> None:
    pods = deployments(replace(settings, client_auth=True, client_names=("one", "two")), "enforce")

    for pod in pods.values():
        assert pod["containers"][0]["args"][-2:] == ["--client-name=one", "--client-name=two"]


def test_without_the_choice_nothing_of_it_is_there(settings: Settings) -> None:
    assert "client-ca" not in str(flat(settings, "enforce"))


def test_the_component_says_the_same_whether_it_is_chosen_or_not(settings: Settings) -> None:
    assert component(settings) == component(replace(settings, client_auth=True))
