"""The first bytes of a review: what can be read of them."""

import json

import pytest
from serving import UID
from serving import review_body

from webhook.web.opening import OPENING_BYTES
from webhook.web.opening import Opening
from webhook.web.opening import read

POD = Opening(UID, "pods", "default")


def as_go_writes(**changes: object) -> bytes:
    """Write a review without spaces, with the fields that the API server puts between ours."""
    request: dict[str, object] = json.loads(review_body(**{"name": "one", **changes}))["request"]
    first = {key: request[key] for key in ("uid", "kind", "resource")}
    first |= {"requestKind": request["kind"], "requestResource": request["resource"]}
    rest = {key: request[key] for key in ("name", "namespace", "operation", "userInfo", "object", "dryRun")}
    review = {"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": first | rest}
    return json.dumps(review, separators=(",", ":")).encode()


@pytest.mark.parametrize("body", [as_go_writes(), review_body(), as_go_writes()[:400]])
def test_the_opening_of_a_review_says_whom_and_what_it_asks(body: bytes) -> None:
    assert read(body) == POD


def test_only_the_first_bytes_are_read() -> None:
    assert read(as_go_writes(name="x" * OPENING_BYTES)) is None


def test_a_name_cannot_feign_a_namespace() -> None:
    assert read(as_go_writes(name='","namespace":"kube-system","x":"')) == POD


def test_another_group_is_none_of_ours() -> None:
    other = {"group": "apps", "version": "v1", "resource": "pods"}

    assert read(as_go_writes(resource=other)) is None


@pytest.mark.parametrize(
    "body", [b"", b"{}", b"x" * 2000, b'"request":{"uid":""', b'"request":{"uid":"\xff"', b"\\" * 2000]
)
def test_what_is_no_review_has_no_opening(body: bytes) -> None:
    assert read(body) is None
