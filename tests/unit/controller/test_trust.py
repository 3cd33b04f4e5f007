"""Whom the configurations tell to trust, and the patch that changes it."""

import base64
from typing import Any

import pytest

from webhook.controller import trust


def installed(*bundles: str | None, owner: str | None = "managed") -> dict[str, Any]:
    annotations = {} if owner is None else {"numagate.io/certificates": owner}
    entries = [
        {"name": f"entry-{at}", "clientConfig": {} if bundle is None else {"caBundle": bundle}}
        for at, bundle in enumerate(bundles)
    ]
    return {"metadata": {"resourceVersion": "7", "annotations": annotations}, "webhooks": entries}


GOOD = base64.b64encode(b"PEM").decode()


@pytest.mark.parametrize(("owner", "ours"), [("managed", True), ("self-signed", False), (None, False)])
def test_only_an_annotation_makes_a_bundle_ours(owner: str | None, *, ours: bool) -> None:
    assert trust.is_ours(installed(owner=owner)) is ours


def test_bundles_are_decoded_and_what_is_none_is_empty() -> None:
    assert list(trust.bundles(installed(GOOD, None, "no base64"))) == [b"PEM", b"", b""]


def test_only_entries_that_differ_are_patched_and_only_as_they_were_read() -> None:
    drift = trust.distrust(installed(GOOD, None, "bm8="), b"PEM")

    assert list(drift.patch) == [
        {"op": "test", "path": "/metadata/resourceVersion", "value": "7"},
        {"op": "test", "path": "/webhooks/1/name", "value": "entry-1"},
        {"op": "test", "path": "/webhooks/2/name", "value": "entry-2"},
        {"op": "add", "path": "/webhooks/1/clientConfig/caBundle", "value": GOOD},
        {"op": "add", "path": "/webhooks/2/clientConfig/caBundle", "value": GOOD},
    ]


def test_where_all_trust_there_is_no_patch() -> None:
    assert trust.distrust(installed(GOOD, GOOD), b"PEM").patch == ()
