"""Every entry has conditions that keep other objects away from numagate."""

import pytest

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


def test_every_entry_asks_for_an_accelerator(found: tuple[Entry, ...]) -> None:
    unasked = [entry.name for entry in found if "'nvidia.com/gpu'" not in entry.conditions[-1][1]]

    assert unasked == []


def test_every_entry_but_the_promise_looks_for_a_key_of_ours(found: tuple[Entry, ...]) -> None:
    without = [
        entry.name for entry in found if "m.exists(k, k.startsWith('numagate.io/'))" not in entry.conditions[-1][1]
    ]

    assert without == ["promise.validate.numagate.io"]


def test_names_are_unique_and_qualified(settings: Settings) -> None:
    names = [entry.name for entry in every(settings)]

    assert sorted(set(names)) == sorted(names)
    assert {name.count(".") for name in names} == {3}


def test_conditions_stay_within_what_an_api_server_takes(found: tuple[Entry, ...]) -> None:
    assert [entry.name for entry in found if len(entry.conditions) > 60] == []


def test_claims_templates_and_our_own_objects_are_the_entries_that_never_bind(settings: Settings) -> None:
    unbound = [entry.name.split(".")[0] for entry in every(settings) if not entry.binding]

    assert unbound == ["claims", "templates", "objects"]


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
