"""Says why a spec that was put together of several sources makes no node class."""

import json
from collections.abc import Mapping
from functools import lru_cache

from webhook.config.document import Document
from webhook.config.node_profile import to_node_class
from webhook.config.words import printable
from webhook.domain import api
from webhook.domain.errors import PolicyError
from webhook.domain.kubelet.admit import startup_error


def why_no_class(spec: Mapping[str, object]) -> str:
    """Answer why there is no such node, or ""; a kubelet that would not start is no kubelet of a node that runs."""
    return _why(json.dumps(spec, sort_keys=True, default=dict))


@lru_cache(maxsize=1024)
def _why(text: str) -> str:
    """Judge a spec by its text: most are the same as when the classes were made last."""
    from webhook.config import grammar  # noqa: PLC0415 - loads slowly, and an empty inventory need not pay for it

    spec = json.loads(text)
    head = {"apiVersion": api.API_VERSION, "kind": api.PROFILE, "metadata": {"name": "class"}}
    document = Document(data={**head, "spec": spec}, lines={}, source="")
    try:
        grammar.check(document)
        node_class = to_node_class(document, "class", spec)
    except PolicyError as error:
        return f"{error.field}: {error.reason}"
    problem = startup_error(node_class)
    return f"a kubelet would not start as the sources describe it: {printable(problem)}" if problem else ""
