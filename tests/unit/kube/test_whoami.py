"""What the API server knows of us."""

from scripted import Reply
from scripted import scripted

from webhook.kube.whoami import claims

ASK = "POST /apis/authentication.k8s.io/v1/selfsubjectreviews"


def test_the_claims_of_the_token_are_answered_and_the_names_are_not() -> None:
    extra = {"authentication.kubernetes.io/node-name": ["gpu-1"], "odd": "text"}
    with scripted({ASK: [Reply({"status": {"userInfo": {"username": "a", "extra": extra}}})]}) as (_, client):
        found = claims(client)

    assert found == {"authentication.kubernetes.io/node-name": ("gpu-1",), "odd": ()}


def test_a_token_without_claims_has_none() -> None:
    with scripted({ASK: [Reply({"status": {"userInfo": {}}})]}) as (_, client):
        assert claims(client) == {}
