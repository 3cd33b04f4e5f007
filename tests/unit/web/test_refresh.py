"""Reloading: what is loaded when, and what becomes of a bad content."""

import asyncio
from pathlib import Path

import pytest

from webhook.domain.errors import NumagateError
from webhook.web.refresh import Reloader
from webhook.web.refresh import fingerprint
from webhook.web.refresh import poll


class Bench:
    """A reloader of one file that records what it accepts and refuses; a content that starts with "bad" is bad."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.loads = 0
        self.events: list[str] = []
        self.reloader = Reloader(
            look=lambda: fingerprint((file,)),
            load=self.load,
            accept=lambda text: self.events.append(f"+{text}"),
            reject=lambda error: self.events.append(f"-{error}"),
        )

    def load(self) -> str:
        """Read the file."""
        self.loads += 1
        text = self.file.read_text("utf-8") if self.file.exists() else "bad: no file"
        if text.startswith("bad"):
            raise NumagateError(text)
        return text

    def step(self, text: str | None = None) -> None:
        """Write `text`, if any, and look once."""
        if text is not None:
            self.file.write_text(text, "utf-8")
        asyncio.run(self.reloader.step())


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Answer a bench whose file does not exist yet."""
    return Bench(tmp_path / "file")


def test_an_unchanged_content_is_loaded_once(bench: Bench) -> None:
    for text in ("one", None, "one"):
        bench.step(text)

    assert (bench.events, bench.loads) == (["+one"], 1)


def test_a_new_content_replaces_the_old(bench: Bench) -> None:
    for text in ("one", "two"):
        bench.step(text)

    assert bench.events == ["+one", "+two"]


def test_a_bad_content_is_told_once_and_tried_again(bench: Bench) -> None:
    for text in ("one", "bad 1", None, None, "bad 2"):
        bench.step(text)

    assert (bench.events, bench.loads) == (["+one", "-bad 1", "-bad 2"], 5)


def test_the_way_back_to_the_content_in_force_is_told(bench: Bench) -> None:
    for text in ("one", "bad", "one", None):
        bench.step(text)

    assert bench.events == ["+one", "-bad", "+one"]


def test_a_file_that_is_missing_at_first_is_loaded_when_it_comes(bench: Bench) -> None:
    for text in (None, None, "one"):
        bench.step(text)

    assert bench.events == ["-bad: no file", "+one"]


def test_the_fingerprint_follows_a_symlink_that_is_swapped(tmp_path: Path) -> None:
    for version in ("1", "2"):
        (tmp_path / version).mkdir()
        (tmp_path / version / "file").write_text(version)
    (tmp_path / "data").symlink_to("1")
    before = fingerprint([tmp_path / "data" / "file"])

    (tmp_path / "new").symlink_to("2")
    (tmp_path / "new").replace(tmp_path / "data")

    assert fingerprint([tmp_path / "data" / "file"]) != before


def test_a_file_that_cannot_be_read_has_an_empty_fingerprint(tmp_path: Path) -> None:
    assert fingerprint([tmp_path, tmp_path / "none"]) == ("", "")


def test_a_bug_in_one_step_does_not_end_the_loop(caplog: pytest.LogCaptureFixture) -> None:
    taken: list[str] = []

    async def broken() -> None:
        taken.append("broken")
        msg = "bug"
        raise KeyError(msg)

    async def fine() -> None:
        taken.append("fine")
        if len(taken) >= 4:
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(poll([broken, fine], seconds=0))

    assert taken == ["broken", "fine"] * 2
    assert [record.message for record in caplog.records] == ["bug while reloading"] * 2
