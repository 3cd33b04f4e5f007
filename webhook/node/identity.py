"""The UID of the Node that this agent runs on, as its token says; the NodeAlignment is deleted with that Node."""

import logging

from webhook.domain.keys import NODE_NAME
from webhook.domain.keys import NODE_UID
from webhook.kube.client import Client
from webhook.kube.error import KubeError
from webhook.kube.whoami import claims

_LOGGER = logging.getLogger("numagate.agent")


class Owner:
    """Asks the API server until it answers, and no more then; used by one thread."""

    def __init__(self, client: Client, *, node: str) -> None:
        self._client = client
        self._node = node
        self._uid: str | None = None

    def __call__(self) -> str:
        """Answer the UID, "" where the API server does not answer or the token names another node or none."""
        if self._uid is None:
            try:
                found = claims(self._client)
            except KubeError:
                return ""
            names = found.get(NODE_NAME, ())
            if self._node not in names:
                named = f"node {names[0]}" if names else "no node"
                _LOGGER.warning(
                    "the token names %s, not %s: the admission policy of the agent refuses its writes; run it as a "
                    "pod of that node",
                    ascii(named),
                    ascii(self._node),
                )
            self._uid = next(iter(found.get(NODE_UID, ())), "") if self._node in names else ""
        return self._uid
