"""Knows an inference pod by its image, command or labels.

An image is compared without registry host, tag and digest: the last segments of its path must equal a table entry
("vllm/vllm-openai"), or its last segment must equal a one-word entry ("vllm"), so that mirrors are recognised.
"""

from collections.abc import Iterable
from collections.abc import Mapping
from fnmatch import fnmatchcase

from webhook.domain import keys
from webhook.domain.pod import Container
from webhook.domain.pod import PodFacts
from webhook.domain.policy import Recognition


def image_path(image: str) -> str:
    """Strip registry host, tag and digest from an image reference.

    >>> image_path("registry.internal:5000/ai/vllm:v0.4.6@sha256:00ff")
    'ai/vllm'
    """
    path = image.partition("@")[0]
    head, slash, rest = path.partition("/")
    if slash and ("." in head or ":" in head or head == "localhost"):
        path = rest
    last = path.rfind("/")
    return path[: last + 1] + path[last + 1 :].partition(":")[0]


def is_inference(facts: PodFacts, accelerated: Iterable[Container], table: Recognition) -> bool:
    """Tell whether the pod serves models. `accelerated` are its containers that ask for accelerators or claims.

    An image that is known never to use an accelerator wins over labels and commands.
    """
    serving = [container for container in accelerated if not _never_serves(container, table)]
    if not serving:
        return False
    if facts.labels.get(keys.GOVERNED) == "true":
        return True
    if any(_label_matches(facts.labels, key, values) for key, values in table.labels.items()):
        return True
    return any(_serves(container, table) for container in serving)


def expects_accelerator(facts: PodFacts, table: Recognition) -> str | None:
    """Say what hints that a pod without accelerators was meant to have one, or None."""
    if facts.runtime_class and any(fnmatchcase(facts.runtime_class, name) for name in table.runtime_classes):
        return f"runtimeClassName {facts.runtime_class} points to accelerator nodes"
    for key, value in facts.node_selector.items():
        if selects_accelerator(key, value, table):
            return f"nodeSelector {key}={value} points to accelerator nodes"
    for container in facts.containers:
        path = image_path(container.image)
        if "cpu" not in path and not _never_serves(container, table) and _serves_by_image(path, table):
            return f"image {path} serves models"
    return None


def selects_accelerator(key: str, value: str, table: Recognition) -> bool:
    """Tell whether a node selector entry chooses machines by their accelerators; patterns are KEY=VALUE."""
    return any(fnmatchcase(f"{key}={value}", pattern) for pattern in table.accelerator_selectors)


def image_matches(path: str, entry: str) -> bool:
    """Compare an image path (see `image_path`) with one entry of a table."""
    return path == entry or path.endswith("/" + entry)


def _never_serves(container: Container, table: Recognition) -> bool:
    path = image_path(container.image)
    return any(image_matches(path, entry) for entry in table.never_gpu_images)


def _serves(container: Container, table: Recognition) -> bool:
    if _serves_by_image(image_path(container.image), table):
        return True
    line = " ".join(" ".join(container.command).split())
    return any(command in line for command in table.commands)


def _serves_by_image(path: str, table: Recognition) -> bool:
    return any(image_matches(path, entry) for entry in table.images) or any(
        fnmatchcase("/" + path, pattern) for pattern in table.image_paths
    )


def _label_matches(labels: Mapping[str, str], key: str, values: tuple[str, ...]) -> bool:
    return key in labels and (not values or labels[key] in values)
