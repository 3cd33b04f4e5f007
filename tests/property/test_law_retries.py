"""The law of retries: a controller that tries again is told the same, so that its events are counted, not repeated."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import strategies
from builders import mutating
from builders import request
from builders import world
from hypothesis import given
from hypothesis import settings

from webhook.engine.review import review

WORLD = world()
RETRIES = 20


def tried(obj: dict[str, Any], attempt: int) -> dict[str, Any]:
    """Answer a pod as its controller tries it once more: named anew, with a token volume that is named anew too."""
    name, volume = f"llm-7d9c-zq{attempt:03}", f"kube-api-access-zq{attempt:03}"
    metadata = {**obj["metadata"], "name": name, "generateName": "llm-7d9c-", "uid": f"uid-{attempt}"}
    metadata["creationTimestamp"] = f"2026-11-29T00:00:{attempt:02}Z"
    mount = {"name": volume, "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}
    containers = [{**one, "volumeMounts": [mount]} for one in obj["spec"]["containers"]]
    spec = {**obj["spec"], "containers": containers, "volumes": [{"name": volume, "projected": {"sources": []}}]}
    return {**obj, "metadata": metadata, "spec": spec}


@given(obj=strategies.pods())
@settings(max_examples=20)
def test_twenty_tries_are_told_the_same_without_name_and_time(obj: dict[str, Any]) -> None:
    for make in (mutating, request):
        told = []
        for attempt in range(RETRIES):
            later = replace(WORLD, instant=WORLD.instant + timedelta(seconds=2**attempt))
            decision = review(make(tried(obj, attempt), name=f"llm-7d9c-zq{attempt:03}", uid=f"uid-{attempt}"), later)
            told.append((decision.allowed, decision.message, decision.causes, decision.warnings, decision.audit))

        assert told == [told[0]] * RETRIES
        assert not any(word in str(told[0]) for word in ("llm-7d9c", "zq0", "uid-", "2026-"))
