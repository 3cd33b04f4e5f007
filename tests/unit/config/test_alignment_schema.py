"""What a NodeAlignment may say."""

from typing import Any

import pytest
import yaml

from webhook.config.alignment_schema import NodeAlignment
from webhook.config.document import from_object
from webhook.config.schema import model_errors

LEAST = {
    "observed": "2026-11-29T00:00:00Z",
    "agent": {"version": "1"},
    "pods": {"aligned": 0, "misaligned": 0, "unknown": 0},
}


def fields(spec: str) -> list[str]:
    """Hold a spec over the least one against the grammar, and answer the fields that are wrong."""
    head = {"apiVersion": "numagate.io/v1alpha1", "kind": "NodeAlignment", "metadata": {"name": "node-a"}}
    changed: dict[str, Any] = yaml.safe_load(f"{{{spec}}}")
    found = model_errors(from_object({**head, "spec": LEAST | changed}, "node-a"), NodeAlignment)
    return [error.field for error in found]


@pytest.mark.parametrize(
    "spec",
    [
        "",
        "numaNodes: 1, numa: [{id: 0, memory: 1Gi, cpus: 0-3, threadsPerCore: 1}]",
        "devices: {nvidia.com/gpu: [{id: GPU-1, numa: [0]}, {id: GPU-2}]}",
        "free: [{numaNode: 0, amounts: {cpu: '4', memory: 1Gi}}]",
        "observed: '2026-11-29T00:00:00.123+02:00'",
    ],
)
def test_these_specs_are_fine(spec: str) -> None:
    assert fields(spec) == []


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ("observed: yesterday", "spec.observed"),
        ("numaNodes: 2, numa: [{id: 0, memory: 1Gi}]", "spec"),
        ("devices: {nvidia.com/gpu: {'0': 4}}", "spec.devices[nvidia.com/gpu]"),
        ("kubelet: {topologyManagerPolicy: strict}", "spec.kubelet.topologyManagerPolicy"),
        ("pods: {aligned: 1, misaligned: -1, unknown: 0}", "spec.pods.misaligned"),
        ("pods: {aligned: 1, unknown: 0}", "spec.pods.misaligned"),
        ("free: [{numaNode: 0, amounts: {cpu: '-4'}}]", "spec.free[0].amounts.cpu"),
        ("verdict: fine", "spec.verdict"),
    ],
)
def test_these_are_refused_with_the_field(spec: str, field: str) -> None:
    assert fields(spec) == [field]
