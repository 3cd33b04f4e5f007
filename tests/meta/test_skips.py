"""What tests/conftest.py does with skipped tests."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).resolve().parents[1] / "conftest.py"

ONE_SKIP = """
import pytest

def test_that_passes():
    pass

@pytest.mark.skip(reason="no machine for it")
def test_that_is_skipped():
    pass
"""

NEEDS_SOMETHING = """
def test_that_needs_something(unavailable):
    unavailable("no machine for it")
"""


def run(folder: Path, test: str, ci: str) -> subprocess.CompletedProcess[str]:
    """Run `test` with our conftest and the environment variable CI set to `ci`."""
    shutil.copy(CONFTEST, folder)
    (folder / "pytest.ini").write_text("[pytest]\n", "utf-8")
    (folder / "test_sample.py").write_text(test, "utf-8")
    command = [sys.executable, "-m", "pytest", "-rs", "-p", "no:cacheprovider", str(folder)]
    env = {**os.environ, "CI": ci, "PYTHONPATH": str(CONFTEST.parent)}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("ci", "status"), [("", 0), ("false", 0), ("true", 1), ("1", 1)])
def test_a_skip_fails_the_run_in_ci_only(tmp_path: Path, ci: str, status: int) -> None:
    done = run(tmp_path, ONE_SKIP, ci)

    assert done.returncode == status
    assert "skipped tests: 1" in done.stdout
    assert "1 passed, 1 skipped" in done.stdout.splitlines()[-1]


@pytest.mark.parametrize(("ci", "outcome"), [("", "1 skipped"), ("true", "1 failed")])
def test_what_is_unavailable_is_a_failure_in_ci_only(tmp_path: Path, ci: str, outcome: str) -> None:
    done = run(tmp_path, NEEDS_SOMETHING, ci)

    assert outcome in done.stdout.splitlines()[-1]
    assert "no machine for it" in done.stdout
