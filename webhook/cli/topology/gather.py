"""Makes a survey of what was read: of a cluster's objects, or of a world snapshot."""

import json
from collections.abc import Sequence
from datetime import datetime

from webhook.domain import api
from webhook.domain.errors import InputError
from webhook.domain.manifest import Manifest
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.sources.evidence import ProfileFacts
from webhook.sources.inventory.reduce import reduce_any
from webhook.sources.inventory.store import Inventory
from webhook.sources.inventory.survey import Survey
from webhook.sources.inventory.survey import SurveyedClass


def survey_of(manifests: Sequence[Manifest], minimum: int, now: datetime) -> Survey:
    """Make the classes of the Nodes, what is reported of them, and the NodeProfiles among the objects.

    Raises:
        InputError: there are none.
    """
    inventory = Inventory()
    profiles: list[ProfileFacts] = []
    for manifest in manifests:
        facts = reduce_any(manifest.content)
        if isinstance(facts, ProfileFacts):
            profiles.append(facts)
        elif facts is not None:
            inventory.put(facts)
    if not len(inventory) and not profiles:
        message = (
            "no Node, report about one, or NodeProfile in it: "
            "give the output of kubectl get nodes,nodealignments,noderesourcetopologies,resourceslices -o yaml"
        )
        raise InputError(message, file=", ".join(dict.fromkeys(manifest.file for manifest in manifests)) or "input")
    return inventory.survey(profiles, minimum, now=now)


def survey_of_world(manifests: Sequence[Manifest], file: str) -> Survey:
    """Read the classes of a world snapshot, or of the ConfigMap that holds one.

    Raises:
        InputError: there is none.
    """
    for manifest in manifests:
        world = _world(manifest)
        if world is not None:
            documents = [as_object(one) for one in get_list(world, "classes")]
            classes = tuple(_classes(documents))
            counted = sum(nodes for one in documents if isinstance(nodes := one.get("nodes"), int))
            return Survey(classes=classes, unknown=(), nodes=counted)
    message = "no world snapshot in it: give the output of numagate world export, or its ConfigMap"
    raise InputError(message, file=file)


def _classes(documents: Sequence[JsonObject]) -> list[SurveyedClass]:
    doubt = "the snapshot says so, not why"
    return [
        SurveyedClass(document, {}, (), (), "" if document.get("trusted") is True else doubt, "", ())
        for document in sorted(documents, key=lambda one: get_text(one, "name"))
    ]


def _world(manifest: Manifest) -> JsonObject | None:
    content = manifest.content
    if get_text(content, "kind") == "World":
        return content
    text = get_text(get_object(content, "data"), api.WORLD_KEY)
    if get_text(content, "kind") != "ConfigMap" or not text:
        return None
    try:
        return as_object(json.loads(text))
    except ValueError as error:
        message = f"data[{api.WORLD_KEY}] is no JSON: {error}"
        raise InputError(message, file=manifest.file, document=manifest.document) from None
