"""The tree: what no tracked file may hold, and how test modules are named."""

import subprocess
from collections import Counter
from pathlib import Path

import pytest

import webhook

ROOT = Path(__file__).resolve().parents[2]
UNIT = ROOT / "tests" / "unit"

# In pieces, or this file would hold them itself.
REGISTRY_HOSTS = tuple(
    ".".join(parts)
    for parts in (
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("proxy", "golang", "org"),
        ("sum", "golang", "org"),
        ("goproxy", ""),
        ("registry", "npmjs", "org"),
        ("static", "crates", "io"),
        ("index", "crates", "io"),
        ("repo", "maven", ""),
        ("deb", "debian", "org"),
    )
)


def tracked_files() -> list[Path]:
    """Answer the files that git tracks or would track."""
    # A clone that belongs to somebody else, as in containers, is readable only where that is said.
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [path for name in done.stdout.split("\0") if name and (path := ROOT / name).is_file()]


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    """Answer the text of every tracked file by its name."""
    return {str(path.relative_to(ROOT)): path.read_text("utf-8", "replace") for path in tracked_files()}


def test_no_file_names_the_host_of_a_package_registry(texts: dict[str, str]) -> None:
    named = {(name, host) for name, text in texts.items() for host in REGISTRY_HOSTS if host in text}

    assert named == set()


def test_no_file_holds_a_merge_conflict(texts: dict[str, str]) -> None:
    marks = {name for name, text in texts.items() if "\n<" + "<<<<<< " in text or "\n>" + ">>>>>> " in text}

    assert marks == set()


def test_names_of_test_modules_are_unique() -> None:
    counts = Counter(path.name for path in (ROOT / "tests").rglob("test_*.py"))

    assert {name for name, count in counts.items() if count > 1} == set()


def test_unit_tests_stand_in_the_folders_of_their_subjects() -> None:
    package = Path(webhook.__file__).parent
    folders = {path.parent.relative_to(UNIT) for path in UNIT.rglob("test_*.py")}

    assert {str(folder) for folder in folders if not (package / folder).is_dir()} == set()
