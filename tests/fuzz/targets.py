"""Lists what is fuzzed."""

from collections.abc import Mapping

from fuzz import documents
from fuzz import reviews
from fuzz import values
from fuzz.target import Target

_ALL = (
    reviews.REVIEW,
    reviews.FACTS,
    values.QUANTITY,
    values.PATCH,
    documents.POLICY,
    documents.SNAPSHOT,
    documents.MANIFESTS,
    documents.NODES,
    documents.CERTIFICATES,
)

TARGETS: Mapping[str, Target] = {target.name: target for target in _ALL}
"""Every target by its name."""
