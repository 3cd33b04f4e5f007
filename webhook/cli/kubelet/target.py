"""What a configuration is for: the machine and the version that options name."""

from typing import Final

from webhook.cli.profile_shelf import find_all
from webhook.domain.errors import PolicyError
from webhook.domain.topology import KubeletSettings
from webhook.domain.topology import NodeClass
from webhook.domain.versions import Version

_OLDEST: Final = 34
_LATEST: Final = 999


def machine(name: str) -> NodeClass:
    """Answer the machine of the library, or that of a file with one NodeProfile.

    Raises:
        PolicyError: there is none, or there are several.
    """
    found = [entry.node_class for entry in find_all(policy=None, profiles=[name])]
    if len(found) != 1:
        names = ", ".join(one.name for one in found)
        message = f"{len(found)} NodeProfiles in it ({names}): leave one, or name a machine of the library"
        raise PolicyError(message, source=name)
    return found[0]


def version_of(text: str | None, node: NodeClass | None) -> Version:
    """Read a version such as 1.37, by default that of the machine's profile.

    Raises:
        PolicyError: it is none that numagate knows.
    """
    if text is None:
        return (node.kubelet if node else KubeletSettings()).version
    major, _, minor = text.removeprefix("v").partition(".")
    if major != "1" or not (minor.isascii() and minor.isdigit() and _OLDEST <= int(minor[:4]) <= _LATEST):
        message = f"{text} is no version of Kubernetes that numagate knows: write one from 1.{_OLDEST} on, such as 1.37"
        raise PolicyError(message, source="--version")
    return 1, int(minor)
