"""/proc/PID/status: the lists of CPUs and memory nodes, and a name that may be anything."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nodetree import status as status_text

from webhook.node.readers import status
from webhook.node.readers.status import Allowed


def test_both_lists_are_read() -> None:
    assert status.allowed(status_text("python3", 7, "0-3,8-11", "0,2").encode()) == Allowed(0xF0F, 0b101)


def test_a_kernel_without_cpusets_says_nothing() -> None:
    assert status.allowed(b"Name:\tsh\nPid:\t7\n") == Allowed(None, None)


def test_the_lines_that_count_are_cut_out() -> None:
    text = status_text("python3", 7, "0-3", "0").encode()

    assert status.lists(text).startswith(b"Cpus_allowed:\t")
    assert status.lists(text).endswith(b"Mems_allowed_list:\t0")
    assert status.allowed(status.lists(text)) == status.allowed(text)
    assert status.lists(b"Name:\tsh\nCpus_allowed_list:\t1\n") == b"Name:\tsh\nCpus_allowed_list:\t1\n"


def test_a_name_cannot_pass_for_a_list() -> None:
    text = status_text("x\nCpus_allowed_list:\t0-255\nMems_allowed_list:\t7", 7, "2", "0").encode()

    assert status.allowed(text) == Allowed(0b100, 0b1)


def test_a_zombie_is_told_by_its_state_and_by_no_name() -> None:
    text = status_text("x\nState:\tZ", 7, "2", "0")

    assert not status.is_zombie(text.encode())
    assert status.is_zombie(text.replace("S (sleeping)", "Z (zombie)").encode())
    assert not status.is_zombie(b"")


def test_a_name_is_shown_escaped_and_short() -> None:
    assert status.name(status_text("\x1b[2Jvllm", 7, "0", "0").encode()) == r"\x1b[2Jvllm"
    assert status.name(b"Name:\t\xff\xfe\nState:\tS\n") == r"\xff\xfe"
    assert status.name(b"Name:\t" + b"x" * 500 + b"\n") == "x" * 64
    assert status.name(b"") == ""


@pytest.mark.parametrize("lists", ["3-1", "0-99999", "0,,1", "-"])
def test_a_list_that_is_none_is_refused(lists: str) -> None:
    with pytest.raises(ValueError, match=r"CPU|range"):
        status.allowed(status_text("sh", 7, lists, "0").encode())


@given(st.binary(max_size=80), st.text("0123456789,-", max_size=12))
def test_any_text_is_read_or_refused(text: bytes, lists: str) -> None:
    try:
        found = status.allowed(text + b"\nCpus_allowed_list:\t" + lists.encode() + b"\n")
    except ValueError:
        return
    assert found.cpus is not None


def test_this_process_may_use_some_cpus() -> None:
    text = Path("/proc/self/status").read_bytes()

    assert status.allowed(text).cpus
    assert status.allowed(text).cells
