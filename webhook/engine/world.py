"""The world: everything a decision needs beside the request, gathered before and swapped whole."""

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from datetime import datetime
from types import MappingProxyType

from webhook.domain.claims import ClaimCatalog
from webhook.domain.policy import Policy
from webhook.domain.topology import NodeClass


def _unlabelled() -> Mapping[str, Mapping[str, str]]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class World:
    """One consistent state: the policies and the node classes they are decided on.

    `policies` stand in the order in which they are asked (`Policy.order`). `namespaces` holds labels by the name of the
    namespace, of those namespaces that have any worth knowing. `own_namespace` is numagate's. `instant` is the time
    that exemptions are judged at. `claims` is what is known of device classes, and where they have been seen of claims.
    """

    policies: tuple[Policy, ...]
    classes: tuple[NodeClass, ...]
    own_namespace: str
    instant: datetime
    namespaces: Mapping[str, Mapping[str, str]] = field(default_factory=_unlabelled)
    claims: ClaimCatalog = field(default_factory=ClaimCatalog)
