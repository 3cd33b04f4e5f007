"""Which pods may be newer than the policies that are known."""

from webhook.node.doubts import Doubts


def test_a_pod_is_in_doubt_until_policies_are_there_that_were_asked_for_after_it_was_seen() -> None:
    doubts = Doubts()

    assert doubts.open(["a"], asked=5.0, now=10.0) == {"a"}
    assert doubts.open(["a", "b"], asked=10.0, now=20.0) == {"a", "b"}
    assert doubts.open(["a", "b"], asked=15.0, now=30.0) == {"b"}
    assert doubts.open(["a", "b"], asked=25.0, now=40.0) == set()


def test_who_has_gone_is_forgotten() -> None:
    doubts = Doubts()
    doubts.open(["a"], asked=0.0, now=1.0)
    doubts.open([], asked=0.0, now=2.0)

    assert doubts.open(["a"], asked=2.0, now=3.0) == {"a"}
