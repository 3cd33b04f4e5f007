"""Makes the objects of the tests: the only way they come about, so that a test says only what it is about."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC
from datetime import datetime
from typing import Any

from webhook.domain.policy import Governs
from webhook.domain.policy import Policy
from webhook.domain.topology import NodeClass
from webhook.engine.request import Pass
from webhook.engine.request import Request
from webhook.engine.ruling import Ruling
from webhook.engine.ruling import rule
from webhook.engine.world import World
from webhook.sources.policy_file import load_policy
from webhook.sources.policy_file import load_profile

GPU = "nvidia.com/gpu"
INSTANT = datetime(2026, 11, 29, tzinfo=UTC)


def container(name: str = "server", **fields: Any) -> dict[str, Any]:
    """Make a container; `fields` are those of the API, `requests` and `limits` go into its resources."""
    resources = {key: fields.pop(key) for key in ("requests", "limits") if key in fields}
    made: dict[str, Any] = {"name": name, "image": fields.pop("image", "registry.example/vllm:1"), **fields}
    return {**made, "resources": resources} if resources else made


def equal(cpu: str | None = "8", memory: str | None = "32Gi", gpus: int | None = 1, **more: str) -> dict[str, Any]:
    """Answer `requests` and `limits` that are equal; None leaves a resource out."""
    values: dict[str, str] = {"cpu": cpu or "", "memory": memory or "", GPU: str(gpus or ""), **more}
    chosen = {name: value for name, value in values.items() if value}
    return {"requests": dict(chosen), "limits": dict(chosen)}


def pod(*containers: Mapping[str, Any], init: tuple[Mapping[str, Any], ...] = (), **fields: Any) -> dict[str, Any]:
    """Make a pod; without containers it has one aligned GPU container. `labels` and `annotations` go to metadata."""
    metadata: dict[str, Any] = {"name": "llm", "namespace": "team-a"}
    metadata |= {key: fields.pop(key) for key in ("labels", "annotations", "ownerReferences") if key in fields}
    spec: dict[str, Any] = {"containers": list(containers) or [container(**equal())], **fields}
    if init:
        spec["initContainers"] = list(init)
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def deployment(template: Mapping[str, Any], **metadata: Any) -> dict[str, Any]:
    """Wrap a pod into a Deployment."""
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "llm", "namespace": "team-a", **metadata},
        "spec": {
            "selector": {"matchLabels": {"app": "llm"}},
            "template": {"metadata": {"labels": {"app": "llm"}}, "spec": template["spec"]},
        },
    }


def policy(**changes: Any) -> Policy:
    """Answer the built-in policy, governing every accelerator pod, with `changes` of its fields."""
    return replace(load_policy().policy, **{"governs": Governs.ACCELERATORS, **changes})


def world(*classes: NodeClass, machine: str | None = "generic-2x4", **changes: Any) -> World:
    """Make a world of the given classes, or of one machine of the library; None means unknown topology."""
    known = classes or ((load_profile(machine),) if machine else ())
    return World((policy(**changes),), known, own_namespace="numagate-system", instant=INSTANT)


def ruling(*classes: NodeClass, machine: str | None = "generic-2x4", **changes: Any) -> Ruling:
    """Answer what a pod of `team-a` is judged by in such a world."""
    found = rule({}, "team-a", world(*classes, machine=machine, **changes))
    assert found is not None
    return found


def request(obj: Mapping[str, Any] | None, **changes: Any) -> Request:
    """Make the validating request of a creation; `changes` are fields of `Request`."""
    made = Request(
        uid="1",
        review_pass=Pass.VALIDATE,
        operation="CREATE",
        group="apps" if obj and obj.get("apiVersion") == "apps/v1" else "",
        version="v1",
        kind=str(obj["kind"]) if obj else "Pod",
        resource="pods",
        subresource="",
        namespace="team-a",
        name="",
        username="alice",
        groups=(),
        dry_run=False,
        object=dict(obj) if obj else None,
        old_object=None,
    )
    return replace(made, **changes)


def mutating(obj: Mapping[str, Any], **changes: Any) -> Request:
    """Make the mutating request of a creation."""
    return request(obj, review_pass=Pass.MUTATE, **changes)
