"""Opens a page in headless Chromium: a screenshot, the parsed page, or the printed page."""

import html
import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from typing import Final

from e2e.png import Picture

PROGRAMS: Final = ("chromium", "chromium-browser", "google-chrome")
SECONDS: Final = 120
QUIET: Final = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--disable-sync",
    "--hide-scrollbars",
    "--no-first-run",
)
"""It runs as root in containers, shows nothing and calls nobody."""

MEASURE: Final = """
<script>
const found = {innerWidth, scrollWidth: document.documentElement.scrollWidth, places: {}};
for (const name of ["cpu", "device"]) {
  for (const element of document.querySelectorAll(`section.class:first-of-type [data-${name}]`)) {
    const {left, top, width, height} = element.getBoundingClientRect();
    found.places[`${name} ${element.dataset[name]}`] = [left, top, width, height];
  }
}
const measured = document.createElement("pre");
measured.id = "measured";
measured.textContent = JSON.stringify(found);
document.body.append(measured);
</script>
"""


def find() -> str | None:
    """Answer the path of a browser, None where there is none."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


@dataclass(frozen=True)
class Browser:
    """A browser with a folder for its profile, so that nothing is left in the user's."""

    program: str
    folder: Path

    def screenshot(self, page: Path, size: tuple[int, int], *options: str) -> Picture:
        """Answer what a window of that size shows."""
        target = self.folder / "screenshot.png"
        target.unlink(missing_ok=True)
        self._run(page, size, f"--screenshot={target}", *options)
        return Picture(target.read_bytes())

    def dom(self, page: Path, size: tuple[int, int], *options: str) -> str:
        """Answer the page as the browser has understood it."""
        return self._run(page, size, "--dump-dom", *options)

    def pdf(self, page: Path, size: tuple[int, int]) -> bytes:
        """Answer the page as it is printed."""
        target = self.folder / "printed.pdf"
        self._run(page, size, f"--print-to-pdf={target}")
        return target.read_bytes()

    def measure(self, page: Path, size: tuple[int, int]) -> Any:
        """Answer the widths of the window and of the content, and where CPUs and devices of the first class stand.

        A script in a copy of the page measures, so the copy is without the rule that forbids scripts.
        """
        text = re.sub(r"<meta http-equiv[^>]*>", "", page.read_text("utf-8"))
        copy = self.folder / "measured.html"
        copy.write_text(text.replace("</body>", f"{MEASURE}</body>"), "utf-8")
        told = re.search(r'<pre id="measured">(.*?)</pre>', self.dom(copy, size), re.DOTALL)
        assert told
        return json.loads(html.unescape(told[1]))

    def _run(self, page: Path, size: tuple[int, int], *options: str) -> str:
        profile = f"--user-data-dir={self.folder / 'profile'}"
        window = f"--window-size={size[0]},{size[1]}"
        command = [self.program, *QUIET, profile, window, *options, page.as_uri()]
        home = {name: str(self.folder) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")}
        env = {**os.environ, **home}
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=SECONDS)
        assert done.returncode == 0, done.stderr
        return done.stdout
