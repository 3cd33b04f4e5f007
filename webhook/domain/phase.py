"""How far a pod is: one that has ended holds nothing any more, whatever is still told of it."""

from typing import Final

from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text

_ENDED: Final = frozenset({"Succeeded", "Failed"})


def has_ended(pod: JsonObject) -> bool:
    """Tell whether all containers of a pod have ended for good.

    >>> has_ended({"status": {"phase": "Failed"}}), has_ended({"status": {"phase": "Running"}}), has_ended({})
    (True, False, False)
    """
    return get_text(get_object(pod, "status"), "phase") in _ENDED
