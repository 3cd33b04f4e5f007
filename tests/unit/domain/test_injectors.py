"""What injects a container, and the setting that gives it other values."""

import pytest
from builders import container
from builders import equal
from builders import pod

from webhook.domain import injectors
from webhook.domain.facts import read
from webhook.domain.injectors import INJECTORS
from webhook.domain.pod import Container
from webhook.domain.pointer import Path

STORAGE = "storageInitializer of ConfigMap inferenceservice-config and ClusterStorageContainer default"
PROXY = "its AuthProxyWorkload's spec.authProxyContainer.resources"
HELPER: Path = ("spec", "containers", 1)


def helper(name: str, image: str = "registry.example/x:1") -> Container:
    return next(one for one in read(pod(container(), container(name, image=image))).containers if one.name == name)


def cure(name: str, side: str, resource: str, wanted: str | None, image: str = "registry.example/x:1") -> str:
    return injectors.cure_of(helper(name, image), (*HELPER, "resources", side, resource), wanted)


@pytest.mark.parametrize(
    ("name", "side", "resource", "wanted", "expected"),
    [
        (
            "vault-agent-init",
            "requests",
            "cpu",
            "500m",
            "Vault injects it: annotate vault.hashicorp.com/agent-requests-cpu: 500m",
        ),
        (
            "istio-init",
            "requests",
            "cpu",
            "2",
            "Istio injects it: annotate sidecar.istio.io/{proxyCPU,proxyCPULimit}: 1990m, and likewise for memory",
        ),
        (
            "storage-initializer",
            "requests",
            "memory",
            "1Gi",
            "KServe injects it: write memoryRequest: 1Gi in " + STORAGE,
        ),
        (
            "gke-gcsfuse-sidecar",
            "limits",
            "memory",
            None,
            "GKE injects it: annotate gke-gcsfuse/memory-limit: 256Mi",
        ),
        (
            "csql-default-db",
            "limits",
            "cpu",
            "1",
            "the Cloud SQL proxy operator injects it: write {limits,requests}.cpu: 990m in " + PROXY,
        ),
        (
            "aibrix-runtime",
            "requests",
            "cpu",
            "500m",
            "AIBrix injects it: write that container yourself, with equal requests and limits",
        ),
    ],
)
def test_a_cure_names_the_injector_and_its_setting(
    name: str, side: str, resource: str, wanted: str | None, expected: str
) -> None:
    assert cure(name, side, resource, wanted) == expected


def test_a_container_that_nobody_injects_has_no_cure() -> None:
    assert cure("tokenizer", "limits", "cpu", "1") == ""


def test_only_cpu_and_memory_have_settings() -> None:
    assert cure("istio-proxy", "limits", "ephemeral-storage", "1Gi") == ""


def test_a_name_that_others_use_too_counts_with_its_image_only() -> None:
    assert cure("agent", "limits", "cpu", "1") == ""
    assert "agent of ConfigMap" in cure("agent", "limits", "cpu", "1", "mirror.example/kserve/agent:v0.15")


@pytest.mark.parametrize("injector", INJECTORS, ids=lambda one: one.containers[0])
def test_every_injector_says_what_to_write(injector: injectors.Injector) -> None:
    assert (injector.keys is None) == bool(injector.advice)
    assert not injector.keys or len(injector.keys) == 4


@pytest.mark.parametrize(
    ("section", "key", "value", "expected"),
    [
        ("labels", "sidecar.istio.io/inject", "true", ["Istio"]),
        ("annotations", "sidecar.istio.io/inject", "true", ["Istio"]),
        ("labels", "istio.io/rev", "canary", ["Istio"]),
        ("labels", "sidecar.istio.io/inject", "false", []),
        ("annotations", "linkerd.io/inject", "ingress", ["Linkerd"]),
        ("annotations", "linkerd.io/inject", "disabled", []),
        ("annotations", "dapr.io/enabled", "True", ["Dapr"]),
        ("annotations", "vault.hashicorp.com/agent-inject", "true", ["Vault"]),
        ("annotations", "gke-gcsfuse/volumes", "true", ["GKE"]),
        ("annotations", "sidecar.opentelemetry.io/inject", "team/collector", ["OpenTelemetry"]),
        ("annotations", "instrumentation.opentelemetry.io/inject-python", "true", ["OpenTelemetry"]),
        ("annotations", "model.aibrix.ai/sidecar-injection", "true", ["AIBrix"]),
        ("annotations", injectors.MODEL_URI, "hf://example/model", ["KServe"]),
        ("annotations", injectors.MODEL_URI, "pvc://models/llm", []),
        ("annotations", "example.com/inject", "true", []),
    ],
)
def test_signs_call_their_injector(section: str, key: str, value: str, expected: list[str]) -> None:
    facts = read(pod(**{section: {key: value}}))

    assert [injector.name for injector in injectors.coming(facts)] == expected


def test_an_injector_is_not_awaited_once_its_container_is_there() -> None:
    facts = read(pod(container(**equal()), container("daprd"), annotations={"dapr.io/enabled": "true"}))

    assert list(injectors.coming(facts)) == []
