"""The settings of the controller, as the command line gives them."""

import ssl
from dataclasses import dataclass
from dataclasses import field
from pathlib import Path

from webhook.controller.keeper import LOOK_SECONDS
from webhook.controller.keeper import READ_SECONDS
from webhook.domain import api
from webhook.kube.election import Times
from webhook.tls.rotation import Rhythm
from webhook.web.client_auth import Clients
from webhook.web.refresh import POLL_SECONDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What `numagate controller` can be told; `bind` "" is every address, `identity` is one replica's alone.

    With a `secret` it issues the certificates there, its own among them, in this `rhythm`, and also for `names`, DNS
    names and addresses. Without one it reads the files of `certificates`.
    Without `clients` anybody may call.
    """

    identity: str
    namespace: str = "numagate-system"
    world: str = api.WORLD_MAP
    lease: str = api.LEASE
    times: Times = field(default_factory=Times)
    certificates: Path = Path("certs")
    secret: str = ""
    names: tuple[str, ...] = ()
    rhythm: Rhythm = field(default_factory=Rhythm)
    bind: str = ""
    port: int = 8443
    probe_port: int = 8081
    tls_minimum: ssl.TLSVersion = ssl.TLSVersion.TLSv1_2
    clients: Clients | None = None
    drain_seconds: float = 5.0
    poll_seconds: float = POLL_SECONDS
    look_seconds: float = LOOK_SECONDS
    read_seconds: float = READ_SECONDS
