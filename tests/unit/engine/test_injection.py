"""Annotations of a workload object that count for its pods."""

from builders import deployment
from builders import pod

from webhook.engine.injection import with_signs_of

SIGN = {"model.aibrix.ai/sidecar-injection": "true"}


def test_a_sign_on_the_object_counts_for_its_pods() -> None:
    made = with_signs_of(deployment(pod(), annotations={**SIGN, "example.com/note": "x"}), {"spec": {}})

    assert made == {"spec": {}, "metadata": {"annotations": SIGN}}


def test_what_the_pod_says_itself_stands() -> None:
    own = pod(annotations={"model.aibrix.ai/sidecar-injection": "false"})

    assert with_signs_of(deployment(pod(), annotations=SIGN), own) is own


def test_signs_that_are_read_from_pods_are_not_taken_from_objects() -> None:
    template = {"spec": {}}

    assert with_signs_of(deployment(pod(), annotations={"dapr.io/enabled": "true"}), template) is template


def test_annotations_of_a_wrong_type_stay_to_be_reported() -> None:
    wrong = {"metadata": {"annotations": ["x"]}, "spec": {}}

    assert with_signs_of(deployment(pod(), annotations=SIGN), wrong) is wrong
