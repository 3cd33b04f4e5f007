"""Both configurations: names, rules, selectors and what happens without an answer."""

import base64
from dataclasses import replace
from typing import Any

import pytest

from webhook.domain.policy import ExemptionRule
from webhook.domain.policy import Exemptions
from webhook.manifests.settings import Settings
from webhook.manifests.webhooks import configurations

NAMES = [
    "pods.mutate.numagate.io",
    "pods.validate.numagate.io",
    "promise.validate.numagate.io",
    "subresources.validate.numagate.io",
    "claims.validate.numagate.io",
    "templates.validate.numagate.io",
    "operators.validate.numagate.io",
    "objects.validate.numagate.io",
]


def entries(settings: Settings, **options: Any) -> list[dict[str, Any]]:
    return [entry for made in configurations(settings.policy, **options) for entry in made["webhooks"]]


def one(settings: Settings, name: str, **options: Any) -> dict[str, Any]:
    (entry,) = (entry for entry in entries(settings, **options) if entry["name"] == name)
    return entry


def test_both_configurations_have_our_name(settings: Settings) -> None:
    made = configurations(settings.policy)

    assert [(item["kind"], item["metadata"]["name"]) for item in made] == [
        ("MutatingWebhookConfiguration", "numagate"),
        ("ValidatingWebhookConfiguration", "numagate"),
    ]


def test_the_entries_are_those_of_the_design(settings: Settings) -> None:
    assert [entry["name"] for entry in entries(settings)] == NAMES


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("enforce", ["Fail"] * 4 + ["Ignore"] * 4),
        ("trial", ["Ignore"] * 8),
        ("observe", ["Ignore"] * 7),
    ],
)
def test_only_enforcing_refuses_for_want_of_an_answer(settings: Settings, mode: str, expected: list[str]) -> None:
    assert [entry["failurePolicy"] for entry in entries(settings, mode=mode)] == expected


def test_observing_keeps_an_empty_mutating_configuration(settings: Settings) -> None:
    first = configurations(settings.policy, mode="observe")[0]

    assert (first["kind"], first["webhooks"]) == ("MutatingWebhookConfiguration", [])


def test_an_unknown_mode_is_refused(settings: Settings) -> None:
    with pytest.raises(ValueError, match="'shadow' is not a valid Mode"):
        configurations(settings.policy, mode="shadow")


def test_the_mode_can_be_read_from_both_configurations(settings: Settings) -> None:
    made = configurations(settings.policy, mode="trial")

    assert {item["metadata"]["labels"]["numagate.io/mode"] for item in made} == {"trial"}


def test_time_limits_are_three_and_five_seconds(settings: Settings) -> None:
    assert [entry["timeoutSeconds"] for entry in entries(settings)] == [3, 5, 5, 5, 3, 3, 3, 3]


def test_only_the_mutating_entry_is_invoked_again(settings: Settings) -> None:
    assert [entry.get("reinvocationPolicy") for entry in entries(settings)] == ["IfNeeded"] + [None] * 7


def test_every_entry_is_free_of_side_effects_and_speaks_v1(settings: Settings) -> None:
    found = {
        (entry["sideEffects"], *entry["admissionReviewVersions"], entry["matchPolicy"]) for entry in entries(settings)
    }

    assert found == {("None", "v1", "Equivalent")}


def test_no_label_of_an_object_keeps_it_away(settings: Settings) -> None:
    assert [entry["objectSelector"] for entry in entries(settings)] == [{}] * 8


def test_own_kube_system_and_exempt_namespaces_are_excluded_by_name(settings: Settings) -> None:
    entry = one(settings, "pods.validate.numagate.io", namespace="elsewhere")
    names, label = entry["namespaceSelector"]["matchExpressions"]

    assert (names["key"], names["operator"]) == ("kubernetes.io/metadata.name", "NotIn")
    assert {"kube-system", "elsewhere", "gpu-operator"} <= set(names["values"])
    assert names["values"] == sorted(set(names["values"]))
    assert label == {"key": "numagate.io/admission", "operator": "NotIn", "values": ["disabled"]}


def test_exempt_namespaces_by_pattern_become_a_condition(settings: Settings) -> None:
    exemptions = Exemptions(rules=(ExemptionRule("tests", namespaces=("kube-system", "openshift-*")),), pods=False)
    changed = replace(settings, policy=replace(settings.policy, exemptions=exemptions))

    entry = one(changed, "pods.mutate.numagate.io")

    assert entry["namespaceSelector"]["matchExpressions"][0]["values"] == ["kube-system", "numagate-system"]
    assert entry["matchConditions"][0] == {
        "name": "namespace-not-exempt",
        "expression": "!has(request.namespace) || !(request.namespace.startsWith('openshift-'))",
    }


def test_the_service_is_called_by_default(settings: Settings) -> None:
    assert one(settings, "pods.mutate.numagate.io")["clientConfig"] == {
        "service": {"namespace": "numagate-system", "name": "numagate", "port": 443, "path": "/mutate"}
    }


def test_an_address_replaces_the_service_and_the_bundle_is_encoded(settings: Settings) -> None:
    entry = one(settings, "pods.validate.numagate.io", url="https://127.0.0.1:9443/", ca_bundle=b"PEM")

    assert entry["clientConfig"] == {
        "url": "https://127.0.0.1:9443/validate",
        "caBundle": base64.b64encode(b"PEM").decode(),
    }


def test_subresources_are_named_one_by_one(settings: Settings) -> None:
    resources = [name for entry in entries(settings) for rule in entry["rules"] for name in rule["resources"]]

    assert [name for name in resources if "*" in name] == []
    assert {name for name in resources if "/" in name} == {"pods/status", "pods/ephemeralcontainers", "pods/resize"}


def test_the_rules_of_templates_come_from_the_registry(settings: Settings) -> None:
    rules = one(settings, "templates.validate.numagate.io")["rules"]
    found = {(rule["apiGroups"][0], name) for rule in rules for name in rule["resources"]}

    assert {("apps", "deployments"), ("batch", "cronjobs"), ("", "podtemplates")} <= found
    assert ("", "pods") not in found
    assert {tuple(rule["operations"]) for rule in rules} == {("CREATE", "UPDATE")}


def test_pods_are_mutated_only_when_they_are_created(settings: Settings) -> None:
    (rule,) = one(settings, "pods.mutate.numagate.io")["rules"]

    assert (rule["operations"], rule["resources"]) == (["CREATE"], ["pods"])


WARNED = "namespaces.validate.numagate.io"


def test_the_controller_is_asked_only_where_there_is_one(settings: Settings) -> None:
    assert WARNED not in {entry["name"] for entry in entries(settings)}
    assert WARNED in {entry["name"] for entry in entries(settings, selected=())}


@pytest.mark.parametrize("mode", ["observe", "trial", "enforce"])
def test_a_change_of_a_namespace_waits_two_seconds_and_never_fails(settings: Settings, mode: str) -> None:
    entry = one(settings, WARNED, selected=(), mode=mode)

    assert (entry["failurePolicy"], entry["timeoutSeconds"], entry["sideEffects"]) == ("Ignore", 2, "None")
    assert entry["rules"] == [
        {
            "apiGroups": [""],
            "apiVersions": ["v1"],
            "operations": ["UPDATE"],
            "resources": ["namespaces"],
            "scope": "Cluster",
        }
    ]
    assert entry["clientConfig"]["service"]["name"] == "numagate-controller"


def test_labels_that_policies_select_by_are_watched(settings: Settings) -> None:
    (condition,) = one(settings, WARNED, selected=("tier", "example.com/team"))["matchConditions"]

    assert "k in ['example.com/team', 'tier'] ||" in condition["expression"]
    assert "k.startsWith('numagate.io/')" in condition["expression"]


def test_an_exempt_pattern_is_compared_with_the_name_of_the_namespace(settings: Settings) -> None:
    rule = ExemptionRule("tests", namespaces=("openshift-*",))
    exempting = replace(settings.policy, exemptions=Exemptions(rules=(rule,), pods=False))
    made = configurations(exempting, selected=())
    entry: Any = made[1]["webhooks"]

    assert entry[-1]["matchConditions"][0]["expression"] == "!(object.metadata.name.startsWith('openshift-'))"


def test_by_address_the_controller_has_one_of_its_own(settings: Settings) -> None:
    url = "https://127.0.0.1:1"
    entry = one(settings, WARNED, selected=(), url=url, controller_url="https://127.0.0.1:2")

    assert entry["clientConfig"] == {"url": "https://127.0.0.1:2/namespaces"}
    assert WARNED not in {entry["name"] for entry in entries(settings, selected=(), url=url)}
