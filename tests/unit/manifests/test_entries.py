"""Every entry has conditions that keep other objects away from numagate."""

from dataclasses import replace

import pytest

from webhook.domain.workload import Workload
from webhook.domain.workload import pod_spec
from webhook.domain.workload import template
from webhook.engine.kinds import REGISTERED
from webhook.manifests.entries import Entry
from webhook.manifests.entries import mutating
from webhook.manifests.entries import validating
from webhook.manifests.settings import Settings

OWN = "objects.validate.numagate.io"


@pytest.fixture
def found(settings: Settings) -> tuple[Entry, ...]:
    """Answer all entries of the built-in policy that are about pods."""
    return tuple(entry for entry in every(settings) if entry.name != OWN)


def every(settings: Settings) -> tuple[Entry, ...]:
    return (*mutating(settings.policy), *validating(settings.policy))


def test_every_entry_but_that_of_operators_asks_for_an_accelerator(found: tuple[Entry, ...]) -> None:
    unasked = [entry.name for entry in found if "'nvidia.com/gpu'" not in entry.conditions[-1][1]]

    assert unasked == ["operators.validate.numagate.io"]


def test_every_entry_but_two_looks_for_a_key_of_ours(found: tuple[Entry, ...]) -> None:
    without = [
        entry.name for entry in found if "m.exists(k, k.startsWith('numagate.io/'))" not in entry.conditions[-1][1]
    ]

    assert without == ["promise.validate.numagate.io", "operators.validate.numagate.io"]


def test_updates_by_the_controllers_of_operators_stay_out_of_the_way(found: tuple[Entry, ...]) -> None:
    ((_, condition),) = found[-1].conditions

    assert condition == (
        "request.operation != 'UPDATE' || "
        "object.?metadata.?generation.orValue(0) != oldObject.?metadata.?generation.orValue(0)"
    )


def test_kinds_with_their_template_where_deployments_have_it_are_told_by_the_same_condition(
    found: tuple[Entry, ...],
) -> None:
    by_entry = {
        entry.name.split(".")[0]: {(rule["apiGroups"][0], name) for rule in entry.rules for name in rule["resources"]}
        for entry in found
    }

    assert {("argoproj.io", "rollouts"), ("serving.knative.dev", "services")} <= by_entry["templates"]
    assert {("ray.io", "rayclusters"), ("kaito.sh", "workspaces")} <= by_entry["operators"]
    assert by_entry["templates"] & by_entry["operators"] == set()


def test_every_kind_but_the_pod_is_in_one_of_the_two_entries(found: tuple[Entry, ...]) -> None:
    listed = {
        (rule["apiGroups"][0], version, name)
        for entry in found[-2:]
        for rule in entry.rules
        for version in rule["apiVersions"]
        for name in rule["resources"]
    }
    known = {(kind.group, version, kind.resource) for kind in REGISTERED for version in kind.versions}

    assert known - listed == {("", "v1", "pods")}


def test_kinds_of_the_policy_are_asked_for_whatever_their_scope(settings: Settings) -> None:
    plain = Workload("a", "a.example", ("v1",), "A", "as", (template(".spec.template"),), namespaced=None)
    nested = Workload("b", "b.example", ("v1", "v2"), "B", "bs", (pod_spec(".spec.parts[*]"),), namespaced=None)
    *_, templates, operators, _ = validating(replace(settings.policy, workloads=(plain, nested)))

    assert [rule for rule in templates.rules if rule["scope"] == "*"] == [
        {
            "apiGroups": ["a.example"],
            "apiVersions": ["v1"],
            "operations": ["CREATE", "UPDATE"],
            "resources": ["as"],
            "scope": "*",
        }
    ]
    assert [(rule["apiVersions"], rule["resources"]) for rule in operators.rules if rule["scope"] == "*"] == [
        (["v1", "v2"], ["bs"])
    ]


def test_kinds_of_the_whole_cluster_are_asked_for_as_such(found: tuple[Entry, ...]) -> None:
    whole = {name for rule in found[-1].rules if rule["scope"] == "Cluster" for name in rule["resources"]}

    assert whole == {"clusterservingruntimes", "clustertrainingruntimes"}


def test_names_are_unique_and_qualified(settings: Settings) -> None:
    names = [entry.name for entry in every(settings)]

    assert sorted(set(names)) == sorted(names)
    assert {name.count(".") for name in names} == {3}


def test_conditions_stay_within_what_an_api_server_takes(found: tuple[Entry, ...]) -> None:
    assert [entry.name for entry in found if len(entry.conditions) > 60] == []


def test_claims_templates_operators_and_our_own_objects_are_the_entries_that_never_bind(settings: Settings) -> None:
    unbound = [entry.name.split(".")[0] for entry in every(settings) if not entry.binding]

    assert unbound == ["claims", "templates", "operators", "objects"]


def test_our_own_objects_are_cluster_wide_and_their_status_is_never_asked_about(settings: Settings) -> None:
    (own,) = (entry for entry in every(settings) if entry.name == OWN)

    assert own.rules == (
        {
            "apiGroups": ["numagate.io"],
            "apiVersions": ["v1alpha1"],
            "operations": ["CREATE", "UPDATE"],
            "resources": ["alignmentpolicies", "nodeprofiles"],
            "scope": "Cluster",
        },
    )
