"""A policy that reaches for kube-system, numagate's namespace or its pods is refused."""

import pytest

from webhook.config.document import read_stream
from webhook.config.lockout import lockouts

HEAD = "apiVersion: numagate.io/v1alpha1\nkind: AlignmentPolicy\nmetadata: {name: x}\nspec:\n"


def found(spec: str, own_namespace: str = "numagate-system") -> list[str]:
    (document,) = read_stream(HEAD + f"  {spec}\n", "")
    return [f"{error.field}: {error.reason}" for error in lockouts(document, own_namespace=own_namespace)]


@pytest.mark.parametrize(
    "spec",
    [
        "{}",
        "modes: {enforce: aligned}",
        "namespaces: [{match: ['*'], modes: {enforce: aligned}}]",
        "namespaces: [{match: ['**'], modes: {}}]",
        "namespaces: [{match: [kube-system, kube-*], modes: {enforce: none}}]",
        "namespaces: [{match: [team-*], modes: {enforce: aligned}}]",
        "{modes: {enforce: none}, namespaces: [{match: [kube-system], modes: {warn: aligned}}]}",
        "{modes: {enforce: none}, match: {namespaces: [kube-system]}}",
        "match: {namespaces: ['*']}",
        "match: {podSelector: {matchLabels: {app.kubernetes.io/name: server}}}",
        "match: {podSelector: {matchExpressions: [{key: app, operator: In, values: [numagate]}]}}",
        "match: {namespaceSelector: {matchLabels: {team: kube-system}}}",
    ],
)
def test_these_policies_reach_for_nothing_of_the_kind(spec: str) -> None:
    assert found(spec) == []


APP = "app.kubernetes.io/name"
CONTROLLER = "numagate-controller"
NAMESPACE = "which is never enforced: leave it out, or write enforce: none"
NAME = "never governed: numagate and kube-system start without it"


@pytest.mark.parametrize(
    ("spec", "field", "reason"),
    [
        (
            "namespaces: [{match: [team, kube-system], modes: {enforce: aligned}}]",
            "spec.namespaces[0].match[1]",
            f'"kube-system" names a namespace {NAMESPACE}',
        ),
        (
            "namespaces: [{match: ['*-system'], modes: {}}]",
            "spec.namespaces[0].match[0]",
            f'"*-system" matches kube-system, {NAMESPACE}',
        ),
        (
            "match: {namespaces: [numagate-system]}",
            "spec.match.namespaces[0]",
            f'"numagate-system" names a namespace {NAMESPACE}',
        ),
        (
            "match: {namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: kube-system}}}",
            "spec.match.namespaceSelector.matchLabels[kubernetes.io/metadata.name]",
            f'"kube-system" is {NAME}',
        ),
        (
            f"match: {{podSelector: {{matchExpressions: [{{key: {APP}, operator: In, values: [a, {CONTROLLER}]}}]}}}}",
            "spec.match.podSelector.matchExpressions[0].values[1]",
            f'"numagate-controller" is {NAME}',
        ),
    ],
)
def test_these_policies_do_and_the_field_is_named(spec: str, field: str, reason: str) -> None:
    assert found(spec) == [f"{field}: {reason}"]


def test_another_namespace_of_ours_counts_too() -> None:
    spec = "namespaces: [{match: [elsewhere], modes: {}}]"

    assert (len(found(spec)), len(found(spec, "elsewhere"))) == (0, 1)
