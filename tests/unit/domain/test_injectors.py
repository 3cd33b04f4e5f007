"""Who adds containers, and where their resources are set."""

import pytest
from builders import container
from builders import pod

from webhook.domain.facts import read
from webhook.domain.injectors import INJECTORS
from webhook.domain.injectors import injector_of
from webhook.domain.injectors import remark
from webhook.domain.injectors import to_come

DOWNLOAD = "internal.serving.kserve.io/storage-initializer-sourceuri"


@pytest.mark.parametrize(
    ("name", "who"),
    [
        ("istio-proxy", "Istio"),
        ("vault-agent-init", "Vault"),
        ("storage-initializer", "KServe"),
        ("fluid-fuse-0", "Fluid"),
        ("server", None),
    ],
)
def test_an_injected_container_is_known_by_its_name(name: str, who: str | None) -> None:
    found = injector_of(name)
    assert (found.name if found else None) == who


def test_a_remark_names_who_adds_the_container_and_where_it_is_set() -> None:
    assert remark("autoscaler") == " (KubeRay adds it: set spec.autoscalerOptions.resources)"
    assert remark("server") == ""


@pytest.mark.parametrize(
    ("annotations", "labels", "names"),
    [
        ({}, {}, []),
        ({"sidecar.istio.io/inject": "true"}, {}, ["Istio"]),
        ({"sidecar.istio.io/inject": "false"}, {}, []),
        ({}, {"sidecar.istio.io/inject": "true"}, ["Istio"]),
        ({"linkerd.io/inject": "enabled", "vault.hashicorp.com/agent-inject": "true"}, {}, ["Linkerd", "Vault"]),
        ({DOWNLOAD: "hf://example/model"}, {}, ["KServe"]),
        ({DOWNLOAD: "pvc://models/llm"}, {}, []),
    ],
)
def test_a_pod_asks_by_label_or_annotation(
    annotations: dict[str, str], labels: dict[str, str], names: list[str]
) -> None:
    facts = read(pod(annotations=annotations, labels=labels))
    assert [one.name for one in to_come(facts)] == names


def test_what_is_there_has_come() -> None:
    facts = read(pod(container("istio-proxy"), annotations={"sidecar.istio.io/inject": "true"}))
    assert list(to_come(facts)) == []


def test_no_two_injectors_claim_the_same_name() -> None:
    names = [name for one in INJECTORS for name in one.containers]
    assert sorted(set(names)) == sorted(names)
