"""Makes inventories and views of raw objects, for tests of what becomes of them."""

from collections.abc import Iterable
from typing import Any

from webhook.config import grammar
from webhook.config.document import Document
from webhook.config.node_profile import to_node_class
from webhook.domain.raw import JsonObject
from webhook.domain.topology import NodeClass
from webhook.sources.evidence import AlignmentFacts
from webhook.sources.evidence import NodeFacts
from webhook.sources.evidence import NodeView
from webhook.sources.evidence import ProfileFacts
from webhook.sources.evidence import ReportFacts
from webhook.sources.evidence import SliceFacts
from webhook.sources.inventory.reduce import reduce_any
from webhook.sources.inventory.store import Inventory
from webhook.sources.inventory.survey import Survey


def view_of(*objects: JsonObject) -> NodeView:
    """Answer what is known about the one node that all the objects are about."""
    facts = [reduce_any(one) for one in objects]
    node = next((one for one in facts if isinstance(one, NodeFacts)), None)
    return NodeView(
        labels=dict(node.labels) if node else {},
        node=node,
        alignment=next((one for one in facts if isinstance(one, AlignmentFacts)), None),
        report=next((one for one in facts if isinstance(one, ReportFacts)), None),
        slices=tuple(one for one in facts if isinstance(one, SliceFacts)),
        profiles=tuple(one for one in facts if isinstance(one, ProfileFacts)),
    )


def survey_of(objects: Iterable[JsonObject], minimum: int = 3, **more: Any) -> Survey:
    """Survey the objects of a cluster."""
    inventory = Inventory()
    profiles = []
    for one in objects:
        facts = reduce_any(one)
        if isinstance(facts, ProfileFacts):
            profiles.append(facts)
        elif facts is not None:
            inventory.put(facts)
    return inventory.survey(profiles, minimum, **more)


def class_of(document: JsonObject) -> NodeClass:
    """Read a class of the snapshot as a NodeProfile is read: grammar first."""
    written = {
        "apiVersion": "numagate.io/v1alpha1",
        "kind": "NodeProfile",
        "metadata": {"name": document["name"]},
        "spec": document["spec"],
    }
    whole = Document(data=written, lines={}, source="class")
    grammar.check(whole)
    return to_node_class(whole, str(document["name"]), document["spec"])  # type: ignore[arg-type] # a JSON object
