"""Namespace labels raise levels and cannot lower them."""

from typing import Any

import pytest

from webhook.domain.finding import Severity
from webhook.domain.levels import Level
from webhook.domain.levels import Modes
from webhook.domain.policy import Override
from webhook.domain.policy import Overrides
from webhook.engine.namespace_levels import apply
from webhook.engine.namespace_levels import find
from webhook.engine.namespace_levels import labels_of

RAISE = Overrides()
MODES = Modes(enforce=Level.GUARANTEED, repair=Level.NONE, warn=Level.ALIGNED, audit=Level.ALIGNED)


def labels(**modes: str) -> dict[str, str]:
    return {f"numagate.io/{mode}": level for mode, level in modes.items()}


def test_a_higher_level_is_taken_over_for_its_mode_only() -> None:
    raised = apply(MODES, labels(enforce="aligned", repair="exclusive"), RAISE)
    assert raised == Modes(enforce=Level.ALIGNED, repair=Level.EXCLUSIVE, warn=Level.ALIGNED, audit=Level.ALIGNED)


@pytest.mark.parametrize("level", ["none", "guaranteed", "nonsense", ""])
def test_a_lower_or_unknown_level_changes_nothing(level: str) -> None:
    assert apply(MODES, labels(enforce=level, warn=level), RAISE) == MODES


def test_the_policy_says_of_each_mode_what_a_label_may_do() -> None:
    overrides = Overrides(enforce=Override.ANY, repair=Override.NONE)
    changed = apply(MODES, labels(enforce="none", repair="aligned", warn="none"), overrides)
    assert changed == Modes(enforce=Level.NONE, repair=Level.NONE, warn=Level.ALIGNED, audit=Level.ALIGNED)


def test_a_label_that_the_policy_does_not_listen_to_is_a_warning() -> None:
    overrides = Overrides(enforce=Override.NONE, audit=Override.ANY)
    (finding,) = find(MODES, labels(enforce="aligned", audit="none"), overrides)
    assert (finding.severity, finding.actual, finding.wanted) == (Severity.WARNING, "aligned", "guaranteed")
    assert "no namespace" in finding.message


def test_levels_that_have_an_effect_or_none_to_have_are_no_findings() -> None:
    assert list(find(MODES, {**labels(enforce="aligned", warn="aligned", repair="none"), "x": "y"}, RAISE)) == []


def test_a_lower_level_is_a_warning_that_names_the_level_of_the_policy() -> None:
    (finding,) = find(MODES, labels(enforce="none"), RAISE)
    assert (finding.severity, finding.actual, finding.wanted) == (Severity.WARNING, "none", "guaranteed")


def test_an_unknown_level_is_invalid_and_tells_the_known_ones() -> None:
    (finding,) = find(MODES, labels(audit="allign"), RAISE)
    assert (finding.severity, finding.path) == (Severity.INVALID, ("metadata", "labels", "numagate.io/audit"))
    assert "none, guaranteed, exclusive, aligned" in finding.message


@pytest.mark.parametrize("namespace", [{}, {"metadata": None}, {"metadata": {"labels": []}}])
def test_a_namespace_without_labels_has_none(namespace: dict[str, Any]) -> None:
    assert labels_of(namespace) == {}
