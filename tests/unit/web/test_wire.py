"""The wire: what is read, what is refused, what is written."""

import base64
import json
from types import MappingProxyType

import pytest
from serving import UID
from serving import review_body

from webhook.domain.errors import RequestError
from webhook.domain.jsonpatch import Operation
from webhook.engine.decision import Decision
from webhook.engine.decision import Outcome
from webhook.engine.request import Pass
from webhook.engine.request import Request
from webhook.web import wire

ACCEPT = Decision(outcome=Outcome.ACCEPT, allowed=True)
DENY = Decision(outcome=Outcome.DENY, allowed=False, message="container main: too big", causes=(("spec.x", "too big"),))
PATCH = (Operation("add", "/metadata/annotations", {"a/b": "c"}), Operation("remove", "/spec/x"))


def written(decision: Decision, review_pass: Pass = Pass.MUTATE) -> dict[str, object]:
    """Answer the response part of the reply to `decision`."""
    review = json.loads(wire.write(UID, review_pass, decision))
    assert (review["apiVersion"], review["kind"]) == ("admission.k8s.io/v1", "AdmissionReview")
    response: dict[str, object] = review["response"]
    return response


def test_every_field_of_a_review_reaches_the_request() -> None:
    body = review_body(
        obj={"kind": "Pod"},
        operation="UPDATE",
        subResource="resize",
        name="web-0",
        oldObject={"kind": "Pod", "spec": {}},
        dryRun=True,
    )

    expected = Request(
        uid=UID,
        review_pass=Pass.VALIDATE,
        operation="UPDATE",
        group="",
        version="v1",
        kind="Pod",
        resource="pods",
        subresource="resize",
        namespace="default",
        name="web-0",
        username="ada",
        groups=("system:authenticated",),
        dry_run=True,
        object={"kind": "Pod"},
        old_object={"kind": "Pod", "spec": {}},
    )
    assert wire.read(body, Pass.VALIDATE) == expected


def test_what_the_api_server_leaves_out_is_empty() -> None:
    body = review_body(operation="DELETE", object=None, namespace=None, userInfo=None)

    request = wire.read(body, Pass.VALIDATE)

    assert (request.object, request.old_object, request.namespace, request.username) == (None, None, "", "")


def test_the_last_of_duplicate_keys_wins_as_in_go() -> None:
    body = review_body().replace(b'"namespace": "default"', b'"namespace": "first", "namespace": "second"')

    assert wire.read(body, Pass.MUTATE).namespace == "second"


def nested(levels: int, before: bytes, after: bytes) -> bytes:
    """Answer a review whose object nests `levels` deep."""
    return review_body(obj={"deep": "HERE"}).replace(b'"HERE"', before * levels + b"1" + after * levels)


HOSTILE = {
    "empty": b"",
    "truncated": review_body()[:-1],
    "trailing": review_body() + b"{}",
    "two documents": review_body() + b"\n" + review_body(),
    "null": b"null",
    "array": b"[]",
    "text": b'"AdmissionReview"',
    "number": b"1",
    "no json": b"hello",
    "byte order mark": b"\xef\xbb\xbf" + review_body(),
    "utf-16": review_body().decode().encode("utf-16"),
    "utf-16 without mark": review_body().decode().encode("utf-16-le"),
    "utf-32": review_body().decode().encode("utf-32"),
    "latin-1": review_body(namespace="caf\xe9").decode("unicode_escape").encode("latin-1"),
    "surrogate bytes": review_body(obj={"a": "HERE"}).replace(b"HERE", b"\xed\xa0\x80"),
    "lone high surrogate": review_body(obj={"a": "HERE"}).replace(b"HERE", rb"\ud800"),
    "lone low surrogate": review_body(obj={"a": "HERE"}).replace(b"HERE", rb"\udc00"),
    "surrogate in a key": review_body(obj={"HERE": 1}).replace(b"HERE", rb"\udfff"),
    "raw newline in a text": review_body(obj={"a": "HERE"}).replace(b"HERE", b"a\nb"),
    "not a number": review_body(obj={"a": float("nan")}),
    "infinity": review_body(obj={"a": float("inf")}),
    "minus infinity": review_body(obj={"a": float("-inf")}),
    "beyond a double": review_body(obj={"a": "HERE"}).replace(b'"HERE"', b"1e999"),
    "below a double": review_body(obj={"a": "HERE"}).replace(b'"HERE"', b"-1e999"),
    "4301 digits": review_body(obj={"a": "HERE"}).replace(b'"HERE"', b"9" * 4301),
    "400 digits and a fraction": review_body(obj={"a": "HERE"}).replace(b'"HERE"', b"9" * 400 + b".5"),
    "leading zero": review_body(obj={"a": "HERE"}).replace(b'"HERE"', b"01"),
    "hexadecimal": review_body(obj={"a": "HERE"}).replace(b'"HERE"', b"0x1"),
    "comment": b"/* */" + review_body(),
    "arrays as deep as one more reader stands": nested(300, b"[", b"]"),
    "deep arrays": nested(100_000, b"[", b"]"),
    "deep objects": nested(100_000, b'{"a":', b"}"),
    "open arrays": b"[" * 100_000,
    "v1beta1": review_body().replace(b"admission.k8s.io/v1", b"admission.k8s.io/v1beta1"),
    "another kind": review_body().replace(b"AdmissionReview", b"ConversionReview"),
    "no kind": review_body().replace(b'"kind": "AdmissionReview"', b'"kin": "AdmissionReview"'),
    "kind is a number": review_body().replace(b'"AdmissionReview"', b"1"),
    "no request": b'{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}',
    "request is null": b'{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": null}',
    "request is an array": b'{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": []}',
    "no uid": review_body(uid=""),
    "uid is a number": review_body().replace(f'"{UID}"'.encode(), b"1"),
    "endless uid": review_body(uid="u" * 513),
    "no operation": review_body(operation=""),
    "another operation": review_body(operation="PATCH"),
    "operation is an object": review_body(operation={}),
    "kind of the object is a text": review_body(kind="Pod"),
    "no version": review_body(kind={"group": "", "kind": "Pod"}),
    "no resource": review_body(resource=None),
    "group is an array": review_body(kind={"group": [], "version": "v1", "kind": "Pod"}),
    "namespace is an object": review_body(namespace={"a": 1}),
    "object is a text": review_body(obj="Pod"),
    "object is an array": review_body(obj=[1]),
    "object is missing": review_body(object=None),
    "old object is a number": review_body(oldObject=1),
}


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_body_is_a_bad_request_in_one_ascii_line(body: bytes) -> None:
    with pytest.raises(RequestError) as caught:
        wire.read(body, Pass.MUTATE)

    message = str(caught.value)
    assert (caught.value.status, caught.value.reason) == (400, "BadRequest")
    assert message.isascii()
    assert message.isprintable()
    assert len(message) < 200


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (HOSTILE["v1beta1"], "apiVersion must be admission.k8s.io/v1, not 'admission.k8s.io/v1beta1'"),
        (HOSTILE["array"], "the body must be an AdmissionReview object, not an array"),
        (HOSTILE["object is missing"], "request.object is missing: CREATE has one"),
        (HOSTILE["kind of the object is a text"], "request.kind must be an object, not 'Pod'"),
        (HOSTILE["no version"], "request.kind.version must be a text of 1 to 512 characters, not null"),
        (
            HOSTILE["another operation"],
            "request.operation must be one of CONNECT, CREATE, DELETE, UPDATE, not 'PATCH'",
        ),
    ],
)
def test_a_refusal_names_the_field_and_what_belongs_there(body: bytes, message: str) -> None:
    with pytest.raises(RequestError) as caught:
        wire.read(body, Pass.MUTATE)

    assert str(caught.value) == message


def test_a_long_hostile_text_is_cut_and_escaped() -> None:
    with pytest.raises(RequestError) as caught:
        wire.read(review_body(operation="\x1b[31m\n" + "x" * 500), Pass.MUTATE)

    assert r"not '\x1b[31m\nxxx" in str(caught.value)
    assert len(str(caught.value)) < 160


def test_legal_oddities_are_read() -> None:
    oddities = {"": None, "\x00": "\x00", "é": "😀", "big": 2**70, "small": 1e-320, "minus": -0.0}

    assert wire.read(review_body(obj=oddities), Pass.MUTATE).object == oddities


@pytest.mark.parametrize("number", [2**63, 2**64, 10**19 - 1, 10**18, -(2**63) - 1, -(10**19) + 1, 10**40])
def test_integers_stay_whole(number: int) -> None:
    assert wire.read(review_body(obj={"a": number}), Pass.MUTATE).object == {"a": number}


def test_nesting_within_the_limit_is_read() -> None:
    assert wire.read(nested(150, b"[", b"]"), Pass.MUTATE).uid == UID


def test_a_body_of_many_brackets_that_is_not_deep_is_read() -> None:
    many: dict[str, object] = {"a": [{}] * 500}

    assert wire.read(review_body(obj=many), Pass.MUTATE).object == many


def test_an_accepted_request_gets_the_shortest_answer() -> None:
    assert written(ACCEPT) == {"uid": UID, "allowed": True}


def test_a_denial_carries_message_and_causes() -> None:
    assert written(DENY, Pass.VALIDATE) == {
        "uid": UID,
        "allowed": False,
        "status": {
            "status": "Failure",
            "message": "container main: too big",
            "reason": "Forbidden",
            "code": 403,
            "details": {"causes": [{"reason": "FieldValueInvalid", "message": "too big", "field": "spec.x"}]},
        },
    }


def test_a_denial_without_causes_has_no_details() -> None:
    status = written(Decision(outcome=Outcome.DENY, allowed=False, message="no"))["status"]

    assert status == {"status": "Failure", "message": "no", "reason": "Forbidden", "code": 403}


def test_a_patch_is_a_base64_json_patch() -> None:
    response = written(Decision(outcome=Outcome.REPAIR, allowed=True, patch=PATCH))

    assert response["patchType"] == "JSONPatch"
    assert json.loads(base64.b64decode(str(response["patch"]))) == [
        {"op": "add", "path": "/metadata/annotations", "value": {"a/b": "c"}},
        {"op": "remove", "path": "/spec/x"},
    ]


@pytest.mark.parametrize(
    ("review_pass", "allowed"), [(Pass.VALIDATE, True), (Pass.VALIDATE, False), (Pass.MUTATE, False)]
)
def test_no_patch_leaves_with_a_validation_or_a_denial(review_pass: Pass, *, allowed: bool) -> None:
    response = written(Decision(outcome=Outcome.REPAIR, allowed=allowed, patch=PATCH), review_pass)

    assert response.keys() & {"patch", "patchType"} == set()


def test_warnings_and_audit_annotations_are_sent() -> None:
    decision = Decision(outcome=Outcome.WARN, allowed=True, warnings=("one", "two"), audit={"decision": "warn"})

    assert written(decision) == {
        "uid": UID,
        "allowed": True,
        "warnings": ["one", "two"],
        "auditAnnotations": {"decision": "warn"},
    }


def test_a_patch_may_hold_any_mapping() -> None:
    patch = (Operation("add", "/a", MappingProxyType({"b": MappingProxyType({"c": (1, 2)})})),)

    response = written(Decision(outcome=Outcome.REPAIR, allowed=True, patch=patch))

    assert json.loads(base64.b64decode(str(response["patch"])))[0]["value"] == {"b": {"c": [1, 2]}}


def test_a_patch_that_is_no_json_is_a_bug() -> None:
    patch = (Operation("add", "/a", {1, 2}),)

    with pytest.raises(TypeError):
        written(Decision(outcome=Outcome.REPAIR, allowed=True, patch=patch))
