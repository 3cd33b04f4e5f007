"""The world: everything a decision needs beside the request, gathered before and swapped whole."""

from dataclasses import dataclass
from datetime import datetime

from webhook.domain.policy import Policy
from webhook.domain.topology import NodeClass


@dataclass(frozen=True, slots=True)
class World:
    """One consistent state: the policy and the node classes it is decided on.

    `own_namespace` is numagate's. `instant` is the time that exemptions are judged at.
    """

    policy: Policy
    classes: tuple[NodeClass, ...]
    own_namespace: str
    instant: datetime
