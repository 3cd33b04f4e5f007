"""The controller keeps both webhook configurations in step with the policies, against a real API server."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from controlplane.cluster import ControlPlane
from controlplane.numagate_api import SETTINGS
from controlplane.process import until
from controlplane.replicas import Replica
from controlplane.replicas import controller
from controlplane.replicas import created

from webhook.manifests.in_force import render
from webhook.manifests.overlays import flat

POLICIES = "/apis/numagate.io/v1alpha1/alignmentpolicies"
CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1"
MERGE = "application/merge-patch+json"
KINDS = ("mutating", "validating")
STEP = "[+]configurations ok: mutating: in step; validating: in step"
MORE = {"accelerators": {"count": ["example.com/npu"]}}


def policy(**spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "numagate.io/v1alpha1",
        "kind": "AlignmentPolicy",
        "metadata": {"name": "default"},
        "spec": spec,
    }


def installed(cluster: ControlPlane, word: str) -> dict[str, Any]:
    return cluster.request("GET", f"{CONFIGURATIONS}/{word}webhookconfigurations/numagate").body


def patched(cluster: ControlPlane, path: str, body: object) -> None:
    answer = cluster.request("PATCH", path, body, content=MERGE)
    assert answer.status == 200, answer.body


@pytest.fixture(scope="module")
def cluster(world_cluster: ControlPlane, case_certificates: Path) -> ControlPlane:
    """Install a policy and the configurations that `numagate manifests` renders of the built-in one."""
    created(world_cluster, POLICIES, policy())
    settings = replace(SETTINGS, ca_bundle=(case_certificates / "ca.crt").read_bytes())
    asked = [one for one in flat(settings, "trial") if str(one["kind"]).endswith("WebhookConfiguration")]
    world_cluster.kubectl("apply", "-f", "-", input={"apiVersion": "v1", "kind": "List", "items": asked})
    return world_cluster


@pytest.fixture(scope="module")
def leader(cluster: ControlPlane, case_certificates: Path) -> Iterator[Replica]:
    """Run a controller with exactly its rendered rights."""
    with controller(cluster, case_certificates) as running:
        yield running.until_ready()


def test_what_was_rendered_is_in_step(cluster: ControlPlane, leader: Replica) -> None:
    before = [installed(cluster, word)["metadata"]["resourceVersion"] for word in KINDS]

    until(lambda: STEP in leader.readiness(), what="a first look")

    assert [installed(cluster, word)["metadata"]["resourceVersion"] for word in KINDS] == before


def test_another_accelerator_in_a_policy_reaches_the_conditions(cluster: ControlPlane, leader: Replica) -> None:
    until(lambda: STEP in leader.readiness(), what="a first look")
    before = {word: installed(cluster, word) for word in KINDS}

    patched(cluster, f"{POLICIES}/default", {"spec": MORE})
    until(lambda: all("example.com/npu" in str(installed(cluster, word)) for word in KINDS), what="the accelerator")

    for word, wanted in zip(KINDS, render([policy(**MORE)], "trial", namespace="numagate-system"), strict=True):
        after = installed(cluster, word)
        kept = ("clientConfig", "failurePolicy", "timeoutSeconds", "name", "sideEffects")
        assert [{key: one[key] for key in kept} for one in after["webhooks"]] == [
            {key: one[key] for key in kept} for one in before[word]["webhooks"]
        ]
        entries: Any = wanted["webhooks"]
        assert [one.get("matchConditions") for one in after["webhooks"]] == [
            one["matchConditions"] or None for one in entries
        ]
    assert leader.metric('numagate_webhook_configuration_writes_total{configuration="mutating"}') == 1
    until(lambda: STEP in leader.readiness(), what="being in step")


def test_with_the_annotation_drift_is_only_shown(cluster: ControlPlane, leader: Replica) -> None:
    path = f"{CONFIGURATIONS}/validatingwebhookconfigurations/numagate"
    patched(cluster, path, {"metadata": {"annotations": {"numagate.io/keep-in-step": "false"}}})
    version = installed(cluster, "validating")["metadata"]["resourceVersion"]

    patched(cluster, f"{POLICIES}/default", {"spec": {"accelerators": {"count": ["example.com/tpu"]}}})
    until(lambda: "example.com/tpu" in str(installed(cluster, "mutating")), what="the accelerator")
    until(lambda: "left alone, as its annotation" in leader.readiness(), what="a word about it")

    assert installed(cluster, "validating")["metadata"]["resourceVersion"] == version
    assert leader.metric('numagate_webhook_configuration_drift{configuration="validating",what="fields"}') > 0
    assert leader.is_ready()
