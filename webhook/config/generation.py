"""Names the content of a policy and its node classes, so that two replicas can be seen to agree."""

import hashlib
import json
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import fields
from dataclasses import is_dataclass
from datetime import datetime
from enum import Enum

from webhook.domain.policy import Policy
from webhook.domain.quantity import Quantity
from webhook.domain.topology import NodeClass

_LENGTH = 12
_PASSING = frozenset({"nodes", "free"})


def generation(policy: Policy, classes: Sequence[NodeClass]) -> str:
    """Answer the first digits of a SHA-256 over what is decided from, however it was spelled or ordered in maps.

    How many nodes a class has, and what they have free, changes by the minute and decides nothing.
    """
    text = json.dumps(_plain([policy, *classes]), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:_LENGTH]


def _plain(value: object) -> object:
    if isinstance(value, Quantity):
        return [value.mantissa, value.exponent]
    if isinstance(value, datetime | Enum):
        return str(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: _plain(getattr(value, one.name)) for one in fields(value) if one.name not in _PASSING}
    if isinstance(value, Mapping):
        return {str(key): _plain(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(member) for member in value]
    return value
