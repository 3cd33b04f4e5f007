"""The rule that guards the level labels; what it refuses is tested against a real API server."""

from webhook.domain import keys
from webhook.manifests.level_guard import level_guard


def test_one_policy_is_about_all_four_labels() -> None:
    (condition,) = level_guard()[0]["spec"]["matchConditions"]

    assert [key in condition["expression"] for key in keys.MODES] == [True] * 4


def test_it_is_bound_and_denies() -> None:
    policy, binding, _ = level_guard()

    assert binding["spec"] == {"policyName": policy["metadata"]["name"], "validationActions": ["Deny"]}


def test_every_way_to_change_a_label_is_watched() -> None:
    (rule,) = level_guard()[0]["spec"]["matchConstraints"]["resourceRules"]

    assert rule["resources"] == ["namespaces", "namespaces/status", "namespaces/finalize"]


def test_the_legal_values_are_the_levels() -> None:
    legal = level_guard()[0]["spec"]["validations"][0]

    assert legal["message"].endswith("must be none, guaranteed, exclusive or aligned")


def test_the_role_grants_the_verb_and_nothing_else() -> None:
    assert level_guard()[2]["rules"] == [
        {"apiGroups": ["numagate.io"], "resources": ["namespaces"], "verbs": ["lower"]}
    ]
