"""What the reliability tests promise: their short and long form, and the figures that they find."""

import json
import math
import os
import platform
from dataclasses import dataclass
from dataclasses import field
from pathlib import Path
from typing import TypeVar

import yaml

from webhook.sources.machines import FOLDER
from webhook.sources.machines import REFERENCE

T = TypeVar("T")

KEPT = Path(__file__).parent / "bench" / "reliability.json"
"""The figures of long runs, by item of docs/reliability.md, and the machine that they are from."""


LONG_ONLY = {
    "test_ca_rotation.py": "test_managed_certificates.py",
    "test_certificates_under_load.py": "test_service_tls.py",
    "test_end_of_a_replica.py": "test_service_tls.py",
    "test_idle_connections.py": "test_listener.py",
}
"""What has its short form elsewhere, and where."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Which form of the tests runs: in seconds, or as long as the promises are about."""

    long: bool

    def of(self, *, short: T, long: T) -> T:
        """Choose."""
        return long if self.long else short


@dataclass(slots=True)
class Figures:
    """Figures that tests found; bounds hold in the long form only.

    The long form has the machine for itself. The short one shares it with other tests, where times say nothing.
    """

    scale: Scale
    found: dict[str, dict[str, float]] = field(default_factory=dict)

    def add(
        self, item: str, name: str, value: float, *, at_most: float = math.inf, at_least: float = -math.inf
    ) -> None:
        """Take a figure, and fail where it is beyond its bounds."""
        self.found.setdefault(item, {})[name] = round(value, 4)
        if self.scale.long:
            print(_line(item, name, value), flush=True)  # noqa: T201
            assert at_least <= value <= at_most, f"{item}: {name} is {value:g}, promised is {at_least:g} to {at_most:g}"

    def table(self) -> str:
        """Answer a line for each figure."""
        return "\n".join(
            f"{item:5}{name:70}{value:>12g}"
            for item, values in sorted(self.found.items())
            for name, value in values.items()
        )

    def keep(self) -> None:
        """Write the figures in place of those of the same items kept before."""
        kept = json.loads(KEPT.read_text("utf-8"))["figures"] if KEPT.exists() else {}
        machine = {"python": platform.python_version(), "cpus": os.cpu_count(), "architecture": platform.machine()}
        found = {"machine": machine, "figures": {**kept, **self.found}}
        KEPT.write_text(json.dumps(found, indent=2) + "\n", "utf-8")


def _line(item: str, name: str, value: float) -> str:
    return f"{item:5}{name:70}{round(value, 4):>12g}"


FIGURES: list[Figures] = []
"""Those of the session, for its end."""


def policy_text(*, classes: int, name: str = "default") -> str:
    """Write a policy that governs every accelerator pod, and so many classes of machines, no two alike."""
    policy = {"apiVersion": "numagate.io/v1alpha1", "kind": "AlignmentPolicy", "metadata": {"name": name}}
    documents = [policy | {"spec": {"governs": "accelerators"}}]
    for number in range(classes):
        profile = yaml.safe_load((FOLDER / f"{REFERENCE}.yaml").read_text("utf-8"))
        profile["metadata"] = {"name": f"class-{number}"}
        for cell in profile["spec"]["numa"]:
            cell["memory"] = f"{1024 + number}Gi"
        documents.append(profile)
    return yaml.safe_dump_all(documents)
