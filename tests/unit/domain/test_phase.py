"""How far a pod is."""

from typing import Any

import pytest

from webhook.domain.phase import has_ended


@pytest.mark.parametrize(
    ("status", "ended"),
    [
        ({"phase": "Succeeded"}, True),
        ({"phase": "Failed"}, True),
        ({"phase": "Running"}, False),
        ({}, False),
        (1, False),
    ],
)
def test_a_pod_has_ended_by_its_phase(status: Any, *, ended: bool) -> None:
    assert has_ended({"status": status}) is ended
