"""Conditions tell combinations of choices apart, in as few words as do."""

from collections.abc import Callable

import pytest

from webhook.manifests.chart.choice import CHOICES
from webhook.manifests.chart.choice import COMBINATIONS
from webhook.manifests.chart.choice import SET
from webhook.manifests.chart.choice import Combination
from webhook.manifests.chart.choice import Some
from webhook.manifests.chart.choice import chain
from webhook.manifests.chart.choice import condition

MODE, SOURCE, CERTIFICATES, BUNDLE, URL, CONTROLLER_URL, API_SERVERS, _ = range(len(CHOICES))


def some(test: Callable[[Combination], bool]) -> Some:
    """Answer the combinations that pass."""
    return frozenset(filter(test, COMBINATIONS))


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (some(lambda one: one[MODE] == "enforce"), 'eq .Values.mode "enforce"'),
        (some(lambda one: one[MODE] != "observe"), 'ne .Values.mode "observe"'),
        (some(lambda one: one[BUNDLE] == SET), ".Values.certificates.caBundle"),
        (some(lambda one: one[URL] != SET), "not .Values.webhooks.url"),
        (
            some(lambda one: one[MODE] == "trial" and one[API_SERVERS] == SET),
            'and (eq .Values.mode "trial") .Values.networkPolicy.apiServers',
        ),
        (
            some(lambda one: one[SOURCE] == "objects" and (one[URL] != SET or one[CONTROLLER_URL] == SET)),
            'and (eq .Values.policy.source "objects") (or (not .Values.webhooks.url) .Values.webhooks.controllerUrl)',
        ),
    ],
)
def test_a_condition_is_short(wanted: Some, text: str) -> None:
    assert condition(wanted, COMBINATIONS) == text


def test_what_no_condition_tells_apart_has_none() -> None:
    wanted = some(lambda one: (one[MODE] == "trial") != (one[API_SERVERS] == SET))

    assert condition(wanted, COMBINATIONS) is None
    assert chain([wanted, COMBINATIONS - wanted], COMBINATIONS) is None


def test_inside_a_branch_only_what_is_left_is_told_apart() -> None:
    among = some(lambda one: one[SOURCE] == "file")

    assert condition(some(lambda one: one[SOURCE] == "file" and one[CERTIFICATES] == "self-signed"), among) == (
        'eq .Values.certificates.mode "self-signed"'
    )


def test_a_chain_begins_with_what_is_said_without_a_negation_and_ends_with_else() -> None:
    chosen = some(lambda one: one[URL] == SET)

    assert chain([COMBINATIONS - chosen, chosen], COMBINATIONS) == [
        ("if .Values.webhooks.url", chosen),
        ("else", COMBINATIONS - chosen),
    ]


def test_a_chain_that_does_not_cover_everything_has_no_else() -> None:
    sets = [some(lambda one, mode=mode: one[MODE] == mode) for mode in ("trial", "enforce")]  # type: ignore[misc]

    assert [opening for opening, _ in chain(sets, COMBINATIONS) or []] == [
        'if eq .Values.mode "trial"',
        'else if eq .Values.mode "enforce"',
    ]
