"""The rules that bind agents to their nodes; what they refuse is tested against a real API server."""

from dataclasses import replace
from typing import Any

import pytest

from webhook.manifests.agent_guard import agent_guard
from webhook.manifests.rbac import agent_rights
from webhook.manifests.settings import Settings


def policies(settings: Settings) -> list[Any]:
    """Answer the policies."""
    return [one for one in agent_guard(settings) if one["kind"] == "ValidatingAdmissionPolicy"]


def test_everything_that_an_agent_may_write_is_guarded(settings: Settings) -> None:
    rules = [rule for policy in policies(settings) for rule in policy["spec"]["matchConstraints"]["resourceRules"]]
    guarded = {(rule["apiGroups"][0], rule["resources"][0]) for rule in rules}
    writes = {
        (rule["apiGroups"][0], resource)
        for role in agent_rights(settings)
        for rule in role.get("rules", [])  # type: ignore[attr-defined]
        for resource in rule["resources"]
        if {"create", "patch", "update"} & set(rule["verbs"])
    }

    assert guarded == writes


def test_each_policy_fails_closed_and_is_bound(settings: Settings) -> None:
    made: list[Any] = agent_guard(settings)
    bound = {one["spec"]["policyName"] for one in made if one["kind"].endswith("Binding")}

    assert {one["metadata"]["name"] for one in policies(settings)} == bound
    assert {one["spec"]["failurePolicy"] for one in policies(settings)} == {"Fail"}
    assert [one["spec"]["validationActions"] for one in made if one["kind"].endswith("Binding")] == [["Deny"]] * 3


@pytest.mark.parametrize("namespace", ["numagate-agent", "elsewhere"])
def test_it_is_about_the_account_of_the_agents(settings: Settings, namespace: str) -> None:
    account = f"'system:serviceaccount:{namespace}:numagate-agent'"

    for policy in policies(replace(settings, agent_namespace=namespace)):
        (condition,) = policy["spec"]["matchConditions"]
        assert condition["expression"] == f"request.userInfo.username == {account}"


def test_a_token_without_a_node_is_refused_first(settings: Settings) -> None:
    first = {policy["spec"]["validations"][0]["expression"] for policy in policies(settings)}

    assert first == {"variables.node != ''"}
