"""Laws of raised levels: who is told to fail is refused when created again, and warnings stay within their bounds."""

from dataclasses import replace
from typing import Any

import pytest
import strategies
from builders import mutating
from builders import request
from builders import world
from hypothesis import given
from hypothesis import strategies as st

from webhook.domain.jsonpatch import apply
from webhook.domain.levels import Level
from webhook.domain.levels import Modes
from webhook.engine.messages import MAX_WARNINGS
from webhook.engine.messages import WARNING_CHARACTERS
from webhook.engine.namespace_change import Change
from webhook.engine.namespace_review import Watch
from webhook.engine.namespace_review import review as review_pods
from webhook.engine.review import review
from webhook.engine.running_pods import RunningPods
from webhook.engine.world import World

LABELS = {"numagate.io/enforce": "aligned"}
RAISED = Change("team-a", {}, LABELS)
WORLDS = {
    "repairing": world(modes=Modes(enforce=Level.NONE)),
    "not repairing": world(modes=Modes(enforce=Level.NONE, repair=Level.NONE)),
    "unknown topology": world(machine=None, modes=Modes(enforce=Level.NONE)),
}


def warned(pods: list[dict[str, Any]], known: World, room: int = MAX_WARNINGS) -> tuple[str, ...]:
    running = RunningPods(known.policies)
    running.add(pods)
    return review_pods(RAISED, known, running, Watch(lambda: 0.0, 1.0), room=room)


def is_refused(pod: dict[str, Any], known: World) -> bool:
    """Create the pod anew in the namespace with its new labels: both passes, one after the other."""
    raised = replace(known, namespaces={"team-a": LABELS})
    patch = review(mutating(pod), raised).patch
    return not review(request(apply(pod, patch)), raised).allowed


@pytest.mark.parametrize("name", WORLDS)
@given(pods=st.lists(strategies.pods(), min_size=1, max_size=2))
def test_the_pods_that_are_told_are_those_that_would_be_refused(name: str, pods: list[dict[str, Any]]) -> None:
    known = WORLDS[name]
    refused = sum(is_refused(pod, known) for pod in pods)

    texts = warned(pods, known)

    assert (texts[0].rpartition(": ")[2] if texts else "") == (f"{refused} of {len(pods)}" if refused else "")


@given(
    pods=st.lists(strategies.pods(), max_size=5), name=st.text(max_size=80), room=st.integers(min_value=4, max_value=10)
)
def test_warnings_are_short_lines_and_few(pods: list[dict[str, Any]], name: str, room: int) -> None:
    owner = {"kind": "Job", "name": name, "controller": True}
    owned = [{**pod, "metadata": {**pod.get("metadata", {}), "ownerReferences": [owner]}} for pod in pods]

    texts = warned(owned, WORLDS["not repairing"], room)

    assert len(texts) <= room
    assert [text for text in texts if len(text) > WARNING_CHARACTERS or not text.isprintable()] == []
