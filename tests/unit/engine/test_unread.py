"""A request that is too large to be read: who is refused, and who passes."""

from dataclasses import replace
from datetime import UTC
from datetime import datetime

import pytest

from webhook.domain.levels import Level
from webhook.domain.levels import Modes
from webhook.domain.policy import ExemptionRule
from webhook.domain.policy import Match
from webhook.domain.policy import Policy
from webhook.engine import unread
from webhook.engine.decision import Decision
from webhook.engine.decision import Outcome
from webhook.engine.request import Pass
from webhook.engine.world import World
from webhook.sources.policy_file import load_policy

ENFORCES = load_policy().policies[0]
OBSERVES = replace(ENFORCES, modes=Modes(enforce=Level.NONE))


def decide(
    *policies: Policy, namespace: str = "team-a", resource: str = "pods", review_pass: Pass = Pass.VALIDATE
) -> Decision:
    """Decide in a world with `policies`."""
    world = World(
        policies=policies,
        classes=(),
        own_namespace="ours",
        instant=datetime(2026, 11, 30, tzinfo=UTC),
        namespaces={"raised": {"numagate.io/enforce": "aligned"}},
    )
    return unread.decide(review_pass, resource, namespace, "is larger than 1000 bytes", world)


def test_a_pod_is_refused_where_a_policy_enforces() -> None:
    decision = decide(OBSERVES, ENFORCES)

    assert (decision.allowed, decision.code, decision.outcome) == (False, 413, Outcome.DENY)
    assert decision.message == (
        "the review of this pod is larger than 1000 bytes, so it cannot be judged: make the pod smaller"
    )


def test_a_label_of_the_namespace_counts() -> None:
    assert not decide(OBSERVES, namespace="raised").allowed


EXEMPTIONS = replace(ENFORCES.exemptions, rules=(ExemptionRule(reason="old", namespaces=("team-*",)),))
EXEMPT = replace(ENFORCES, exemptions=EXEMPTIONS)
ELSEWHERE = replace(ENFORCES, match=Match(namespaces=("team-b",)))


@pytest.mark.parametrize(
    ("policies", "options"),
    [
        ((), {}),
        ((OBSERVES,), {}),
        ((EXEMPT,), {}),
        ((ELSEWHERE,), {}),
        ((ENFORCES,), {"namespace": "kube-system"}),
        ((ENFORCES,), {"namespace": "ours"}),
        ((ENFORCES,), {"resource": "podtemplates"}),
    ],
    ids=["no policy", "observing", "exempt", "elsewhere", "kube-system", "our own", "a template"],
)
def test_everything_else_passes_with_a_warning(policies: tuple[Policy, ...], options: dict[str, str]) -> None:
    decision = decide(*policies, **options)

    assert (decision.allowed, decision.outcome) == (True, Outcome.UNKNOWN)
    assert decision.audit == {"decision": "unknown"}
    assert decision.warnings == ("numagate cannot read this object: its review is larger than 1000 bytes",)


def test_the_mutating_pass_never_refuses() -> None:
    decision = decide(ENFORCES, review_pass=Pass.MUTATE)

    assert (decision.allowed, decision.patch, decision.audit) == (True, (), {})
