"""The pods of the node: what is kept, and what is worth a look."""

from typing import Any

import pytest

from webhook.domain.raw import JsonObject
from webhook.node.own_pods import OwnPods


class Bell:
    """Counts."""

    def __init__(self) -> None:
        self.rung = 0

    def __call__(self) -> None:
        """Count one more."""
        self.rung += 1


def pod(name: str = "llm", version: int = 1, **status: Any) -> JsonObject:
    """Make a pod with a status."""
    metadata = {"namespace": "team-a", "name": name, "uid": name, "resourceVersion": str(version), "managedFields": [1]}
    return {"metadata": metadata, "spec": {"nodeName": "gpu-1"}, "status": {"phase": "Running", **status}}


@pytest.fixture
def bell() -> Bell:
    """Make a bell."""
    return Bell()


@pytest.fixture
def pods(bell: Bell) -> OwnPods:
    """Make a picture that holds one pod."""
    made = OwnPods(bell)
    made.put("team-a/llm", pod())
    made.keep({"team-a/llm"})
    bell.rung = 0
    return made


def names(pods: OwnPods) -> list[object]:
    """Answer the names of the running pods."""
    return [one["metadata"]["name"] for one in pods.running()]  # type: ignore[index]


def test_a_list_makes_the_picture_whole_and_rings_once(bell: Bell) -> None:
    made = OwnPods(bell)
    before = made.whole
    for _ in range(2):
        made.keep(set())

    assert (before, made.whole, bell.rung) == (False, True, 1)


def test_a_container_that_starts_is_worth_a_look_and_our_own_condition_is_none(pods: OwnPods, bell: Bell) -> None:
    pods.put("team-a/llm", pod(version=2, conditions=[{"type": "numagate.io/Aligned", "status": "True"}]))
    ours = bell.rung
    pods.put("team-a/llm", pod(version=3, containerStatuses=[{"containerID": "a", "state": {"running": {}}}]))

    assert (ours, bell.rung) == (0, 1)


def test_what_ended_is_kept_and_not_looked_at(pods: OwnPods) -> None:
    pods.put("team-a/done", pod("done", phase="Succeeded"))

    assert (len(pods), names(pods)) == (2, ["llm"])


def test_what_is_gone_is_forgotten_and_rings(pods: OwnPods, bell: Bell) -> None:
    pods.drop("team-a/llm")
    pods.drop("team-a/llm")

    assert (names(pods), bell.rung) == ([], 1)


def test_what_was_deleted_while_nobody_watched_rings(pods: OwnPods, bell: Bell) -> None:
    pods.keep(set())

    assert (len(pods), bell.rung) == (0, 1)


def test_a_pod_that_is_deleted_while_an_answer_is_taken_stays_deleted(pods: OwnPods) -> None:
    class Late(dict[str, Any]):
        """An answer during whose reading the watch says that the pod is gone."""

        def get(self, key: str, default: Any = None) -> Any:
            pods.drop("team-a/llm")
            return super().get(key, default)

    pods.written("team-a/llm", Late(pod(version=5)))

    assert len(pods) == 0


def test_the_answer_to_a_write_counts_until_the_watch_tells_more(pods: OwnPods) -> None:
    pods.written("team-a/llm", pod(version=5, message="new"))
    pods.written("team-a/llm", pod(version=4, message="old"))
    pods.written("team-a/other", pod("other", version=9))

    (one,) = pods.running()
    assert one["status"]["message"] == "new"  # type: ignore[index]


def test_what_nobody_reads_is_not_kept(pods: OwnPods) -> None:
    (one,) = pods.running()

    assert "managedFields" not in one["metadata"]  # type: ignore[operator]
