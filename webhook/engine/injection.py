"""Signs of an injection that a workload object carries for its pods, as some injectors read the object itself."""

from webhook.domain import injectors
from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text_map


def with_signs_of(obj: JsonObject, pod: JsonObject) -> JsonObject:
    """Answer the pod with those annotations of its object that call an injector; the same pod where there are none."""
    signs = injectors.signs_on_objects(get_text_map(get_object(obj, "metadata"), "annotations"))
    metadata = get_object(pod, "metadata")
    own = metadata.get("annotations", {})
    if not isinstance(own, dict) or signs.keys() <= own.keys():
        return pod
    return {**pod, "metadata": {**metadata, "annotations": {**signs, **own}}}
