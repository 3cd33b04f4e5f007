"""The settings of the service, as the command line gives them."""

import ssl
from dataclasses import dataclass
from pathlib import Path

from webhook.web.refresh import POLL_SECONDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What `numagate serve` can be told; `policy` None is the built-in one, `bind` "" is every address."""

    policy: Path | None = None
    profiles: tuple[str, ...] = ()
    certificates: Path = Path("certs")
    bind: str = ""
    port: int = 8443
    probe_port: int = 8081
    tls_minimum: ssl.TLSVersion = ssl.TLSVersion.TLSv1_2
    namespace: str = "numagate-system"
    drain_seconds: float = 15.0
    poll_seconds: float = POLL_SECONDS
