"""The configurations of the policies in a cluster are those that `numagate manifests` makes of the same policies."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from webhook.domain.errors import PolicyError
from webhook.manifests.choices import read_settings
from webhook.manifests.in_force import render
from webhook.manifests.overlays import webhooks
from webhook.manifests.settings import Mode
from webhook.manifests.settings import Source


def policy(name: str, **spec: Any) -> dict[str, Any]:
    return {"apiVersion": "numagate.io/v1alpha1", "kind": "AlignmentPolicy", "metadata": {"name": name}, "spec": spec}


SERVERS = {
    "group": "models.example.com",
    "versions": ["v1"],
    "kind": "ModelServer",
    "resource": "modelservers",
    "templates": [".spec.template"],
}
POLICIES = [
    policy("b", accelerators={"count": ["example.com/gpu"]}, workloads=[SERVERS]),
    policy("a", priority=1, match={"namespaceSelector": {"matchLabels": {"tier": "gold"}}}),
]


@pytest.mark.parametrize("mode", list(Mode))
def test_a_cluster_and_a_file_with_the_same_policies_agree(mode: Mode, tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(yaml.safe_dump_all(POLICIES))
    settings = read_settings(policy=file, namespace="ours")
    objects = [{"metadata": one["metadata"], "spec": one["spec"]} for one in reversed(POLICIES)]

    assert render(objects, mode.value, namespace="ours") == webhooks(settings, mode, None, Source.OBJECTS)


def test_kinds_that_a_policy_lists_are_in_the_rules() -> None:
    (wanted, unlisted) = (
        str(render(documents, "trial", namespace="ours")[1]["webhooks"]) for documents in (POLICIES, POLICIES[1:])
    )

    assert ("'modelservers'" in wanted, "'modelservers'" in unlisted) == (True, False)


def test_a_policy_that_is_wrong_is_an_error() -> None:
    with pytest.raises(PolicyError):
        render([{"metadata": {"name": "a"}, "spec": {"classes": "some"}}], "enforce", namespace="ours")
