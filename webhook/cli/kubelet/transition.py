"""Says which state files of a node have to go before its kubelet starts with a new configuration."""

from collections.abc import Iterator
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from webhook.cli.kubelet.documents import configurations
from webhook.cli.kubelet.examine import Examined
from webhook.cli.kubelet.examine import subject_of
from webhook.domain.errors import InputError
from webhook.domain.errors import PolicyError
from webhook.domain.kubelet_configuration.state_files import Stale
from webhook.domain.kubelet_configuration.state_files import stale_after
from webhook.domain.kubelet_configuration.state_files import stale_in
from webhook.domain.kubelet_configuration.subject import Subject
from webhook.domain.observation import CPU_STATE
from webhook.domain.observation import MEMORY_STATE
from webhook.domain.topology import NodeClass
from webhook.domain.versions import Version
from webhook.node.readers.files import Gaps
from webhook.node.readers.files import why
from webhook.node.readers.state_files import read_state_files

_T = TypeVar("_T")


def find_stale(
    examined: Sequence[Examined],
    was: str | None,
    source: str,
    *,
    folder: Path | None,
    version: Version,
    node: NodeClass | None,
) -> tuple[Stale, ...]:
    """Answer the files by the configuration until now (its text), and by what lies in the kubelet's folder.

    Raises:
        PolicyError: there is not one configuration, or one cannot be read.
        InputError: a state file cannot be opened.
    """
    _one_of(examined, examined[0].source)
    now = subject_of(examined[0].document, version, node)
    found: list[Stale] = []
    if was is not None:
        before = _one_of(configurations(was, source), source)
        found += stale_after(subject_of(before, version, node), now)
    if folder is not None:
        found += _lying_in(folder, now)
    return tuple({one.name: one for one in reversed(found)}.values())[::-1]


def _one_of(found: Sequence[_T], source: str) -> _T:
    if len(found) != 1:
        message = f"{len(found)} configurations in it: leave one, or leave out --was and --state-dir"
        raise PolicyError(message, source=source)
    return found[0]


def _lying_in(folder: Path, now: Subject) -> Iterator[Stale]:
    """Yield what has to go of the files of a folder; one that is no checkpoint keeps any kubelet from starting."""
    there = [name for name in (CPU_STATE, MEMORY_STATE) if _is_there(folder / name)]
    files = read_state_files(folder, Gaps())
    yield from stale_in(files, now)
    for name in sorted({*there} - {file.name for file in files}):
        yield Stale(name, "it cannot be read: it is no checkpoint of the kubelet")


def _is_there(path: Path) -> bool:
    """Tell whether there is such a file; that we may not open one says nothing about what is in it."""
    try:
        path.open("rb").close()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise InputError(why(error), file=str(path.parent)) from None
    return True
