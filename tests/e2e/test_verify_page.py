"""The page of `numagate verify` as a browser shows it: nothing runs off the window, whatever names it holds."""

from pathlib import Path

import pytest
from e2e.browser import Browser
from verifications import hostile
from verifications import reported

from webhook.cli.verify import as_html

REPORTS = {"usual": reported(), "hostile": hostile()}


@pytest.mark.parametrize("width", [500, 1000])
@pytest.mark.parametrize("name", REPORTS)
def test_the_page_is_no_wider_than_the_window(browser: Browser, tmp_path: Path, name: str, width: int) -> None:
    page = tmp_path / "verify.html"
    page.write_text(as_html.write(REPORTS[name]), "utf-8")
    measured = browser.measure(page, (width, 900))

    assert measured["scrollWidth"] <= measured["innerWidth"]
