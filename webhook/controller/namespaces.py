"""The labels of every namespace, and those of them that a snapshot must hold."""

import threading
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from webhook.controller.changes import Changes
from webhook.controller.kinds import NAMESPACE
from webhook.controller.schedule import Urgency
from webhook.domain import keys
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.raw import get_text_map


class Namespaces:
    """The labels of every namespace; a sink of a reflector."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes
        self._labels: dict[str, Mapping[str, str]] = {}
        self._lock = threading.Lock()

    def put(self, key: str, found: JsonObject) -> None:
        """Take a namespace."""
        labels = get_text_map(get_object(found, "metadata"), "labels")
        if self._labels.get(key) != labels:
            with self._lock:
                self._labels[key] = labels
            self._changes.note(Urgency.OTHER)

    def drop(self, key: str) -> None:
        """Forget a namespace."""
        with self._lock:
            known = self._labels.pop(key, None)
        if known is not None:
            self._changes.note(Urgency.OTHER)

    def keep(self, keys: AbstractSet[str]) -> None:
        """Forget all but these."""
        for key in self._labels.keys() - keys:
            self.drop(key)
        self._changes.whole(NAMESPACE)

    def labels(self, name: str) -> Mapping[str, str] | None:
        """Answer all labels of a namespace, None for one that is not known."""
        return self._labels.get(name)

    def relevant(self, policies: Iterable[JsonObject]) -> dict[str, dict[str, str]]:
        """Answer, of each namespace that has any, the labels that decide about its pods under these policies."""
        # Nobody can fill the snapshot with labels that only look like ours.
        selected = selector_keys(policies).union(keys.MODES)
        with self._lock:
            everything = sorted(self._labels.items())
        found = (
            (name, {key: value for key, value in labels.items() if key in selected}) for name, labels in everything
        )
        return {name: labels for name, labels in found if labels}

    def __len__(self) -> int:
        return len(self._labels)


def selector_keys(policies: Iterable[JsonObject]) -> frozenset[str]:
    """Answer the label keys that the namespace selectors of these policies ask for."""
    found: set[str] = set()
    for policy in policies:
        selector = get_object(policy, "spec", "match", "namespaceSelector")
        found |= as_object(selector.get("matchLabels")).keys()
        found |= {get_text(rule, "key") for rule in get_list(selector, "matchExpressions")}
    return frozenset(found - {keys.NAMESPACE_NAME})
