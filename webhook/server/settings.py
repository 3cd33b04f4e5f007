"""The settings of the service, as the command line gives them."""

import ssl
from dataclasses import dataclass
from pathlib import Path

from webhook.web.client_auth import Clients
from webhook.web.refresh import POLL_SECONDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What `numagate serve` can be told; `bind` "" is every address.

    At most one of `policy` (a file; with none of the three it is the built-in one), `world` (a snapshot in a file) and
    `world_object` (a snapshot in the API server, by namespace and name) is set. Without `clients` anybody may call.
    """

    policy: Path | None = None
    world: Path | None = None
    world_object: tuple[str, str] | None = None
    profiles: tuple[str, ...] = ()
    certificates: Path = Path("certs")
    bind: str = ""
    port: int = 8443
    probe_port: int = 8081
    tls_minimum: ssl.TLSVersion = ssl.TLSVersion.TLSv1_2
    clients: Clients | None = None
    namespace: str = "numagate-system"
    drain_seconds: float = 15.0
    poll_seconds: float = POLL_SECONDS
