"""The table of what each kubelet version knows, written from Kubernetes' own code (tests/differential/known_facts)."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from webhook.domain.kubelet_configuration.known import Gate
from webhook.domain.kubelet_configuration.known import Known
from webhook.domain.versions import Version

TABLE = Path(__file__).parent.parent / "data" / "kubelet-versions.json"


def load_known(version: Version) -> Known:
    """Answer what a version knows; one newer than the table is taken for its newest, an older one for its oldest."""
    nearest = judged_as(version)
    gates, fields = _table()[nearest]
    return Known(version=version, gates=gates, fields=fields, exact=version == nearest)


def judged_as(version: Version) -> Version:
    """Answer the version of the table that a version is taken for."""
    table = _table()
    return min(max(version, min(table)), max(table))


@cache
def _table() -> dict[Version, tuple[Mapping[str, Gate], Mapping[str, str]]]:
    """Read the table: the newest version is written in full, each older one as what differs from the next newer."""
    read: dict[str, dict[str, dict[str, Any]]] = json.loads(TABLE.read_text(encoding="utf-8"))
    found: dict[Version, tuple[Mapping[str, Gate], Mapping[str, str]]] = {}
    gates: dict[str, Any] = {}
    fields: dict[str, Any] = {}
    for text in sorted(read, key=_parsed, reverse=True):
        gates = _laid_over(gates, read[text]["gates"])
        fields = _laid_over(fields, read[text]["fields"])
        found[_parsed(text)] = ({name: _gate(written) for name, written in gates.items()}, fields)
    return found


def _laid_over(newer: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Apply what differs; null is what the older version does not know."""
    return {name: value for name, value in {**newer, **changes}.items() if value is not None}


def _gate(written: Mapping[str, Any]) -> Gate:
    return Gate(
        stage=written["stage"],
        on=written["on"],
        locked=written.get("locked", False),
        needs=tuple(written.get("needs", ())),
    )


def _parsed(text: str) -> Version:
    major, _, minor = text.partition(".")
    return int(major), int(minor)
