"""What a serving process does so that its memory stays out of files."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(("given", "left"), [("most", 1), ("1", 1), ("0", 0)])
def test_the_kernel_may_write_no_core_dump(given: str, left: int) -> None:
    # Without a capability nobody gets beyond the limit that this process was started with, or has come down to.
    script = (
        "import resource\n"
        "_, most = resource.getrlimit(resource.RLIMIT_CORE)\n"
        f"resource.setrlimit(resource.RLIMIT_CORE, ({given}, {given}))\n"
        "from webhook.cli.secrecy import without_core_dumps; without_core_dumps()\n"
        "print(resource.getrlimit(resource.RLIMIT_CORE))"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)

    assert (done.stdout.strip(), done.stderr) == (f"({left}, {left})", "")
