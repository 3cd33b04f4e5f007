"""What is written, and how."""

from scripted import Reply
from scripted import scripted

from webhook.kube.apply import apply_config_map
from webhook.kube.apply import patch_json
from webhook.kube.apply import patch_status
from webhook.kube.resource import Resource


def test_a_config_map_is_applied_whole_and_by_force() -> None:
    path = "/api/v1/namespaces/ours/configmaps/world"
    with scripted({f"PATCH {path}": [Reply()]}) as (server, client):
        apply_config_map(client, namespace="ours", name="world", data={"world.json": "{}"}, labels={"a": "b"})
        (asked,) = server.asked

    assert asked.query == {"fieldManager": "numagate-controller", "force": "true"}
    assert asked.body == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "world", "namespace": "ours", "labels": {"a": "b"}},
        "data": {"world.json": "{}"},
    }


def test_a_status_is_patched_at_its_own_path() -> None:
    policies = Resource("numagate.io", "v1alpha1", "alignmentpolicies")
    path = "/apis/numagate.io/v1alpha1/alignmentpolicies/default/status"
    with scripted({f"PATCH {path}": [Reply()]}) as (server, client):
        patch_status(client, policies, name="default", status={"conditions": []})
        (asked,) = server.asked

    assert asked.body == {"status": {"conditions": []}}


def test_a_json_patch_is_sent_whole() -> None:
    path = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/numagate"
    operations = [
        {"op": "test", "path": "/metadata/resourceVersion", "value": "7"},
        {"op": "add", "path": "/webhooks/0/rules", "value": []},
    ]
    with scripted({f"PATCH {path}": [Reply()]}) as (server, client):
        patch_json(client, path, operations)
        (asked,) = server.asked

    assert (asked.query, asked.body) == ({"fieldManager": "numagate-controller"}, operations)
