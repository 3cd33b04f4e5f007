"""Why a client is turned away, and how a handshake tells it."""

import ssl
from collections.abc import Callable
from enum import Enum

_OUTSIDE_ITS_TIME = frozenset({9, 10})
"""OpenSSL's X509_V_ERR_CERT_NOT_YET_VALID and X509_V_ERR_CERT_HAS_EXPIRED."""


class Refusal(Enum):
    """What was wrong with the certificate that a client showed; few words, for a metric's label."""

    MISSING = "missing"
    """There was none, or a session was to be resumed instead."""
    UNTRUSTED = "untrusted"
    """Another CA signed it, or it is not for clients."""
    EXPIRED = "expired"
    """It has ended, or not begun."""
    NAME = "name"
    """It is good, and for somebody who may not call."""


def telling(tell: Callable[[Refusal], None]) -> type[ssl.SSLObject]:
    """Answer a class for `SSLContext.sslobject_class` that calls `tell` when a client's certificate is refused.

    asyncio and uvloop end such a handshake without a word: no protocol is made, and nothing is logged. A session of
    TLS 1.2 that is resumed is refused, too: in it nobody shows a certificate, and its CA may be trusted no more. Python
    has no way to switch such sessions off; the API server asks for none.
    """

    class Telling(ssl.SSLObject):
        def do_handshake(self) -> None:
            try:
                super().do_handshake()
            except ssl.SSLCertVerificationError as error:
                tell(Refusal.EXPIRED if error.verify_code in _OUTSIDE_ITS_TIME else Refusal.UNTRUSTED)
                raise
            except ssl.SSLError as error:
                if error.reason == "PEER_DID_NOT_RETURN_A_CERTIFICATE":
                    tell(Refusal.MISSING)
                raise
            if self.session_reused:
                tell(Refusal.MISSING)
                msg = "a resumed session shows no certificate"
                raise ssl.SSLError(msg)

    return Telling
