"""What a configuration is for: the machine and the version that options name."""

import re
from typing import Final

from webhook.cli.profile_shelf import find_all
from webhook.domain.errors import PolicyError
from webhook.domain.topology import KubeletSettings
from webhook.domain.topology import NodeClass
from webhook.domain.versions import Version

_OLDEST: Final = 34
_VERSION: Final = re.compile(r"v?1\.([0-9]{1,3})(?:\.[0-9]+(?:[-+][-+.0-9A-Za-z]*)?)?")
"""A version as kubelets write it; its patch does not matter."""


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
    """Read a version such as 1.37 or v1.37.2, by default that of the machine's profile.

    Raises:
        PolicyError: it is none that numagate knows.
    """
    if text is None:
        return (node.kubelet if node else KubeletSettings()).version
    found = _VERSION.fullmatch(text)
    if found is None or int(found[1]) < _OLDEST:
        message = f"{text} is no version of Kubernetes that numagate knows: write one from 1.{_OLDEST} on, such as 1.37"
        raise PolicyError(message, source="--version")
    return 1, int(found[1])
