"""Runs helm with numagate's chart, against a test cluster or against none."""

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

CHART = Path(__file__).parents[2] / "manifests" / "helm" / "numagate"
NAMESPACE = "numagate-system"
RELEASE = "numagate"
SECONDS = 120

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""Ten times as fast where PyYAML was built with it."""

Values = Mapping[str, Any]


class HelmError(AssertionError):
    """A helm command that should have worked did not; the text holds the command and what it printed."""


@dataclass(frozen=True, slots=True)
class Helm:
    """The program, with `folder` for its own files and for the values of each call; without a cluster it renders."""

    program: Path
    folder: Path
    kubeconfig: Path | None = None

    def run(
        self, *arguments: str, values: Values | None = None, check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """Run a helm command; `values` become a values file.

        Raises:
            HelmError: it failed though `check` says that it must not.
        """
        command = [str(self.program), *arguments]
        if values is not None:
            file = self.folder / "values.json"
            file.write_text(json.dumps(values), "utf-8")
            command.append(f"--values={file}")
        environment = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(self.folder)}
        if self.kubeconfig is not None:
            environment["KUBECONFIG"] = str(self.kubeconfig)
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False, cwd=self.folder
        )
        if check and done.returncode != 0:
            msg = f"helm {' '.join(arguments)} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
            raise HelmError(msg)
        return done

    def template(self, values: Values, *, namespace: str = NAMESPACE, chart: Path = CHART) -> list[dict[str, Any]]:
        """Answer the objects that a release of these values has."""
        done = self.run("template", RELEASE, str(chart), f"--namespace={namespace}", values=values)
        return [document for document in yaml.load_all(done.stdout, _Loader) if document is not None]
