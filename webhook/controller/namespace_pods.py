"""Lists the pods of one namespace, as far as the time goes."""

from collections.abc import Callable
from collections.abc import Iterator
from typing import Final

from webhook.kube.client import Client
from webhook.kube.listing import Page
from webhook.kube.listing import page
from webhook.kube.resource import Resource

PODS: Final = Resource("", "v1", "pods")
LIMIT: Final = 250
"""Pods in a page: half of the usual, so that the time ends between two pages rather than in one."""
MAX_BYTES: Final = 16 * 1024 * 1024
"""A larger page holds pods that were made large on purpose: their owner must not fill our memory."""


def list_pods(client: Client, namespace: str, seconds_left: Callable[[], float]) -> Iterator[Page]:
    """Yield the pages of the list, until it or the time ends.

    Raises:
        KubeError: the API server refused or did not answer in time, or a page is too large.
    """
    more = ""
    while (seconds := seconds_left()) > 0:
        found = page(client, PODS.path(namespace), limit=LIMIT, more=more, seconds=seconds, most=MAX_BYTES)
        yield found
        more = found.more
        if not more:
            return
