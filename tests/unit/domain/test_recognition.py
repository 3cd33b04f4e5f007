"""Inference pods, known by image, command or label."""

import pytest
from builders import container
from builders import equal
from builders import pod
from builders import policy

from webhook.domain.facts import read
from webhook.domain.recognition import expects_accelerator
from webhook.domain.recognition import image_path
from webhook.domain.recognition import is_inference

TABLE = policy().recognition


@pytest.mark.parametrize(
    ("image", "path"),
    [
        ("vllm", "vllm"),
        ("vllm/vllm-openai:latest", "vllm/vllm-openai"),
        ("registry.internal:5000/ai/vllm:v0.4.6", "ai/vllm"),
        ("localhost/vllm", "vllm"),
        ("ghcr.io/a/b@sha256:0f", "a/b"),
        ("ghcr.io/a/b:1@sha256:0f", "a/b"),
        ("", ""),
    ],
)
def test_an_image_path_has_no_registry_tag_or_digest(image: str, path: str) -> None:
    assert image_path(image) == path


@pytest.mark.parametrize(
    ("fields", "known"),
    [
        ({"image": "registry.internal/ai/vllm:v0.4.6"}, True),
        ({"image": "mirror.example/cache/vllm/vllm-openai:1"}, True),
        ({"image": "nvcr.io/nim/meta/llama-3:1"}, True),
        ({"image": "registry.example/pytorch:1"}, False),
        ({"image": "registry.example/notvllm:1"}, False),
        ({"image": "registry.example/base:1", "command": ["/bin/bash", "-c", "exec vllm serve model"]}, True),
        ({"image": "registry.example/base:1", "args": ["python3", "-m", "sglang.launch_server"]}, True),
        ({"image": "ghcr.io/llm-d/llm-d-inference-sim:1", "command": ["vllm", "serve"]}, False),
    ],
)
def test_a_container_is_known_by_image_or_command(fields: dict[str, object], known: bool) -> None:
    facts = read(pod(container(**equal(), **fields)))

    assert is_inference(facts, facts.containers, TABLE) == known


def test_a_label_of_a_serving_controller_is_enough() -> None:
    facts = read(pod(container(image="registry.example/own:1"), labels={"serving.kserve.io/inferenceservice": "x"}))

    assert is_inference(facts, facts.containers, TABLE)


def test_the_opt_in_label_is_enough() -> None:
    facts = read(pod(container(image="registry.example/own:1"), labels={"numagate.io/governed": "true"}))

    assert is_inference(facts, facts.containers, TABLE)


def test_an_image_that_never_uses_a_gpu_wins_over_labels() -> None:
    facts = read(pod(container(image="kserve/storage-initializer:1"), labels={"numagate.io/governed": "true"}))

    assert not is_inference(facts, facts.containers, TABLE)


def test_a_runtime_class_or_selector_hints_at_an_accelerator() -> None:
    assert (
        expects_accelerator(read(pod(runtimeClassName="nvidia")), TABLE)
        == "runtimeClassName nvidia points to accelerator nodes"
    )
    selected = read(pod(nodeSelector={"nvidia.com/gpu.product": "L4"}))
    assert expects_accelerator(selected, TABLE) == "nodeSelector nvidia.com/gpu.product=L4 points to accelerator nodes"
    assert expects_accelerator(read(pod(container(image="vllm/vllm-openai:1"))), TABLE) == (
        "image vllm/vllm-openai serves models"
    )
    plain = container(image="registry.example/web:1")
    assert expects_accelerator(read(pod(plain, nodeSelector={"zone": "a"})), TABLE) is None
    assert expects_accelerator(read(pod(container(image="vllm/vllm-openai-cpu:1"))), TABLE) is None
