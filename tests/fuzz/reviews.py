"""Targets: a whole review through both passes, and the facts of a pod."""

import json
from collections.abc import Iterator
from typing import Any

import casetable
from builders import world
from fuzz.target import Target
from replies import check_answer
from replies import check_refusal
from serving import review_body

from webhook.domain import facts
from webhook.domain.errors import RequestError
from webhook.domain.jsonpatch import apply
from webhook.engine.request import Pass
from webhook.engine.request import Request
from webhook.engine.review import review
from webhook.server.own_objects import with_own_objects
from webhook.web import wire

_OWN = {
    "apiVersion": "numagate.io/v1alpha1",
    "kind": "AlignmentPolicy",
    "metadata": {"name": "p"},
    "spec": {"modes": {"enforce": "aligned"}, "exemptions": [{"users": ["a"], "reason": "b"}]},
}
_DECIDE = with_own_objects(review)


def _objects() -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield the objects of the cases, each with the changes that its review makes to a plain one."""
    for case in casetable.load():
        changes: dict[str, Any] = {"namespace": case.namespace}
        if case.review is None:
            yield case.manifest, changes
            continue
        user = {"username": case.review.username, "groups": list(case.review.groups)}
        changes |= {"operation": case.review.operation, "subResource": case.review.subresource, "userInfo": user}
        yield case.review.new, {**changes, "oldObject": case.review.old}
    yield _OWN, {}


def _reviews() -> Iterator[bytes]:
    for obj, changes in _objects():
        group, _, version = obj["apiVersion"].rpartition("/")
        kind = {"group": group, "version": version, "kind": obj["kind"]}
        resource = {"group": group, "version": version, "resource": obj["kind"].lower() + "s"}
        yield review_body(obj=obj, kind=kind, resource=resource, **changes)


def _check_review(data: bytes) -> None:
    for review_pass in Pass:
        try:
            request = wire.read(data, review_pass)
        except RequestError as error:
            check_refusal(error)
            return
        decision = _DECIDE(request, WORLD)
        check_answer(review_pass, wire.write(request.uid, review_pass, decision), request.uid)
        if decision.patch:
            _check_patch(request)


def _check_patch(request: Request) -> None:
    """Check that the patch applies, and that there is nothing left to patch."""
    patched = apply(request.object, _DECIDE(request, WORLD).patch)
    assert isinstance(patched, dict)
    again = wire.read(review_body(obj=patched, namespace=request.namespace), Pass.MUTATE)
    assert _DECIDE(again, WORLD).patch == ()


def _pods() -> Iterator[bytes]:
    for case in casetable.load():
        for template in case.templates:
            yield json.dumps(template.pod).encode()


def _check_facts(data: bytes) -> None:
    try:
        pod = json.loads(data)
    except (ValueError, RecursionError):
        return
    if isinstance(pod, dict):
        for defaulted in (True, False):
            found = facts.read(pod, defaulted=defaulted)
            assert all(
                finding.code in {facts.MALFORMED_OBJECT, facts.MALFORMED_QUANTITY} for finding in found.unreadable
            )


WORLD = world()

REVIEW = Target("review", "an AdmissionReview through both passes", _reviews, _check_review, max_bytes=16_384)
FACTS = Target("facts", "the facts of a pod", _pods, _check_facts)
