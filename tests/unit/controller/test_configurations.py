"""Both webhook configurations, read and patched by name."""

import pytest
from scripted import Reply
from scripted import scripted

from webhook.controller.configurations import ClusterConfigurations
from webhook.kube.error import KubeError

MUTATING = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/numagate"
VALIDATING = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/numagate"


def test_each_is_read_and_written_under_its_name() -> None:
    script = {f"GET {MUTATING}": [Reply({"kind": "a"})], f"PATCH {VALIDATING}": [Reply()]}
    with scripted(script) as (server, client):
        found = ClusterConfigurations(client).read("mutating")
        ClusterConfigurations(client).write("validating", [{"op": "add", "path": "/a", "value": 1}])

    assert found == {"kind": "a"}
    assert [asked.key for asked in server.asked] == [f"GET {MUTATING}", f"PATCH {VALIDATING}"]


def test_one_that_is_not_installed_is_none() -> None:
    with scripted({}) as (_, client):
        assert ClusterConfigurations(client).read("mutating") is None


def test_a_refusal_is_an_error() -> None:
    refused = Reply({"message": "no right"}, 403)
    with scripted({f"GET {MUTATING}": [refused]}) as (_, client), pytest.raises(KubeError, match="no right"):
        ClusterConfigurations(client).read("mutating")
