"""The wire: what is read, what is refused, what is written."""

import base64
import json
from types import MappingProxyType

import pytest
from hostile import BODIES
from hostile import ODD_REVIEWS
from hostile import nested
from serving import UID
from serving import review_body

from webhook.domain.errors import RequestError
from webhook.domain.jsonpatch import Operation
from webhook.engine.decision import Decision
from webhook.engine.decision import Outcome
from webhook.engine.request import Pass
from webhook.engine.request import Request
from webhook.web import wire
from webhook.web.body import TooLargeError
from webhook.web.opening import OPENING_BYTES

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


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
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
        (BODIES["v1beta1"], "apiVersion must be admission.k8s.io/v1, not 'admission.k8s.io/v1beta1'"),
        (BODIES["array"], "the body must be an AdmissionReview object, not an array"),
        (BODIES["object is missing"], "request.object is missing: CREATE has one"),
        (BODIES["kind of the object is a text"], "request.kind must be an object, not 'Pod'"),
        (BODIES["no version"], "request.kind.version must be a text of 1 to 512 characters, not null"),
        (
            BODIES["another operation"],
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


@pytest.mark.parametrize("body", ODD_REVIEWS.values(), ids=ODD_REVIEWS)
def test_an_odd_review_is_read_as_go_reads_it(body: bytes) -> None:
    request = wire.read(body, Pass.MUTATE)

    assert (request.uid, request.operation, request.namespace) == (UID, "CREATE", "default")


@pytest.mark.parametrize("value", [b"{}", b"[]", b"0", b'{"a":1}'])
def test_more_values_than_fit_into_memory_are_not_read(value: bytes) -> None:
    body = review_body(obj={"many": "HERE"}).replace(b'"HERE"', b"[" + b",".join([value] * wire.MAX_VALUES) + b"]")

    with pytest.raises(TooLargeError, match=f"has more than {wire.MAX_VALUES} values") as caught:
        wire.read(body, Pass.VALIDATE)

    assert caught.value.opening == body[:OPENING_BYTES]


def test_as_many_values_as_a_large_object_has_are_read() -> None:
    many: dict[str, object] = {"many": [{"name": "a", "value": "b"}] * (wire.MAX_VALUES // 4)}

    assert wire.read(review_body(obj=many), Pass.VALIDATE).object == many


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


def test_a_patch_that_is_too_large_is_left_out_and_said_so() -> None:
    large = Operation("add", "/metadata/annotations", {"a": "x" * wire.MAX_REPLY_BYTES})

    response = written(Decision(outcome=Outcome.REPAIR, allowed=True, patch=(large,), warnings=("w",)))

    assert response == {
        "uid": UID,
        "allowed": True,
        "warnings": ["numagate left its repairs out: they would be too large; numagate lint shows them"],
    }


def test_of_too_many_causes_the_first_stay_and_the_message_is_whole() -> None:
    causes = tuple((f"spec.containers[{number}]", "x" * 300) for number in range(5000))
    decision = Decision(outcome=Outcome.DENY, allowed=False, message="no", causes=causes, audit={"decision": "deny"})

    payload = wire.write(UID, Pass.VALIDATE, decision)

    assert wire.MAX_REPLY_BYTES / 2 < len(payload) <= wire.MAX_REPLY_BYTES
    response = json.loads(payload)["response"]
    kept = response["status"]["details"]["causes"]
    assert [one["field"] for one in kept] == [field for field, _ in causes[: len(kept)]]
    assert (response["status"]["message"], response["auditAnnotations"]) == ("no", {"decision": "deny"})
    assert "warnings" not in response
