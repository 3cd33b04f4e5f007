"""Estimates what a decision will cost, before it is made."""

from typing import Final

from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.engine.request import Request
from webhook.engine.world import World

QUICK_PLACEMENTS: Final = 64
"""Containers times node classes: some milliseconds. The most that is judged (`check.MAX_PLACEMENTS`) takes a second."""


def is_quick(request: Request, world: World) -> bool:
    """Tell whether a decision surely takes a few milliseconds at most; of an object with templates nobody knows."""
    if (request.group, request.kind) != ("", "Pod"):
        return False
    spec = get_object(request.object or {}, "spec")
    containers = len(get_list(spec, "containers")) + len(get_list(spec, "initContainers"))
    return containers * max(len(world.classes), 1) <= QUICK_PLACEMENTS
