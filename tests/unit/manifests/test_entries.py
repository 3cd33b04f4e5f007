"""Every entry has conditions that keep other objects away from numagate."""

import pytest

from webhook.manifests.entries import Entry
from webhook.manifests.entries import mutating
from webhook.manifests.entries import validating
from webhook.manifests.settings import Settings


@pytest.fixture
def found(settings: Settings) -> tuple[Entry, ...]:
    """Answer all entries of the built-in policy."""
    return (*mutating(settings.policy), *validating(settings.policy))


def test_every_entry_asks_for_an_accelerator(found: tuple[Entry, ...]) -> None:
    unasked = [entry.name for entry in found if "'nvidia.com/gpu'" not in entry.conditions[-1][1]]

    assert unasked == []


def test_every_entry_but_the_promise_looks_for_a_key_of_ours(found: tuple[Entry, ...]) -> None:
    without = [
        entry.name for entry in found if "m.exists(k, k.startsWith('numagate.io/'))" not in entry.conditions[-1][1]
    ]

    assert without == ["promise.validate.numagate.io"]


def test_names_are_unique_and_qualified(found: tuple[Entry, ...]) -> None:
    names = [entry.name for entry in found]

    assert sorted(set(names)) == sorted(names)
    assert {name.count(".") for name in names} == {3}


def test_conditions_stay_within_what_an_api_server_takes(found: tuple[Entry, ...]) -> None:
    assert [entry.name for entry in found if len(entry.conditions) > 60] == []


def test_claims_and_templates_are_the_entries_that_never_bind(found: tuple[Entry, ...]) -> None:
    assert [entry.name.split(".")[0] for entry in found if not entry.binding] == ["claims", "templates"]
