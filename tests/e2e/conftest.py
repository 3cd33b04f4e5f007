"""Fixtures of the tests that look at what users see."""

from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest
from e2e.browser import Browser
from e2e.browser import find


@pytest.fixture
def browser(tmp_path: Path, unavailable: Callable[[str], NoReturn]) -> Browser:
    """Provide a headless browser with an empty profile."""
    program = find()
    if program is None:
        unavailable("no chromium on PATH: `make browser` installs it as root on Debian")
    folder = tmp_path / "browser"
    folder.mkdir()
    return Browser(program, folder)
