"""The certificates of a controller that issues them: its own from memory, and everybody's from the Secret."""

from collections.abc import Callable
from datetime import datetime
from ipaddress import ip_address
from typing import Final

from webhook.controller.metrics import Metrics
from webhook.controller.rotator import Rotator
from webhook.controller.secret import ClusterSecret
from webhook.controller.secret import stored
from webhook.controller.settings import Settings
from webhook.domain.raw import JsonObject
from webhook.kube.apply import SECRETS
from webhook.kube.client import Client
from webhook.kube.error import KubeError
from webhook.kube.single import ObjectWatch
from webhook.tls import files
from webhook.tls.issue import Names
from webhook.tls.issue import issue_ca
from webhook.tls.issue import issue_leaf
from webhook.tls.issue import service_names
from webhook.tls.source import Memory

SERVICE: Final = "numagate"
CONTROLLER: Final = "numagate-controller"
"""Both Services: one certificate is for both."""

_PROVISIONAL_DAYS: Final = 1.0


def names_of(settings: Settings) -> Names:
    """Answer what the certificate is to be for.

    Raises:
        CertificateError: a name is none.
    """
    addresses = [name for name in settings.names if _is_address(name)]
    dns = [name for name in settings.names if name not in addresses]
    own = f"{CONTROLLER}.{settings.namespace}.svc"
    return service_names(SERVICE, settings.namespace, [own, *dns], addresses)


class Issuing:
    """What a controller needs that issues: the rotator, the watch of the Secret, and its own certificate in memory.

    Until there is a certificate, a provisional one that nobody trusts lets the port be opened; the replica is not ready
    then.
    """

    def __init__(self, settings: Settings, client: Client, *, metrics: Metrics, wall: Callable[[], datetime]) -> None:
        names = names_of(settings)
        namespace, name = settings.namespace, settings.secret
        ca = issue_ca(now=wall(), days=_PROVISIONAL_DAYS, common_name="numagate provisional")
        provisional = issue_leaf(ca, names, now=wall(), days=_PROVISIONAL_DAYS)
        self.source = Memory(provisional, name=f"Secret {name}")
        self._provisional = provisional.certificate.serial_number
        secret = ClusterSecret(client, namespace=namespace, name=name)
        self.rotator = Rotator(secret, names=names, meters=metrics, rhythm=settings.rhythm, wall=wall)
        self._failed = ""
        self.watch = ObjectWatch(client, SECRETS, namespace=namespace, name=name, receive=self.receive, fail=self._fail)

    @property
    def note(self) -> str:
        """Say how the certificates are, for people."""
        return self._failed or self.rotator.note or "looked after by another replica"

    def is_provisional(self, serial: int) -> bool:
        """Tell whether the certificate that is served is the one that nobody trusts."""
        return serial == self._provisional

    def receive(self, found: JsonObject | None) -> None:
        """Take the Secret as the watch has it, None where there is none."""
        self._failed = ""
        content = stored(found)
        pair = content.data.get(files.CERTIFICATE, b""), content.data.get(files.KEY, b"")
        # A Secret that is gone, or not filled yet, takes nothing away.
        if all(pair):
            self.source.put(*pair)
        self.rotator.receive(content)

    def _fail(self, error: KubeError) -> None:
        self._failed = f"the Secret cannot be watched: {error}"


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
