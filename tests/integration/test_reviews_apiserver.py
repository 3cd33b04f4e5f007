"""Sends the reviews of the table through a real API server: what it asks about, and what comes of the answer."""

from typing import Any

import casetable
import pytest
from caseanswers import codes_of_refusal
from caseobjects import Object
from casetable import Case
from casetable import Review
from caseworlds import moved
from caseworlds import world_of
from controlplane.case_service import CaseService
from controlplane.cluster import Answer
from controlplane.cluster import ControlPlane

MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
ALIGNMENT = "numagate.io/alignment"


def judged(operation: str) -> pytest.MarkDecorator:
    """Run a test for each review of an operation, in its world."""
    rows = [
        pytest.param(case, world_of(case), id=case.id)
        for case in casetable.for_runner("apiserver", review=True)
        if case.review is not None and case.review.operation == operation
    ]
    return pytest.mark.parametrize(("case", "case_service"), rows, indirect=["case_service"], scope="session")


def review_of(case: Case) -> Review:
    assert case.review is not None
    return case.review


def update(cluster: ControlPlane, review: Review, old: Object) -> Answer:
    """Change what lies in the cluster as the review does: each subresource has its own part of a pod."""
    path = f"/api/v1/namespaces/{old['metadata']['namespace']}/pods/{old['metadata']['name']}"
    if review.subresource:
        field = "ephemeralContainers" if review.subresource == "ephemeralcontainers" else "containers"
        patch: Object = {"spec": {field: review.new["spec"][field]}}
        return cluster.request("PATCH", f"{path}/{review.subresource}", patch, content=STRATEGIC)
    changed = {key: review.new["metadata"].get(key) for key in ("annotations", "labels", "finalizers")}
    return cluster.request("PATCH", path, {"metadata": changed}, content=MERGE)


@judged("UPDATE")
def test_an_update_is_answered_as_stated(case: Case, case_service: CaseService, case_cluster: ControlPlane) -> None:
    review = review_of(case)
    old = moved(case, case_service.world, review.old)

    answer = update(case_cluster, review, old)

    if review.decisions["validate"] == "deny":
        assert (answer.status, codes_of_refusal(answer.body["message"])) == (403, set(review.codes))
    else:
        assert answer.status == 200, answer.body


@judged("CREATE")
def test_a_creation_is_answered_as_stated(case: Case, case_service: CaseService, case_cluster: ControlPlane) -> None:
    review = review_of(case)
    pod: Any = moved(case, case_service.world, review.new)
    # Whoever the review is from may create pods here; whether they are exempt is numagate's business.
    person = ["--as", review.username, "--as-group", "system:masters"]

    done = case_cluster.kubectl("create", "--dry-run=server", *person, "-f", "-", input=pod, check=False)

    if review.chained == "deny":
        assert done.returncode == 1
        assert done.stderr.startswith("Error from server (Forbidden): ")
        assert codes_of_refusal(done.stderr.strip()) == set(review.chained_codes)
    else:
        assert (done.returncode, "created (server dry run)" in done.stdout) == (0, True), done.stderr


@judged("CREATE")
def test_no_promise_is_stored_but_our_own(case: Case, case_service: CaseService, case_cluster: ControlPlane) -> None:
    review = review_of(case)
    pod: Any = moved(case, case_service.world, review.new)
    path = f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods?dryRun=All"

    answer = case_cluster.request("POST", path, pod)

    written = pod["metadata"].get("annotations", {}).get(ALIGNMENT)
    stored = answer.body["metadata"].get("annotations", {}).get(ALIGNMENT)
    assert written is None or stored != written
    assert any(ALIGNMENT in warning for warning in answer.warnings) is (written is not None)
