"""Runs Prometheus' own promtool: are rules right, do they fire, are metrics named well?"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from pathlib import Path
from typing import Any
from typing import Final

import yaml

SECONDS: Final = 120
FIRING: Final = 'group by (alertname) (ALERTS{alertstate="firing"})'


def find() -> str | None:
    """Answer the path of a promtool: on PATH, or where `make promtool` puts one; None where there is none."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return shutil.which("promtool") or shutil.which(cache / "numagate" / "promtool" / "promtool")


@dataclass(frozen=True)
class Case:
    """What Prometheus has seen, minute by minute, and the alerts that fire at the minute `at`: these and no others.

    `series` are values in promtool's notation. Rules are evaluated every so many minutes.
    """

    name: str
    series: Mapping[str, str]
    at: int
    firing: frozenset[str] = field(default_factory=frozenset)
    every: int = 1

    def document(self, rules: str) -> dict[str, Any]:
        """Write the case for promtool."""
        expected = [{"labels": f'{{alertname="{name}"}}', "value": 1} for name in sorted(self.firing)]
        return {
            "rule_files": [rules],
            "evaluation_interval": f"{self.every}m",
            "tests": [
                {
                    "interval": "1m",
                    "input_series": [{"series": name, "values": values} for name, values in self.series.items()],
                    "promql_expr_test": [{"expr": FIRING, "eval_time": f"{self.at}m", "exp_samples": expected}],
                }
            ],
        }


@dataclass(frozen=True)
class Promtool:
    """A promtool with a folder to work in."""

    program: str
    folder: Path

    def check_rules(self, rules: Mapping[str, Any]) -> str:
        """Let it read a rule file; answer what it says against it, "" for nothing."""
        done = self._run("check", "rules", str(self._write("rules.yaml", rules)))
        return "" if done.returncode == 0 else done.stdout

    def check_metrics(self, text: str) -> str:
        """Let it judge the names and types in a scrape; answer what it says against them, "" for nothing."""
        done = self._run("check", "metrics", text=text)
        return "" if done.returncode == 0 else done.stdout

    def verdicts(self, rules: Mapping[str, Any], cases: Iterable[Case]) -> dict[str, str]:
        """Answer what it says against each case, by its name, "" for nothing; all are tried in one run."""
        name = self._write("rules.yaml", rules).name
        files = {
            str(self._write(f"{number}.yaml", case.document(name))): case.name for number, case in enumerate(cases)
        }
        done = self._run("test", "rules", *files)
        told = re.split(r"^Unit Testing:\s+(\S+)$", done.stdout, flags=re.MULTILINE)
        said = dict(zip(map(str.strip, told[1::2]), map(str.strip, told[2::2]), strict=True))
        return {case: "" if said[path] == "SUCCESS" else said[path] for path, case in files.items()}

    def _write(self, name: str, document: Mapping[str, Any]) -> Path:
        path = self.folder / name
        path.write_text(yaml.safe_dump(document), "utf-8")
        return path

    def _run(self, *arguments: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
        # What it says against a case comes on standard error, below the name of the case on standard output.
        output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        command = [self.program, *arguments]
        return subprocess.run(command, input=text, **output, text=True, check=False, timeout=SECONDS)
