"""Reads the table of KubeletConfigurations, `tests/cases/configurations/samples.yaml`."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from webhook.config.document import from_object
from webhook.config.node_profile import to_node_class
from webhook.domain.topology import NodeClass
from webhook.domain.versions import Version
from webhook.sources.machines import load_machine

TABLE = Path(__file__).with_name("cases") / "configurations" / "samples.yaml"
ENVELOPE = ("apiVersion", "kind")


@dataclass(frozen=True)
class Sample:
    """A configuration, the machine that it is for, and what is to be said of it."""

    name: str
    text: str
    node: NodeClass
    version: Version
    starts: bool
    found: tuple[str, ...]
    remedy: str


def samples() -> Iterator[Sample]:
    """Yield the samples in their order."""
    table = yaml.safe_load(TABLE.read_text("utf-8"))
    for row in table["samples"]:
        yield Sample(
            name=row["name"],
            text=_text(laid_over(table["base"], row), row.get("yaml", "")),
            node=machine(table["machines"], row.get("node", "small")),
            version=(1, int(row.get("version", "1.37").partition(".")[2])),
            starts=row["starts"],
            found=tuple(row["found"]),
            remedy=row.get("remedy", ""),
        )


def _text(fields: dict[str, Any], lines: str) -> str:
    """Write the fields as JSON, or as YAML with more lines below them."""
    return f"{yaml.safe_dump(fields)}{lines}\n" if lines else json.dumps(fields)


def laid_over(base: dict[str, Any], row: dict[str, Any]) -> dict[str, Any]:
    """Lay a sample's fields over the base, or over nothing but its kind."""
    below = {key: base[key] for key in ENVELOPE} if row.get("alone") else base
    return {key: value for key, value in {**below, **row.get("with", {})}.items() if value is not None}


def machine(own: dict[str, Any], name: str) -> NodeClass:
    """Answer a machine of the table, or of the library."""
    if name not in own:
        return load_machine(name)
    return to_node_class(from_object({"spec": own[name]}, name), name, own[name])


def small() -> NodeClass:
    """Answer the machine that samples have where they say nothing else."""
    return machine(yaml.safe_load(TABLE.read_text("utf-8"))["machines"], "small")


def base(**fields: Any) -> dict[str, Any]:
    """Answer the base with other fields; None takes one away."""
    return laid_over(yaml.safe_load(TABLE.read_text("utf-8"))["base"], {"with": fields})
