"""What was recorded on a real node: its files, its kubelet's answers, its pods, and what was reported of them."""

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fakekubelet

FOLDER = Path(__file__).with_name("recorded")
TWO_NODES = FOLDER / "two-numa-nodes.json"


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recording that has been put below `root`, where its kubelet answers."""

    root: Path
    pods: list[dict[str, Any]]
    report: dict[str, Any]


@contextmanager
def replayed(file: Path, root: Path) -> Iterator[Recorded]:
    """Put a recording below a folder with a short name, and answer for its kubelet."""
    recorded = json.loads(file.read_text("utf-8"))
    for path, one in recorded["files"].items():
        _put(root / path[1:], one)
    with fakekubelet.serving(root / "var" / "lib" / "kubelet" / "pod-resources" / "kubelet.sock") as kubelet:
        kubelet.answers |= {name: base64.b64decode(answer) for name, answer in recorded["answers"].items()}
        yield Recorded(root, recorded["pods"], recorded["report"])


def _put(path: Path, one: dict[str, str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if "link" in one:
        path.symlink_to(one["link"])
    elif "folder" in one:
        path.mkdir(exist_ok=True)
    else:
        path.write_text(one["text"], "utf-8", "surrogateescape")
