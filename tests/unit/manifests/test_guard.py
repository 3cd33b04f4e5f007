"""The rule that guards the opt-out label; what it refuses is tested against a real API server."""

from webhook.domain import keys
from webhook.manifests.guard import guard


def test_the_policy_is_bound_and_denies() -> None:
    policy, binding, _ = guard()

    assert binding["spec"] == {"policyName": policy["metadata"]["name"], "validationActions": ["Deny"]}


def test_namespaces_without_the_label_are_never_looked_at() -> None:
    conditions = guard()[0]["spec"]["matchConditions"]

    assert [item["expression"] for item in conditions] == [f"object.metadata.?labels[?'{keys.ADMISSION}'].hasValue()"]


def test_every_way_to_change_a_label_is_watched() -> None:
    (rule,) = guard()[0]["spec"]["matchConstraints"]["resourceRules"]

    assert rule["resources"] == ["namespaces", "namespaces/status", "namespaces/finalize"]


def test_every_refusal_names_the_label() -> None:
    messages = [item["message"] for item in guard()[0]["spec"]["validations"]]

    assert [keys.ADMISSION in message for message in messages] == [True, True]


def test_the_role_grants_the_verb_and_nothing_else() -> None:
    assert guard()[2]["rules"] == [{"apiGroups": ["numagate.io"], "resources": ["namespaces"], "verbs": ["opt-out"]}]
