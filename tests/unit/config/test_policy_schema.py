"""What an AlignmentPolicy may say."""

import pytest

from webhook.config.document import read_stream
from webhook.config.policy_schema import AlignmentPolicy
from webhook.config.schema import check_model
from webhook.domain.errors import PolicyError

HEAD = "apiVersion: numagate.io/v1alpha1\nkind: AlignmentPolicy\nmetadata: {name: x}\nspec:\n"


def check(spec: str) -> None:
    """Hold one spec against the grammar."""
    (document,) = read_stream(HEAD + f"  {spec}\n", "p.yaml")
    check_model(document, AlignmentPolicy)


@pytest.mark.parametrize(
    "spec",
    [
        "governs: accelerators",
        "modes: {enforce: none, repair: guaranteed, warn: exclusive, audit: aligned}",
        "namespaces: [{match: [a, b-*], modes: {}}]",
        "accelerators: {count: [a.example/npu, a.example/npu-*, 'a.example/*-npu'], never: ['*-memory', rdma/*]}",
        "recognition: {labels: {a/b: [], c: null}}",
        "repair: {share: {cpu: 8, memory: 64Gi}}",
        "repair: {share: null, helperDefault: none}",
        "repair: {helperDefault: {cpu: 1500m, memory: 1Gi}}",
        "repair: {helpers: [{name: a, images: [b], cpu: 0.5, memory: 1Gi}]}",
        "exemptions: {pods: true, rules: [{reason: a, users: [b, 'system:serviceaccount:ci:runner'], groups: [c]}]}",
        "exemptions: {rules: [{reason: a, until: '2027-01-31T00:00:00+01:00', runtimeClasses: [kata-*]}]}",
        "match: {podSelector: {}, namespaceSelector: {matchExpressions: [{key: a, operator: NotIn, values: [b]}]}}",
        "priority: -5",
    ],
)
def test_these_specs_are_fine(spec: str) -> None:
    check(spec)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("governs: all", 'spec.governs: "all" is not known: write one of accelerators, inference'),
        ("modes: {enforce: off}", "spec.modes.enforce: false is not known: write one of aligned, exclusive,"),
        ("modes: {enforced: none}", "spec.modes.enforced: unknown field: did you mean enforce?"),
        ("namespaces: [{match: [a]}]", "spec.namespaces[0].modes: required, but not written"),
        ("namespaces: [{match: [A_b], modes: {}}]", 'spec.namespaces[0].match[0]: "A_b" is no namespace name'),
        ("namespaces: [{match: [], modes: {}}]", "spec.namespaces[0].match: a list is empty: write at least one"),
        (
            "exemptions: {rules: [{reason: a, namespaces: ['*']}]}",
            'spec.exemptions.rules[0].namespaces[0]: "*" exempts everything: name what is meant',
        ),
        ("exemptions: {rules: [{namespaces: [a]}]}", "spec.exemptions.rules[0].reason: required, but not written"),
        ("exemptions: {rules: [{reason: a}]}", "spec.exemptions.rules[0]: exempts nobody: write namespaces, users,"),
        (
            "exemptions: {rules: [{reason: a, users: [b], until: '2027-01-31'}]}",
            'spec.exemptions.rules[0].until: "2027-01-31" is no instant: write one like 2027-01-31T00:00:00Z',
        ),
        ("overrides: {enforce: lower}", 'spec.overrides.enforce: "lower" is not known: write one of any, none, raise'),
        ("match: {accelerators: [nvidia.com/*]}", 'spec.match.accelerators[0]: "nvidia.com/*" must be DOMAIN/NAME'),
        (
            "match: {podSelector: {matchExpressions: [{key: a, operator: In}]}}",
            "In compares with nothing: write values",
        ),
        (
            "match: {podSelector: {matchExpressions: [{key: a, operator: Exists, values: [b]}]}}",
            "Exists takes no values: leave them out",
        ),
        ("accelerators: {count: [nvidia.com/*]}", 'spec.accelerators.count[0]: "nvidia.com/*" must be DOMAIN/NAME'),
        ("accelerators: {count: ['*']}", '"*" must be DOMAIN/NAME'),
        ("accelerators: {count: ['*/gpu']}", '"*/gpu" must be DOMAIN/NAME'),
        ("accelerators: {count: [gpu]}", '"gpu" must be DOMAIN/NAME'),
        ("accelerators: {count: ['a.b/[ab]']}", '"a.b/[ab]" must be DOMAIN/NAME'),
        ("accelerators: {never: ['a?']}", 'spec.accelerators.never[0]: "a?" is no pattern of resource names'),
        ("recognition: {labels: {a: b}}", 'spec.recognition.labels.a: "b" is not a list'),
        ("repair: {helpers: [{name: a, cpu: 50m, memory: 1}]}", 'helper "a" matches nothing: write containers or'),
        ("repair: {helpers: [{name: a, images: [b], cpu: 2, memory: 1}]}", "2 is a whole number of CPUs and would pin"),
        ("repair: {helpers: [{name: a, images: [b], cpu: 50m, memory: 0}]}", "0 is no memory at all"),
        ("repair: {helperDefault: nothing}", 'spec.repair.helperDefault: "nothing" is not known: write none'),
        ("repair: {helperDefault: {cpu: 50m}}", "spec.repair.helperDefault.memory: required, but not written"),
        ("repair: {helperDefault: {cpu: 1, memory: 1}}", "spec.repair.helperDefault.cpu: 1 is a whole number"),
        ("repair: {headroom: {cpu: -1}}", "spec.repair.headroom.cpu: -1 is negative"),
        ("repair: {headroom: {memory: 0.5}}", "spec.repair.headroom.memory: 0.5 is not a whole number"),
        ("repair: {share: {cpu: 1}}", "spec.repair.share.memory: required"),
        ("exemptions: {rules: [{reason: a, namespaces: ['kube_system']}]}", '"kube_system" is no namespace name'),
    ],
)
def test_these_specs_are_refused(spec: str, message: str) -> None:
    with pytest.raises(PolicyError) as caught:
        check(spec)
    assert str(caught.value).startswith("p.yaml:5: ")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "exemptions",
    [
        "users: ['system:serviceaccount:kube-system:replicaset-controller']",
        "users: ['system:serviceaccount:kube-system:anything']",
        "users: ['system:serviceaccount:kube-system:*']",
        "users: ['system:serviceaccount:*']",
        "users: ['system:kube-controller-manager']",
        "users: ['*']",
        "groups: ['system:serviceaccounts']",
        "groups: ['system:serviceaccounts:kube-system']",
        "groups: ['system:authenticated']",
        "groups: ['system:*']",
    ],
)
def test_the_controllers_that_make_pods_cannot_be_exempt(exemptions: str) -> None:
    with pytest.raises(PolicyError, match="nothing would be governed"):
        check(f"exemptions: {{rules: [{{reason: a, {exemptions}}}]}}")


def test_requesters_are_no_patterns() -> None:
    with pytest.raises(PolicyError, match='"team-\\*" is compared as it stands, not as a pattern'):
        check("exemptions: {rules: [{reason: a, groups: ['team-*']}]}")
