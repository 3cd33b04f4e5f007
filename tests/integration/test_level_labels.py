"""The rule for the level labels of namespaces, held by a real API server: an ordinary and a privileged user try."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from controlplane.cluster import ControlPlane
from controlplane.identity import ORDINARY
from controlplane.process import until

from webhook.manifests.level_guard import level_guard


@pytest.fixture(scope="module")
def cluster(programs: dict[str, Path]) -> Iterator[ControlPlane]:
    """Run an API server with the rule, whose ordinary user may edit namespaces."""
    resources = "--resource=namespaces,namespaces/status"
    with ControlPlane(programs=programs, controllers=False) as running:
        running.kubectl("apply", "-f", "-", input={"apiVersion": "v1", "kind": "List", "items": level_guard()})
        running.kubectl("create", "clusterrole", "namespaces", "--verb=create,get,patch,update", resources)
        running.kubectl("create", "clusterrolebinding", "namespaces", "--clusterrole=namespaces", f"--user={ORDINARY}")
        until(lambda: _refuses(running), what="the rule")
        yield running


def _refuses(cluster: ControlPlane) -> bool:
    return level(cluster, "default", "enforce", "x", user="admin", where="?dryRun=All").status == 422


def level(
    cluster: ControlPlane, namespace: str, mode: str, value: str | None, *, user: str = ORDINARY, where: str = ""
) -> Any:
    """Set the label of one mode, or take it away, as a dry run or not."""
    body = {"metadata": {"labels": {f"numagate.io/{mode}": value}}}
    path = f"/api/v1/namespaces/{namespace}{where}"
    return cluster.request("PATCH", path, body, user=user, content="application/merge-patch+json")


MODES = ["enforce", "repair", "warn", "audit"]


@pytest.mark.parametrize("mode", MODES)
def test_a_level_that_is_none_is_refused_with_those_that_are(cluster: ControlPlane, mode: str) -> None:
    answer = level(cluster, "default", mode, "strict", user="admin")

    assert answer.status == 422
    assert (
        f'label numagate.io/{mode} must be none, guaranteed, exclusive or aligned, not "strict"'
        in answer.body["message"]
    )


@pytest.mark.parametrize("mode", MODES)
def test_who_may_edit_a_namespace_may_raise_its_levels_but_not_lower_them(cluster: ControlPlane, mode: str) -> None:
    namespace = cluster.create_namespace(f"steps-{mode}")
    steps = ["none", "guaranteed", "aligned", "exclusive", "none", None, "aligned"]

    seen = [level(cluster, namespace, mode, step).status for step in steps]

    assert seen == [403, 200, 200, 403, 403, 403, 200]


def test_a_refused_lowering_says_which_right_it_needs(cluster: ControlPlane) -> None:
    namespace = cluster.create_namespace("lowering", {"numagate.io/warn": "aligned"})

    answer = level(cluster, namespace, "warn", "guaranteed")

    assert (
        "label numagate.io/warn lowers what numagate asks of this namespace: "
        "that needs the verb lower on namespaces.numagate.io (ClusterRole numagate-lower)" in answer.body["message"]
    )


def test_taking_the_lowest_level_away_lowers_nothing(cluster: ControlPlane) -> None:
    namespace = cluster.create_namespace("lowest", {"numagate.io/enforce": "none"})

    assert level(cluster, namespace, "enforce", None).status == 200


def test_the_status_of_a_namespace_is_no_way_around(cluster: ControlPlane) -> None:
    namespace = cluster.create_namespace("status", {"numagate.io/enforce": "aligned"})

    assert level(cluster, namespace, "enforce", None, where="/status").status == 403


def test_a_new_namespace_may_bring_levels_but_not_none(cluster: ControlPlane) -> None:
    def create(value: str) -> int:
        metadata = {"name": f"new-{value}", "labels": {"numagate.io/enforce": value}}
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
        return cluster.request("POST", "/api/v1/namespaces?dryRun=All", body, user=ORDINARY).status

    assert [create(value) for value in ("guaranteed", "none", "off")] == [201, 403, 422]


def test_a_bad_label_that_was_there_before_keeps_nobody_from_other_changes(cluster: ControlPlane) -> None:
    policies = [item for item in level_guard() if item["kind"] == "ValidatingAdmissionPolicyBinding"]
    old = {"apiVersion": "v1", "kind": "List", "items": policies}
    cluster.kubectl("delete", "-f", "-", input=old)
    until(lambda: level(cluster, "default", "warn", "old", user="admin").status == 200, what="the end of the rule")
    cluster.kubectl("apply", "-f", "-", input=old)
    until(lambda: _refuses(cluster), what="the rule")

    other = {"metadata": {"labels": {"team": "a"}}}
    path = "/api/v1/namespaces/default"
    kept = cluster.request("PATCH", path, other, user=ORDINARY, content="application/merge-patch+json")
    gone = level(cluster, "default", "warn", None)

    assert (kept.status, gone.status) == (200, 200)


def test_the_role_lets_its_holders_lower_levels(cluster: ControlPlane) -> None:
    namespace = cluster.create_namespace("lowered", {"numagate.io/enforce": "aligned"})
    cluster.kubectl("create", "clusterrolebinding", "lower", "--clusterrole=numagate-lower", f"--user={ORDINARY}")

    assert until(lambda: level(cluster, namespace, "enforce", "none").status == 200, what="the role")
    cluster.kubectl("delete", "clusterrolebinding", "lower")


def test_kubectl_shows_a_person_the_same(cluster: ControlPlane) -> None:
    namespace = cluster.create_namespace("by-kubectl")

    raised = cluster.kubectl("label", "namespace", namespace, "numagate.io/enforce=aligned", user=ORDINARY)
    lowered = cluster.kubectl("label", "namespace", namespace, "numagate.io/enforce-", user=ORDINARY, check=False)

    assert raised.stdout == f"namespace/{namespace} labeled\n"
    assert "that needs the verb lower on namespaces.numagate.io (ClusterRole numagate-lower)" in lowered.stderr
