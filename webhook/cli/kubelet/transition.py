"""Says which state files of a node have to go before its kubelet starts with a new configuration."""

from collections.abc import Sequence
from pathlib import Path

from webhook.cli.kubelet.documents import configurations
from webhook.cli.kubelet.examine import Examined
from webhook.cli.kubelet.examine import subject_of
from webhook.domain.errors import InputError
from webhook.domain.errors import PolicyError
from webhook.domain.kubelet_configuration.state_files import Stale
from webhook.domain.kubelet_configuration.state_files import stale_after
from webhook.domain.kubelet_configuration.state_files import stale_in
from webhook.domain.topology import NodeClass
from webhook.domain.versions import Version
from webhook.node.readers.files import Gaps
from webhook.node.readers.state_files import read_state_files


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
        InputError: a state file cannot be read.
    """
    if len(examined) != 1:
        message = f"{len(examined)} configurations in it: leave one, or leave out --was and --state-dir"
        raise PolicyError(message, source=examined[0].source)
    now = subject_of(examined[0].document, version, node)
    found: list[Stale] = []
    if was is not None:
        before = configurations(was, source)
        found += stale_after(subject_of(before[0], version, node), now)
    if folder is not None:
        gaps = Gaps()
        files = read_state_files(folder, gaps)
        for gap in gaps.unread:
            raise InputError(gap.reason, file=str(folder))
        found += stale_in(files, now)
    return tuple({one.name: one for one in reversed(found)}.values())[::-1]
