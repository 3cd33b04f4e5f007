"""The release before this one: its program, and the chart of what it installed, from the history of the repository."""

import io
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

import yaml

REPOSITORY = Path(__file__).parents[2]
REVISION = "7570f2b85062c1d6697986ec3a4b5573a89ff156"
"""The commit; there is no release yet, so it is the last one before the chart."""


class NoHistoryError(Exception):
    """The clone does not reach back to the release before; the text says what to do."""


@dataclass(frozen=True, slots=True)
class Previous:
    """Its source in a folder of its own, run by this Python."""

    folder: Path

    @property
    def program(self) -> Path:
        """Its `numagate`."""
        return self.folder / "numagate"

    def chart(self, *options: str) -> Path:
        """Make a chart of what it rendered for kubectl, in mode enforce, but for the namespace, which Helm makes."""
        chart = self.folder / "chart"
        (chart / "templates").mkdir(parents=True)
        (chart / "crds").mkdir()
        about = {"apiVersion": "v2", "name": "numagate", "version": "0.0.1"}
        (chart / "Chart.yaml").write_text(yaml.safe_dump(about), "utf-8")
        (chart / "crds" / "crds.yaml").write_text(self._rendered("crds"), "utf-8")
        documents = yaml.safe_load_all(self._rendered("enforce", *options))
        objects = yaml.safe_dump_all(one for one in documents if one["kind"] != "Namespace")
        (chart / "templates" / "all.yaml").write_text(objects, "utf-8")
        return chart

    def _rendered(self, overlay: str, *options: str) -> str:
        command = [str(self.program), "manifests", "--overlay", overlay, *options]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def unpack(folder: Path) -> Previous:
    """Unpack it into `folder`, which is empty.

    Raises:
        NoHistoryError: the commit is not in this clone.
    """
    done = subprocess.run(
        ["git", "archive", "--format=tar", REVISION, "webhook"], cwd=REPOSITORY, capture_output=True, check=False
    )
    if done.returncode != 0:
        msg = f"commit {REVISION} is not in this clone (git fetch --unshallow): {done.stderr.decode().strip()}"
        raise NoHistoryError(msg)
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(folder / "source", filter="data")
    previous = Previous(folder)
    source = folder / "source"
    previous.program.write_text(f'#!/bin/sh\nPYTHONPATH={source} exec {sys.executable} -P -m webhook "$@"\n')
    previous.program.chmod(0o755)
    return previous
