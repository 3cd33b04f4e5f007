"""The files of the container image, laid out from this machine's own Python and run without an engine, by chroot."""

import hashlib
import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest
from imageroot import EPOCH
from imageroot import lay_out
from imageroot import make_venv

import webhook

USER = 10001


@pytest.fixture(scope="module")
def venv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Provide the virtual environment of the image."""
    return make_venv(tmp_path_factory.mktemp("opt") / "numagate")


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory, venv: Path, unavailable: Callable[[str], NoReturn]) -> Path:
    """Provide the image's root folder; beside it lies the digest that it had before anything ran in it."""
    if os.geteuid() != 0 or shutil.which("dpkg-query") is None:
        unavailable("the image's files are laid out and entered as root on Debian")
    work = tmp_path_factory.mktemp("image")
    root = lay_out(work / "root", venv, work)
    (work / "digest").write_text(digest(root))
    return root


def run(image: Path, *command: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a program inside, as the user of the pods and with no variable of ours."""
    enter = ["/usr/sbin/chroot", f"--userspec={USER}:{USER}", image]
    return subprocess.run([*enter, *command], check=False, capture_output=True, text=True, env={"HOME": "/"})


def digest(root: Path) -> str:
    """Answer a hash of names, modes, times and contents."""
    found = hashlib.sha256()
    for path in (root, *sorted(root.rglob("*"))):
        facts = path.lstat()
        content = path.readlink() if path.is_symlink() else path.read_bytes() if path.is_file() else b""
        found.update(repr((path.relative_to(root), facts.st_mode, facts.st_mtime, content)).encode())
    return found.hexdigest()


def test_the_service_runs_in_it_and_answers_over_tls(image: Path, venv: Path) -> None:
    done = run(image, venv / "bin" / "numagate", "demo")

    assert (done.returncode, done.stderr) == (0, "")
    assert 'pods.validate.numagate.io" denied the request' in done.stdout


def test_a_node_can_be_looked_at_from_it(image: Path, venv: Path) -> None:
    look = (
        "from pathlib import Path; from webhook.node.observe import observe; from webhook.node.roots import Roots; "
        "print(*observe(Roots.below(Path('/none')), (), node='n').unread)"
    )
    done = run(image, venv / "bin" / "python", "-c", look)

    assert (done.returncode, done.stderr) == (0, "")
    assert "/none/var/lib/kubelet/pod-resources/kubelet.sock: No such file or directory" in done.stdout


def test_there_is_neither_a_shell_nor_pip_nor_a_package_manager(image: Path, venv: Path) -> None:
    names = {path.name for path in image.rglob("*")}
    pip = run(image, venv / "bin" / "python", "-m", "pip", "--version")

    assert names.isdisjoint({"sh", "bash", "dash", "busybox", "pip", "pip3", "ensurepip", "apt", "dpkg"})
    assert "No module named pip" in pip.stderr


def test_nobody_but_root_can_write_outside_of_tmp_and_nothing_gives_rights(image: Path) -> None:
    modes = {path.relative_to(image).as_posix(): path.stat().st_mode for path in image.rglob("*") if path.exists()}

    writable = {name for name, mode in modes.items() if mode & (stat.S_IWGRP | stat.S_IWOTH)}
    special = {name for name, mode in modes.items() if mode & (stat.S_ISUID | stat.S_ISGID)}

    assert (writable, special) == ({"tmp"}, set())


@pytest.mark.long
def test_it_is_the_same_each_time_it_is_made(image: Path, venv: Path, tmp_path: Path) -> None:
    again = lay_out(tmp_path / "root", venv, tmp_path)

    assert digest(again) == (image.parent / "digest").read_text()
    assert {path.lstat().st_mtime for path in again.rglob("*")} == {EPOCH}


def test_the_bill_of_materials_names_the_interpreter_the_libraries_and_our_version(image: Path) -> None:
    bill = json.loads((image / "usr/share/doc/numagate/sbom.cdx.json").read_text())

    assert bill["metadata"]["component"] == {"name": "numagate", "version": webhook.__version__}
    names = {component["name"]: component["version"] for component in bill["components"]}
    assert names["cpython"] == ".".join(map(str, sys.version_info[:3]))
    assert all(names.values())
    assert "libc6" in names
