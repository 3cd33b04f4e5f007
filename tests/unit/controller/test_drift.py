"""What of an installed webhook configuration is ours to keep, and the patch that keeps it."""

from typing import Any

from webhook.controller.drift import compare
from webhook.domain.jsonpatch import Operation
from webhook.domain.jsonpatch import apply


def entry(name: str, **fields: Any) -> dict[str, Any]:
    return {
        "name": name,
        "clientConfig": {"caBundle": "CA"},
        "rules": [{"resources": ["pods"]}],
        "matchConditions": [{"name": "a", "expression": "true"}],
        "namespaceSelector": {"matchExpressions": []},
        "failurePolicy": "Fail",
        **fields,
    }


def configuration(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"metadata": {"name": "numagate", "resourceVersion": "7"}, "webhooks": list(entries)}


def test_equal_configurations_have_no_drift() -> None:
    drift = compare(configuration(entry("pods")), configuration(entry("pods")))

    assert (drift.patch, drift.words) == ((), "")


def test_what_belongs_to_whoever_installs_is_left_alone() -> None:
    theirs = entry("pods", clientConfig={"caBundle": "other"}, failurePolicy="Ignore", timeoutSeconds=9)

    assert compare(configuration(theirs), configuration(entry("pods"))).words == ""


def test_a_difference_is_named_and_mended_at_its_place() -> None:
    installed = configuration(entry("other"), entry("pods", rules=[], namespaceSelector={}))
    wanted = configuration(entry("pods"))

    drift = compare(installed, wanted)

    assert drift.words == "rules of pods differ, namespaceSelector of pods differ"
    assert drift.patch == (
        {"op": "test", "path": "/metadata/resourceVersion", "value": "7"},
        {"op": "test", "path": "/webhooks/1/name", "value": "pods"},
        {"op": "add", "path": "/webhooks/1/rules", "value": [{"resources": ["pods"]}]},
        {"op": "add", "path": "/webhooks/1/namespaceSelector", "value": {"matchExpressions": []}},
    )


def test_the_patch_gives_what_was_wanted() -> None:
    installed = configuration(entry("other"), entry("pods", matchConditions=[]))
    wanted = configuration(entry("pods"))
    drift = compare(installed, wanted)
    operations = tuple(
        Operation(str(one["op"]), str(one["path"]), one["value"]) for one in drift.patch if one["op"] == "add"
    )

    mended = apply(installed, operations)

    assert compare(mended, wanted).words == ""
    assert mended["webhooks"] == [entry("other"), entry("pods")]


def test_no_conditions_and_an_empty_list_of_them_are_the_same() -> None:
    installed = entry("pods")
    del installed["matchConditions"]

    assert compare(configuration(installed), configuration(entry("pods", matchConditions=[]))).words == ""


def test_an_entry_that_is_not_installed_is_told_and_not_made() -> None:
    drift = compare(configuration(), configuration(entry("pods")))

    assert (drift.patch, drift.missing, drift.words) == ((), ("pods",), "entry pods is not installed")
