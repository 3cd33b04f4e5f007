"""The page of `numagate explain` as a browser shows it: colours where they belong, nothing cut off, light and dark."""

import re
from pathlib import Path
from typing import Any

import pytest
from builders import container
from builders import equal
from builders import pod
from e2e.browser import Browser
from e2e.png import Picture
from explanations import HOSTILE
from explanations import explained

from webhook.cli.drawing import html_tags
from webhook.cli.explain import as_html
from webhook.sources.policy_file import load_profile

WINDOW = (1000, 900)
DARK = "--blink-settings=preferredColorScheme=0"
SERVER = container(**equal("16", "64Gi", 2))
ROUTER = container("router", image="registry.example/router:1", **equal("4", "8Gi", None))


def colours(part: int) -> dict[str, tuple[int, int, int]]:
    """Read the colours of the style sheet: those of the light scheme (0), of the dark one (1) or of print (2)."""
    block = re.findall(r":root \{(.*?)\}", html_tags.STYLE.read_text("utf-8"), re.DOTALL)[part]
    found = re.findall(r"--(\w+): #(\w\w)(\w\w)(\w\w)", block)
    return {name: (int(red, 16), int(green, 16), int(blue, 16)) for name, red, green, blue in found}


def write(folder: Path, *objects: dict[str, Any], **options: Any) -> Path:
    page = folder / "explain.html"
    page.write_text(as_html.write(explained(*objects, **options)), "utf-8")
    return page


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """Explain a server with two GPUs and a router on the machine of the README."""
    return write(tmp_path, pod(SERVER, ROUTER))


def at(picture: Picture, place: list[float]) -> tuple[int, int, int]:
    """Answer the colour at the left edge of a square, halfway down: beside its letter."""
    left, top, width, height = place
    return picture.pixel(round(left + width / 8), round(top + height / 2))


@pytest.mark.parametrize(("scheme", "options"), [(0, ()), (1, (DARK,))], ids=["light", "dark"])
def test_cpus_and_gpus_have_the_colours_of_their_owners(
    browser: Browser, page: Path, scheme: int, options: tuple[str, ...]
) -> None:
    picture = browser.screenshot(page, WINDOW, *options)
    places, colour = browser.measure(page, WINDOW)["places"], colours(scheme)
    expected = {
        "cpu 0": colour["own0"],
        "cpu 15": colour["own0"],
        "cpu 16": colour["own1"],
        "cpu 20": colour["free"],
        "cpu 31": colour["reserved"],
        "cpu 32": colour["free"],
        "cpu 63": colour["reserved"],
        "device gpu-0": colour["own0"],
        "device gpu-1": colour["own0"],
        "device gpu-2": colour["free"],
    }

    assert (picture.width, picture.height) == WINDOW
    assert {name: at(picture, places[name]) for name in expected} == expected
    assert picture.pixel(2, 2) == colour["page"]


def test_the_sockets_stand_side_by_side_in_a_window_of_1000_pixels(browser: Browser, page: Path) -> None:
    places = browser.measure(page, WINDOW)["places"]

    assert places["cpu 0"][1] == places["cpu 32"][1]
    assert places["cpu 31"][0] < places["cpu 32"][0]


def test_the_placement_is_in_the_page_as_text(browser: Browser, page: Path) -> None:
    text = " ".join(re.sub(r"<[^>]*>", " ", browser.dom(page, WINDOW)).split())

    assert "server CPUs 0-15 on NUMA node 0; memory 64Gi on NUMA node 0; nvidia.com/gpu gpu-0, gpu-1" in text
    assert "router CPUs 16-19 on NUMA node 0; memory 8Gi on NUMA node 0" in text
    assert "an empty node takes 2 such pods, aligned" in text


@pytest.mark.parametrize("width", [1000, 600])
def test_nothing_is_wider_than_the_window(browser: Browser, tmp_path: Path, width: int) -> None:
    named = container(HOSTILE, **equal("4", "8Gi", 1))
    long = container("x" * 253, image="registry.example/router:1", **equal("100m", "1Gi", None))
    classes = tuple(map(load_profile, ("two-socket-32c", "dgx-a100", "gb200-tray-numa", "dgx-h100")))
    shown = write(tmp_path, pod(named, long), pod(container(**equal("8", "32Gi", 8))), classes=classes)
    measured = browser.measure(shown, (width, 900))

    assert (measured["innerWidth"], measured["scrollWidth"]) == (width, width)


def test_hostile_names_stay_text(browser: Browser, tmp_path: Path) -> None:
    shown = write(tmp_path, pod(container(HOSTILE, **equal("4", "8Gi", 1))))
    dom = browser.dom(shown, WINDOW)

    assert "<script" not in dom
    assert "&lt;script&gt;alert(1)" in dom


def test_a_page_can_be_printed(browser: Browser, page: Path) -> None:
    printed = browser.pdf(page, WINDOW)

    assert printed[:5] == b"%PDF-"
    assert 1 <= len(re.findall(rb"/Type /Page\b", printed)) <= 2
