"""What unit tests of several packages share."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def kubelet_folder() -> Iterator[Path]:
    """Make a kubelet's folder with a path that is short enough for a socket in it (108 bytes)."""
    with tempfile.TemporaryDirectory(prefix="kubelet") as folder:
        yield Path(folder)
