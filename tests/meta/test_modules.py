"""Every module of the package: importable alone, described, of a size that one reads in one go."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import webhook

PACKAGE = Path(webhook.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
LONGEST_FILE = 400
LONGEST_FUNCTION = 60

FOREIGN = (
    "cryptography.x509 fastapi google.protobuf.message grpc kubernetes.client kubernetes.config orjson "
    "prometheus_client pydantic rich.console rich.table uvicorn.server yaml"
)
"""What is not ours and takes long to import: it is there before, and not what is tried."""

IMPORT_EACH = """
import importlib, json, os, sys, tempfile, traceback
for name in sys.argv[1].split():
    importlib.import_module(name)
failures = {}
for name in sys.argv[2:]:
    with tempfile.TemporaryFile("w+") as report:
        # A fork is an interpreter that has imported nothing of ours yet, at no cost.
        child = os.fork()
        if child == 0:
            try:
                importlib.import_module(name)
                status = 0
            except BaseException:
                report.write(traceback.format_exc(limit=-3))
                report.flush()
                status = 1
            os._exit(status)
        if os.waitpid(child, 0)[1] != 0:
            report.seek(0)
            failures[name] = report.read()
print(json.dumps(failures))
"""


def module_name(file: Path) -> str:
    """Answer the dotted name of a source file of the package."""
    parts = (PACKAGE.name, *file.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(part for part in parts if part != "__init__")


def test_every_module_imports_alone_and_without_a_warning() -> None:
    command = [sys.executable, "-W", "error", "-c", IMPORT_EACH, FOREIGN]
    names = [module_name(file) for file in FILES]

    # One for each of two CPUs: this is the longest of all tests.
    halves = [
        subprocess.Popen([*command, *half], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for half in (names[::2], names[1::2])
    ]
    for half in halves:
        out, errors = half.communicate()
        assert half.returncode == 0, errors
        failures = json.loads(out)
        assert not failures, "\n".join(f"{name}: {trace}" for name, trace in failures.items())


@pytest.mark.parametrize("file", FILES, ids=module_name)
def test_a_module_says_its_one_idea_in_the_first_sentence(file: Path) -> None:
    docstring = ast.get_docstring(ast.parse(file.read_text("utf-8")))

    assert docstring
    assert docstring.splitlines()[0].rstrip().endswith((".", ":")) or "\n\n" not in docstring


@pytest.mark.parametrize("file", FILES, ids=module_name)
def test_a_module_and_its_functions_are_short(file: Path) -> None:
    text = file.read_text("utf-8")
    lengths = {
        node.name: (node.end_lineno or node.lineno) - node.lineno + 1
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }

    assert len(text.splitlines()) <= LONGEST_FILE
    assert {name: length for name, length in lengths.items() if length > LONGEST_FUNCTION} == {}
