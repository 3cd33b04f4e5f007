"""Reads the first bytes of a review that is too large to be read whole.

The API server writes its fields in one order: the uid first, then kind and resource, then name and namespace, and the
object after them.
"""

import re
from dataclasses import dataclass
from typing import Final

OPENING_BYTES: Final = 1024

_OPENING: Final = re.compile(
    rb'"request"\s*:\s*\{\s*"uid"\s*:\s*"([A-Za-z0-9-]{1,64})"'
    rb'.*?"resource"\s*:\s*\{\s*"group"\s*:\s*""\s*,\s*"version"\s*:\s*"v1"\s*,\s*"resource"\s*:\s*"([a-z]+)"\s*\}'
    rb'.*?"namespace"\s*:\s*"([a-z0-9-]{1,63})"',
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Opening:
    """What an answer needs: whom to answer, and what is asked about. `resource` is one of the core group."""

    uid: str
    resource: str
    namespace: str


def read(data: bytes) -> Opening | None:
    """Read the beginning of a review; None where it holds too little, or is no review of the core group.

    Quotes inside of a text are escaped, so that no name can feign a field.
    """
    found = _OPENING.search(data[:OPENING_BYTES])
    return Opening(*(part.decode("ascii") for part in found.groups())) if found else None
