"""What is said of memory that is no whole number of bytes."""

from typing import Any

import pytest
from builders import container
from builders import equal
from builders import pod
from builders import ruling

from webhook.domain.topology import NodeClass
from webhook.engine.judge import judge_pod


def said(obj: dict[str, Any], *classes: NodeClass) -> list[str]:
    known = ruling(*classes)
    return [one.message for one in judge_pod(obj, known).findings if one.code == "fractional-memory"]


@pytest.mark.parametrize(
    ("memory", "message"),
    [
        ("100m", "memory 100m is 0.1 bytes: write 100M or 100Mi"),
        ("1500m", "memory 1500m is 1.5 bytes: write 1500M or 1500Mi"),
        ("1000001m", "memory 1000001m is 1000.001 bytes: write it in Mi or Gi"),
        ("1048575500m", "memory 1048575500m is 1048575.5 bytes: write it in Mi or Gi"),
    ],
)
def test_less_than_a_container_lives_on_is_told_with_what_was_meant(memory: str, message: str) -> None:
    assert said(pod(container(**equal("8", memory, 1)))) == [message]


def test_more_than_that_is_told_to_be_no_whole_number() -> None:
    assert said(pod(container(**equal("8", "1048576500m", 1)))) == [
        "memory 1048576500m is not a whole number of bytes, which the kubelet's memory manager refuses"
    ]
