"""The table of verdicts: each rule with a promise kept, one broken, and one of which nobody can tell."""

from collections.abc import Mapping

import pytest
from verdicttable import VerdictCase
from verdicttable import load
from verdicttable import told

from webhook.domain.verdict import Outcome
from webhook.domain.verdict import PodVerdict
from webhook.engine.verify import RULES

CASES = load()


def by_code(verdict: PodVerdict, expected: Mapping[str, str]) -> dict[str, str]:
    """Answer what must be told of a verdict: every rule that is not aligned, and those that the row names."""
    found: dict[str, str] = {}
    for rule in verdict.rules:
        if rule.outcome is not Outcome.ALIGNED or rule.rule in expected:
            worse = found.get(rule.rule, "aligned") == "aligned"
            found[rule.rule] = told(rule, expected.get(rule.rule, ":")) if worse else found[rule.rule]
    return {**dict.fromkeys(expected, "absent"), **found}


@pytest.mark.parametrize("case", [one for one in CASES if one.outcome], ids=lambda case: case.id)
def test_a_pod_is_judged_as_the_table_says(case: VerdictCase) -> None:
    verdicts = {f"{one.namespace}/{one.name}": one for one in case.judge().pods}
    verdict = verdicts[case.pod]

    assert by_code(verdict, case.rules) == case.rules
    assert verdict.outcome.value == case.outcome
    outcomes = case.more.get("pods", {case.pod: case.outcome})
    assert {name: one.outcome.value for name, one in verdicts.items()} == outcomes


@pytest.mark.parametrize("case", [one for one in CASES if "faults" in one.more], ids=lambda case: case.id)
def test_a_node_has_the_faults_that_the_table_says(case: VerdictCase) -> None:
    assert {fault.code: fault.reason for fault in case.judge().faults} == case.more["faults"]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
@pytest.mark.parametrize("outcome", Outcome, ids=lambda outcome: outcome.value)
def test_each_rule_has_a_case_of_each_outcome(rule: object, outcome: Outcome) -> None:
    code = getattr(rule, "code", "")
    rows = [case.id for case in CASES if case.rules.get(code, "").partition(":")[0] == outcome.value]

    assert [row for row in rows if row.startswith(f"{code}/")]
