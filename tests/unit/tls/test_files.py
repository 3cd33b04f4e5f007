"""Files: written whole, keys for their owner only."""

import os
from pathlib import Path

from webhook.tls import files


def mode(path: Path) -> str:
    """Answer the permission bits in octal."""
    return oct(path.stat().st_mode & 0o777)


def test_a_key_can_be_read_by_its_owner_only(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        files.write_private(tmp_path / "a.key", b"key")
    finally:
        os.umask(before)

    assert ((tmp_path / "a.key").read_bytes(), mode(tmp_path / "a.key")) == (b"key", "0o600")


def test_a_key_that_others_could_read_is_replaced_by_one_that_they_cannot(tmp_path: Path) -> None:
    (tmp_path / "a.key").write_bytes(b"old")
    (tmp_path / "a.key").chmod(0o644)

    files.write_private(tmp_path / "a.key", b"new")

    assert ((tmp_path / "a.key").read_bytes(), mode(tmp_path / "a.key")) == (b"new", "0o600")


def test_a_link_is_replaced_and_its_target_left_alone(tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(b"mine")
    (tmp_path / "a.crt").symlink_to("target")

    files.write_public(tmp_path / "a.crt", b"new")

    assert (tmp_path / "target").read_bytes() == b"mine"
    assert (tmp_path / "a.crt").read_bytes() == b"new"


def test_the_rest_of_an_interrupted_write_does_not_matter(tmp_path: Path) -> None:
    (tmp_path / ".a.crt.new").write_bytes(b"half")

    files.write_public(tmp_path / "a.crt", b"whole")

    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a.crt", b"whole")]
