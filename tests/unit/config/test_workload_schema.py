"""What a policy may say about kinds of its own."""

import pytest

from webhook.domain.errors import PolicyError
from webhook.domain.pod_count import times
from webhook.domain.policy import Policy
from webhook.domain.workload import Workload
from webhook.domain.workload import pod_spec
from webhook.domain.workload import template
from webhook.sources.policy_file import parse_stream

FIELDS = {
    "group": "models.example.com",
    "versions": "[v1, v1beta1]",
    "kind": "ModelServer",
    "resource": "modelservers",
    "templates": '[".spec.roles[*].template"]',
}


def policy(*entries: dict[str, str]) -> Policy:
    listed = "".join(f"  - {{{', '.join(f'{key}: {value}' for key, value in entry.items())}}}\n" for entry in entries)
    head = "apiVersion: numagate.io/v1alpha1\nkind: AlignmentPolicy\nmetadata: {name: x}\nspec:\n  workloads:\n"
    return parse_stream(head + listed, "p.yaml").policy


def refused(**changes: str) -> str:
    entry = {key: value for key, value in {**FIELDS, **changes}.items() if value}
    with pytest.raises(PolicyError) as caught:
        policy(entry)
    return str(caught.value)


def test_a_listed_kind_becomes_a_workload_whose_scope_is_not_known() -> None:
    entry = {**FIELDS, "podSpecs": '[".spec.roles[*].bare"]', "replicas": '".spec.roles[*].replicas"'}
    count = times(".spec.roles[*].replicas")
    assert policy(entry).workloads == (
        Workload(
            name="ModelServer.models.example.com",
            group="models.example.com",
            versions=("v1", "v1beta1"),
            kind="ModelServer",
            resource="modelservers",
            pods=(template(".spec.roles[*].template", count), pod_spec(".spec.roles[*].bare", count)),
            namespaced=None,
        ),
    )


def test_without_replicas_nothing_is_counted() -> None:
    (workload,) = policy(FIELDS).workloads
    assert [source.count for source in workload.pods] == [()]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"group": "apps"}, '"apps" is built in: numagate knows its kinds, only those of operators can be listed'),
        ({"group": "Models.example.com"}, "has signs that are not allowed here"),
        ({"versions": "[]"}, "is empty: write at least one"),
        ({"versions": "[1]"}, "is not text (quote it)"),
        ({"versions": "[latest]"}, "has signs that are not allowed here"),
        ({"kind": "modelserver"}, "has signs that are not allowed here"),
        ({"resource": "ModelServers"}, "has signs that are not allowed here"),
        ({"resource": ""}, "required, but not written"),
        ({"templates": ""}, "ModelServer has no pods: write templates or podSpecs"),
        ({"templates": "[spec.template]"}, "'spec.template' is no path: write field names like"),
        ({"templates": '["."]'}, "'.' is the whole object: write the path of the pod in it"),
        ({"replicas": '".spec.replicas[0]"'}, "'.spec.replicas[0]' is no path"),
        (
            {"replicas": '".spec.others[*].replicas"'},
            "replicas .spec.others[*].replicas goes through .spec.others[*], but .spec.roles[*].template does not",
        ),
        ({"path": ".spec"}, "unknown field"),
    ],
)
def test_what_would_be_misread_is_refused_in_one_line(changes: dict[str, str], message: str) -> None:
    told = refused(**changes)
    assert message in told
    assert "\n" not in told


def test_a_kind_is_listed_once_for_a_version() -> None:
    with pytest.raises(PolicyError, match=r"ModelServer of models\.example\.com/v1 is listed twice"):
        policy(FIELDS, {**FIELDS, "versions": "[v1]"})
