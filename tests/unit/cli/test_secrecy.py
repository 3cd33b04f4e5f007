"""What a serving process does so that its memory stays out of files."""

import resource
import subprocess
import sys

import pytest

SHOW = "import resource; print(resource.getrlimit(resource.RLIMIT_CORE))"


@pytest.mark.parametrize(("given", "left"), [(resource.RLIM_INFINITY, 1), (4096, 1), (1, 1), (0, 0)])
def test_the_kernel_may_write_no_core_dump(given: int, left: int) -> None:
    script = (
        f"import resource; resource.setrlimit(resource.RLIMIT_CORE, ({given}, {given}))\n"
        f"from webhook.cli.secrecy import without_core_dumps; without_core_dumps()\n{SHOW}"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)

    assert (done.stdout.strip(), done.stderr) == (f"({left}, {left})", "")
