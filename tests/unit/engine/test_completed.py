"""Pods that their operator completes: absence is no fault, presence is judged."""

from typing import Any

import pytest
from builders import GPU
from builders import container
from builders import equal
from builders import pod
from builders import ruling

from webhook.domain.pod_location import PodLocation
from webhook.engine.completed import soften
from webhook.engine.decision import Outcome
from webhook.engine.judge import Judgement
from webhook.engine.judge import judge_pod
from webhook.engine.ruling import Ruling

NOWHERE = ruling(machine=None)
"""No topology, and so no share to fill in: what is missing would be denied."""


def judged(made: dict[str, Any], known: Ruling = NOWHERE, **location: Any) -> Judgement:
    place = PodLocation(
        pod=made, root=("spec",), spec_path=("spec",), metadata_path=None, completed_by="the runtime", **location
    )
    return soften(judge_pod(made, known), place)


def codes(judgement: Judgement) -> list[str]:
    return [finding.code for finding in judgement.findings]


def test_what_is_missing_is_never_denied_and_named_as_what_may_still_come() -> None:
    found = judged(pod(container(limits={GPU: "1"})))
    assert (found.outcome, found.remaining) == (Outcome.WARN, ())
    assert "completed-later" in codes(found)
    assert found.findings[-1].message == (
        "what is missing may still be added by the runtime: the pods are judged when they are created"
    )


def test_what_is_there_is_denied_all_the_same() -> None:
    found = judged(pod(container(**equal("16", "64Gi", 8))), ruling())
    assert (found.outcome, codes(found)) == (Outcome.DENY, ["misfit"])


def test_what_is_missing_beside_what_no_repair_cures_saves_nothing() -> None:
    found = judged(pod(container(limits={GPU: "8", "cpu": "16"})), ruling())
    assert found.outcome is Outcome.DENY


def test_a_repair_from_the_share_stays_a_repair() -> None:
    found = judged(pod(container(limits={GPU: "1"})), ruling())
    assert (found.outcome, codes(found)[-1]) == (Outcome.REPAIR, "completed-later")
    assert found.edits


def test_a_pod_without_accelerators_may_get_them_later_and_is_none_of_our_business() -> None:
    found = judged(pod(container(image="registry.example/vllm:1")), ruling())
    assert (found.outcome, found.findings) == (Outcome.SKIP, ())


def test_a_device_by_claim_is_warned_of_as_ever() -> None:
    found = judged(pod(container(), resourceClaims=[{"name": "gpu"}]), ruling())
    assert codes(found) == ["claimed-device"]


def test_what_cannot_be_read_is_invalid_as_ever() -> None:
    assert judged(pod(container(limits={GPU: "one"})), ruling()).outcome is Outcome.INVALID


def test_a_complete_pod_is_judged_as_it_is() -> None:
    plain = judge_pod(pod(), NOWHERE)
    place = PodLocation(pod=pod(), root=("spec",), spec_path=("spec",), metadata_path=None)
    assert soften(plain, place) is plain


@pytest.mark.parametrize("known", [NOWHERE, ruling()])
def test_where_nothing_is_asked_for_nothing_is_judged(known: Ruling) -> None:
    found = judged(pod(container()), known, unseen=True)
    assert (found.outcome, codes(found), found.remaining, found.edits) == (
        Outcome.WARN,
        ["unseen-resources"],
        (),
        (),
    )
