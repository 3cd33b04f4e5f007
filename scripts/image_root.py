"""Lays out the root of the container image: Python, the virtual environment, what both are linked to, and no more.

Called by image_root.sh, on Debian. The root that it makes holds no shell, no package manager and no pip, and is the
same, byte for byte, each time it is made from the same inputs: bytecode without times, files of one time
(SOURCE_DATE_EPOCH).
"""

import argparse
import compileall
import importlib.machinery
import json
import os
import py_compile
import re
import shutil
import stat
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

UNUSED = ("ensurepip", "idlelib", "lib2to3", "pydoc_data", "site-packages", "test", "tkinter", "turtledemo", "venv")
"""What of the standard library a service has no use for; `site-packages` of the base holds pip."""
UNUSED_MODULES = ("_tkinter", "_curses", "_dbm", "_gdbm", "nis", "readline")
"""Extension modules that would bring libraries of their own."""

FILES = {
    "etc/passwd": "root:x:0:0:root:/:/nologin\nnumagate:x:10001:10001:numagate:/:/nologin\n",
    "etc/group": "root:x:0:\nnumagate:x:10001:\n",
    "etc/nsswitch.conf": "hosts: files dns\n",
}
DOCUMENTS = "usr/share/doc"
SBOM = f"{DOCUMENTS}/numagate/sbom.cdx.json"

_BULKY = re.compile(r"/kubernetes/(aio|client/(api|models))/")
"""Thousands of generated modules of which hardly any is ever loaded: as bytecode they would be a third of the image."""

_LINKED = re.compile(r"(?:=> )?(/\S+) \(0x")
_NAMED = tuple(importlib.machinery.EXTENSION_SUFFIXES)


def main() -> int:
    """Make the root; the command line names it."""
    parser = argparse.ArgumentParser(description="Lay out the root of the container image.")
    parser.add_argument("root", type=Path, help="folder to make; it must not be there")
    parser.add_argument("--venv", type=Path, required=True, help="virtual environment, with the package inside")
    parser.add_argument("--sbom", type=Path, required=True, help="bill of materials of the virtual environment")
    parser.add_argument("--licence", type=Path, required=True, help="licence of numagate")
    arguments = parser.parse_args()
    root: Path = arguments.root
    root.mkdir(parents=True)
    _copy_python(root)
    _copy_venv(root, arguments.venv)
    packages = _copy_libraries(root)
    for name, text in FILES.items():
        _write(root / name, text)
    _copy(arguments.licence, root / DOCUMENTS / "numagate" / "LICENSE")
    version = _said(str(arguments.venv / "bin" / "python"), "-c", "import webhook; print(webhook.__version__)")
    _write(root / SBOM, _bill(arguments.sbom, version, packages))
    (root / "tmp").mkdir(exist_ok=True)
    _compile(root)
    _settle(root, int(os.environ.get("SOURCE_DATE_EPOCH", "0")))
    print(f"{root}: {sum(path.lstat().st_size for path in root.rglob('*')) // 2**20} MiB")  # noqa: T201
    return 0


def _copy_python(root: Path) -> None:
    """Copy interpreter and standard library to where they are now."""
    interpreter = Path(sys.base_prefix, "bin", f"python{sys.version_info.major}.{sys.version_info.minor}")
    _copy(interpreter, _inside(root, interpreter))
    library = Path(sysconfig.get_path("stdlib"))

    def unused(folder: str, names: list[str]) -> set[str]:
        top = Path(folder) == library
        return {
            name
            for name in names
            if name == "__pycache__"
            or name.endswith(".a")
            or (top and (name in UNUSED or name.startswith("config-")))
            or (name.endswith(_NAMED) and name.startswith(UNUSED_MODULES))
        }

    shutil.copytree(library, _inside(root, library), ignore=unused)


def _copy_venv(root: Path, venv: Path) -> None:
    """Copy the environment without what is for people at a terminal; its `python` is the link that it was."""
    ignored = shutil.ignore_patterns("__pycache__", "activate*", "Activate.ps1", "include", "lib64")
    shutil.copytree(venv, _inside(root, venv), symlinks=True, ignore=ignored)
    # The link may go by way of other links, which the image has not.
    python = _inside(root, venv) / "bin" / "python"
    for link in python.parent.glob("python*"):
        link.unlink()
    python.symlink_to(Path(sys.base_prefix, "bin", f"python{sys.version_info.major}.{sys.version_info.minor}"))


def _copy_libraries(root: Path) -> dict[str, str]:
    """Copy every shared library that something in `root` is linked to; answer the Debian packages they are of."""
    packages: dict[str, str] = {}
    for library in sorted(_linked(root)):
        _copy(library, _inside(root, library))
        package = _package(library)
        if package is not None:
            name, version = package
            packages[name] = version
            copyright_file = Path("/", DOCUMENTS, name, "copyright")
            if copyright_file.exists():
                _copy(copyright_file, _inside(root, copyright_file))
    return packages


def _linked(root: Path) -> set[Path]:
    """Answer the libraries outside of `root` that its programs and libraries load, by the names they load them by."""
    found: set[Path] = set()
    for path in root.rglob("*"):
        if path.is_symlink() or not path.is_file() or path.open("rb").read(4) != b"\x7fELF":
            continue
        # ldd follows links of links, so that what a library needs is there, too.
        said = subprocess.run(["ldd", path], capture_output=True, text=True, check=False).stdout  # noqa: S603, S607
        found |= {Path(name) for name in _LINKED.findall(said)}
    return {path for path in found if not path.is_relative_to(root)}


def _package(library: Path) -> tuple[str, str] | None:
    """Answer name and version of the Debian package that `library` is of, None where it is of none."""
    # dpkg knows a file by the path it was packed with, which may be by way of the link /lib.
    for path in dict.fromkeys((library, library.resolve(), Path("/usr", *library.parts[1:]))):
        found = _said("dpkg-query", "--search", str(path))
        if found:
            name = found.split(":", 1)[0]
            return name, _said("dpkg-query", "--show", "--showformat=${Version}", name)
    return None


def _said(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()  # noqa: S603


def _bill(environment: Path, version: str, packages: dict[str, str]) -> str:
    """Add our own version, the interpreter and the Debian packages to the bill of materials of the environment."""
    bill = json.loads(environment.read_text(encoding="utf-8"))
    bill["metadata"]["component"]["version"] = version
    python = ".".join(map(str, sys.version_info[:3]))
    purls = {"cpython": (python, f"pkg:generic/cpython@{python}")}
    purls |= {name: (version, f"pkg:deb/debian/{name}@{version}") for name, version in sorted(packages.items())}
    bill["components"] += [
        {"bom-ref": purl, "name": name, "purl": purl, "type": "library", "version": version}
        for name, (version, purl) in purls.items()
    ]
    return json.dumps(bill, indent=2) + "\n"


def _compile(root: Path) -> None:
    """Compile all modules; the bytecode is found without a look at its source, and names the path it will have."""
    for folder in sorted(root.iterdir()):
        if folder.is_dir():
            compileall.compile_dir(
                folder,
                maxlevels=30,
                quiet=2,
                rx=_BULKY,
                stripdir=str(root),
                prependdir="/",
                invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
            )


def _settle(root: Path, epoch: int) -> None:
    """Give everything one time and modes that only root may write to, but for /tmp."""
    for path in (root, *_all(root)):
        if not path.is_symlink():
            executable = path.is_dir() or path.stat().st_mode & stat.S_IXUSR
            path.chmod(0o755 if executable else 0o644)
    (root / "tmp").chmod(0o1777)
    for path in (*sorted(_all(root), reverse=True), root):
        os.utime(path, (epoch, epoch), follow_symlinks=False)


def _all(root: Path) -> Iterator[Path]:
    return root.rglob("*")


def _inside(root: Path, path: Path) -> Path:
    return root.joinpath(*path.parts[1:])


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    shutil.copymode(source, target)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
