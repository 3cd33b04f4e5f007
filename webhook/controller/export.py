"""The snapshot of a cluster for once, without a controller in it."""

from contextlib import suppress
from datetime import datetime

from webhook.controller import kinds
from webhook.controller.changes import Changes
from webhook.controller.watches import Picture
from webhook.domain import api
from webhook.domain.errors import NumagateError
from webhook.domain.errors import PolicyError
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.kube.apply import CONFIG_MAPS
from webhook.kube.client import Ask
from webhook.kube.client import Client
from webhook.kube.error import KubeError
from webhook.kube.listing import read_object
from webhook.kube.reflector import read_all
from webhook.sources.snapshot_reader import Reader


def written_snapshot(client: Client, *, namespace: str, name: str = api.WORLD_MAP) -> str | None:
    """Answer the snapshot that the controller has written, None where there is none that can be read.

    Raises:
        KubeError: the API server cannot be reached, or refuses to say.
    """
    path = CONFIG_MAPS.path(namespace, name)
    try:
        found = read_object(client.send(Ask(path=path)), path)
    except KubeError as error:
        if error.absent:
            return None
        raise
    text = get_text(get_object(found, "data"), api.WORLD_KEY)
    with suppress(PolicyError):
        Reader().read(text.encode(), path)
        return text
    return None


def make_snapshot(client: Client, *, namespace: str, now: datetime) -> str:
    """List what the controller would watch, and make the snapshot of it.

    Raises:
        NumagateError: something cannot be listed.
    """
    picture = Picture(Changes(), own_namespace=namespace, clock=lambda: now)
    for kind, sink in picture.sinks.items():
        try:
            read_all(client, kinds.VERSIONS[kind], sink)
        except KubeError as error:
            if not error.absent:
                msg = f"{kind} objects cannot be listed: {error}: ask for the right to get and list them"
                raise NumagateError(msg) from None
    return picture.composer.compose(survey=True)(now)
