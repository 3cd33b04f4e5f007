"""Claims and device classes that lie beside pods."""

from typing import Any

from webhook.domain.claims import Claim
from webhook.domain.claims import ClaimCatalog
from webhook.domain.claims import DeviceClass
from webhook.domain.claims import DeviceOption
from webhook.domain.claims import DeviceRequest
from webhook.engine.claim_survey import catalogued

DEVICES = {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "c"}}]}}
CLAIM = Claim((DeviceRequest("r", (DeviceOption("c"),)),))


def document(kind: str, name: str, spec: dict[str, Any], group: str = "resource.k8s.io/v1") -> dict[str, Any]:
    return {"apiVersion": group, "kind": kind, "metadata": {"name": name}, "spec": spec}


def test_objects_are_catalogued_by_kind_and_namespace() -> None:
    objects = [
        ("a", document("ResourceClaim", "x", DEVICES)),
        ("b", document("ResourceClaimTemplate", "y", {"spec": DEVICES}, "resource.k8s.io/v1beta2")),
        ("a", document("DeviceClass", "c", {"extendedResourceName": "x.io/gpu"})),
        ("a", document("ResourceClaim", "z", DEVICES, "example.com/v1")),
        ("a", {"kind": "List"}),
    ]

    assert catalogued(objects, ClaimCatalog()) == ClaimCatalog(
        classes={"c": DeviceClass("c", "x.io/gpu")}, claims={"a": {"x": CLAIM}}, templates={"b": {"y": CLAIM}}
    )


def test_what_is_known_already_stays_unless_an_object_says_otherwise() -> None:
    known = ClaimCatalog({"c": DeviceClass("c", "old.io/gpu"), "d": DeviceClass("d")}, claims={"a": {"w": CLAIM}})

    found = catalogued([("a", document("DeviceClass", "c", {})), ("a", document("ResourceClaim", "x", DEVICES))], known)

    assert found.classes == {"c": DeviceClass("c"), "d": DeviceClass("d")}
    assert found.claims == {"a": {"w": CLAIM, "x": CLAIM}}
    assert known.claims == {"a": {"w": CLAIM}}
