"""Labels of namespaces: all are kept, few are written."""

import pytest

from webhook.controller.changes import Changes
from webhook.controller.namespaces import Namespaces
from webhook.controller.namespaces import selector_keys
from webhook.domain.raw import JsonObject

POLICY: JsonObject = {
    "spec": {
        "match": {
            "namespaceSelector": {
                "matchLabels": {"team": "a", "kubernetes.io/metadata.name": "a"},
                "matchExpressions": [{"key": "stage", "operator": "Exists"}],
            }
        }
    }
}


def namespace(**labels: str) -> JsonObject:
    """Write a namespace."""
    return {"metadata": {"labels": {key.replace("__", "/"): value for key, value in labels.items()}}}


@pytest.fixture
def namespaces() -> Namespaces:
    """Answer three namespaces."""
    kept = Namespaces(Changes())
    kept.put("a", namespace(team="a", other="x"))
    kept.put("b", {"metadata": {"labels": {"numagate.io/enforce": "aligned", "other": "x"}}})
    kept.put("c", namespace(other="x"))
    return kept


def test_only_labels_that_decide_are_written(namespaces: Namespaces) -> None:
    assert namespaces.relevant([POLICY]) == {"a": {"team": "a"}, "b": {"numagate.io/enforce": "aligned"}}
    assert namespaces.relevant([]) == {"b": {"numagate.io/enforce": "aligned"}}


def test_all_labels_are_known(namespaces: Namespaces) -> None:
    assert namespaces.labels("c") == {"other": "x"}
    assert namespaces.labels("d") is None


def test_what_is_not_listed_any_more_is_forgotten(namespaces: Namespaces) -> None:
    namespaces.keep({"a"})

    assert (len(namespaces), namespaces.labels("b")) == (1, None)


def test_a_label_of_every_namespace_is_not_asked_for() -> None:
    assert selector_keys([POLICY]) == {"team", "stage"}


def test_only_a_change_of_labels_is_one() -> None:
    changes = Changes()
    kept = Namespaces(changes)
    kept.put("a", namespace(team="a"))
    changes.begin()
    changes.surveyed(seconds=0.0)
    changes.wrote()

    kept.put("a", {"metadata": {"labels": {"team": "a"}, "annotations": {"new": "one"}}})
    assert changes.seconds_left() > 50
    kept.put("a", namespace(team="b"))
    assert changes.seconds_left() <= 0.5
    kept.drop("never-seen")
    kept.drop("a")
    assert len(kept) == 0
