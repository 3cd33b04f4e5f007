"""Writes a configuration as YAML that says why: one comment above each field."""

import json
import re
from collections.abc import Iterator
from collections.abc import Sequence
from typing import Final

from webhook.config.kubelet_configuration import API_VERSION
from webhook.config.kubelet_configuration import KIND
from webhook.domain.kubelet_configuration.draft import Entry
from webhook.domain.visible import visible

_WORD: Final = re.compile(r"[A-Za-z][A-Za-z-]+")
_NO_WORDS: Final = frozenset({"true", "false", "yes", "no", "on", "off", "null"})


def document(entries: Sequence[Entry], *, node: str, version: str) -> str:
    """Answer the text of the file."""
    return "".join(f"{line}\n" for line in _lines(entries, node, version))


def _lines(entries: Sequence[Entry], node: str, version: str) -> Iterator[str]:
    yield f"# Made by numagate kubelet generate for {visible(node)}, kubelet {version}."
    yield "# It has what alignment needs; keep what your nodes have besides (clusterDNS, cgroupDriver, ...)."
    yield f"apiVersion: {API_VERSION}"
    yield f"kind: {KIND}"
    for entry in entries:
        yield ""
        yield f"# {entry.why}"
        match entry.value:
            case dict():
                yield f"{entry.name}:"
                yield from (f"  {key}: {_scalar(value)}" for key, value in entry.value.items())
            case list():
                yield f"{entry.name}:"
                yield from (f"- {_flow(item)}" for item in entry.value)
            case _:
                yield f"{entry.name}: {_scalar(entry.value)}"


def _flow(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(item)}" for key, item in value.items()) + "}"
    return _scalar(value)


def _scalar(value: object) -> str:
    """Write plain words without quotes, all else as JSON; `None` is a word in YAML, `null` is not."""
    if isinstance(value, str) and _WORD.fullmatch(value) and value.lower() not in _NO_WORDS:
        return value
    return json.dumps(value)
