"""Which policy governs which pod, and why not the others."""

import io
from dataclasses import replace
from datetime import UTC
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml
from builders import deployment
from builders import pod
from builders import policy
from builders import world

from webhook.cli.wiring import load_workloads
from webhook.domain.levels import Level
from webhook.domain.policy import ExemptionRule
from webhook.domain.policy import Exemptions
from webhook.domain.policy import Match
from webhook.engine.governance import Governance
from webhook.engine.governance import find
from webhook.engine.world import World
from webhook.sources.manifests import read_manifests


def governed(tmp_path: Path, *objects: dict[str, Any], known: World) -> list[Governance]:
    file = tmp_path / "f.yaml"
    file.write_text(yaml.safe_dump_all(objects), "utf-8")
    manifests = read_manifests([str(file)], stdin=io.BytesIO()).manifests
    return list(find(manifests, world=known, workloads=load_workloads(), default_namespace="default"))


def test_the_others_are_passed_over_each_with_its_reason(tmp_path: Path) -> None:
    policies = (
        policy(name="high", priority=5, match=Match(namespaces=("prod-*",))),
        policy(name="a", match=Match(accelerators=("nvidia.com/gpu",))),
        policy(name="b", match=Match(namespaces=("team-a",))),
        policy(name="c"),
        policy(name="low", priority=-1),
    )
    (found,) = governed(tmp_path, deployment(pod()), known=replace(world(), policies=policies))
    assert (found.policy and found.policy.name, found.path, found.namespace) == ("a", "spec.template.spec", "team-a")
    assert {one.name: one.why for one in found.passed_over} == {
        "high": "namespace team-a is none of prod-*",
        "b": "matches as well, but its name comes later",
        "c": "matches as well, but it has no match",
        "low": "matches as well, but its priority is -1",
    }


def test_labels_of_a_namespace_document_count(tmp_path: Path) -> None:
    labels = {"numagate.io/enforce": "aligned"}
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-a", "labels": labels}}
    lax = policy(modes=replace(policy().modes, enforce=Level.NONE))
    (found,) = governed(tmp_path, namespace, pod(), known=replace(world(), policies=(lax,)))
    assert found.modes is not None
    assert found.modes.enforce is Level.ALIGNED


def test_exemptions_are_told_and_so_are_those_that_are_over(tmp_path: Path) -> None:
    over = ExemptionRule("old", until=datetime(2026, 1, 1, tzinfo=UTC), namespaces=("team-a",))
    holding = ExemptionRule("moving", namespaces=("team-*",))
    known = replace(world(exemptions=Exemptions(rules=(over, holding), pods=False)))
    (found,) = governed(tmp_path, pod(), known=known)
    assert found.exemption == "namespace team-a is exempt: its pods are neither repaired nor refused (moving)"
    assert [text.partition(":")[0] for text in found.expired] == [
        "the exemption by namespace in policy default ended at 2026-01-01T00"
    ]


def test_a_pod_that_no_policy_matches_has_none(tmp_path: Path) -> None:
    (found,) = governed(tmp_path, pod(), known=replace(world(), policies=()))
    assert (found.policy, found.modes, found.exemption, found.passed_over) == (None, None, "", ())
