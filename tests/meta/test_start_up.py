"""What a command loads: lint must start fast, so it pays for no package that only the service needs."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"aiohttp", "asyncio", "cryptography", "fastapi", "httptools", "kubernetes", "starlette", "uvicorn", "uvloop"}

LOADED = """
import json, sys
from webhook.cli.main import main
sys.argv = ["numagate", *sys.argv[1:]]
try:
    status = main()
except SystemExit as end:
    status = end.code
print()
print(json.dumps({"status": status, "modules": sorted({name.partition(".")[0] for name in sys.modules})}))
"""

POD = """
apiVersion: v1
kind: Pod
metadata: {name: plain}
spec:
  containers:
  - {name: main, image: registry.example/app:1}
"""


def run(*arguments: str) -> tuple[int | None, set[str]]:
    """Run numagate in a fresh interpreter; answer its exit code and the top-level modules that it loaded."""
    command = [sys.executable, "-c", LOADED, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout.splitlines()[-1])
    return answer["status"], set(answer["modules"])


@pytest.fixture
def manifest(tmp_path: Path) -> str:
    """Answer the path of a manifest with one harmless pod."""
    file = tmp_path / "pod.yaml"
    file.write_text(POD, "utf-8")
    return str(file)


def test_help_of_lint_loads_nothing_heavy() -> None:
    status, modules = run("lint", "--help")

    assert status in {0, None}
    assert modules & HEAVY == set()


def test_lint_of_a_file_loads_nothing_heavy(manifest: str) -> None:
    status, modules = run("lint", manifest)

    assert status in {0, None}
    assert modules & HEAVY == set()


@pytest.mark.parametrize("output", ["text", "json", "html"])
def test_explain_of_a_file_loads_nothing_heavy(manifest: str, output: str) -> None:
    status, modules = run("explain", "--output", output, manifest)

    assert status in {0, None}
    assert modules & HEAVY == set()
