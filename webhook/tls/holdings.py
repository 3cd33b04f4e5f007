"""What the Secret of the certificates holds: the CAs that are trusted, their keys, and the certificate that is served.

The Secret is the only memory of a rotation. Whoever leads next reads from it alone how far it has come.
"""

from collections.abc import Iterable
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from datetime import datetime
from typing import Final

from webhook.tls import files
from webhook.tls.authority import Authority
from webhook.tls.authority import bundle_of
from webhook.tls.authority import read_authorities
from webhook.tls.authority import read_keys
from webhook.tls.authority import with_keys
from webhook.tls.certificate import holds_at
from webhook.tls.pair import CertificateError
from webhook.tls.pair import Pair
from webhook.tls.pair import SigningKey
from webhook.tls.pair import parse_pair

BUNDLE: Final = files.CA_CERTIFICATE
CA_KEYS: Final = files.CA_KEY

MOST: Final = 8
"""CAs of foreign bundles that are kept, at most: an object has its limits, and a handshake has no time to lose."""


@dataclass(frozen=True, slots=True)
class Holdings:
    """The CAs, the oldest first, and the leaf; without one nothing can be served."""

    authorities: tuple[Authority, ...] = ()
    leaf: Pair | None = None

    @property
    def issuer(self) -> Authority | None:
        """The CA that the leaf is of, where it is one of these."""
        leaf = self.leaf
        return None if leaf is None else next((one for one in self.authorities if one.signed(leaf.certificate)), None)

    @property
    def bundle(self) -> bytes:
        """What clients are to trust, in PEM."""
        return bundle_of(self.authorities)

    @property
    def data(self) -> dict[str, bytes]:
        """The keys of the Secret, but for those of a leaf that is not there."""
        made = {BUNDLE: self.bundle, CA_KEYS: b"".join(one.key_pem for one in self.authorities)}
        if self.leaf is not None:
            made |= {files.CERTIFICATE: self.leaf.certificate_pem, files.KEY: self.leaf.key_pem}
        return made


@dataclass(frozen=True, slots=True)
class Reading:
    """What a Secret holds, and what is wrong with it, in words; without any it is whole.

    `keys` are all keys of CAs, those whose CA is gone among them.
    """

    holdings: Holdings
    faults: tuple[str, ...]
    keys: tuple[tuple[SigningKey, bytes], ...] = field(default=(), compare=False, repr=False)


def read(data: Mapping[str, bytes]) -> Reading:
    """Read the data of a Secret; nothing raises, whatever somebody wrote into it."""
    faults: list[str] = []
    keys = read_keys(data.get(CA_KEYS, b""))
    authorities = with_keys(read_authorities(data.get(BUNDLE, b"")), keys)
    if not authorities:
        faults.append(f"{BUNDLE} holds no CA")
    elif bundle_of(authorities) != data.get(BUNDLE):
        faults.append(f"{BUNDLE} holds something else, too")
    elif not any(one.key for one in authorities):
        faults.append(f"{CA_KEYS} holds no key of a CA in {BUNDLE}")
    elif b"".join(one.key_pem for one in authorities) != data.get(CA_KEYS):
        faults.append(f"{CA_KEYS} holds something else, too")
    leaf = None
    try:
        names = (files.CERTIFICATE, files.KEY)
        leaf = parse_pair(data.get(files.CERTIFICATE, b""), data.get(files.KEY, b""), names=names)
    except CertificateError as error:
        faults.append(str(error))
    found = Holdings(authorities, leaf)
    if leaf is not None and authorities and found.issuer is None:
        faults.append(f"{files.CERTIFICATE} is of no CA in {BUNDLE}")
    return Reading(found, tuple(faults), keys)


def salvage(reading: Reading, *, kept: Holdings | None, published: Iterable[Authority], now: datetime) -> Holdings:
    """Make the best of what was found, of what this process has seen last, and of what clients trust now.

    What is whole stays as it is, but for one thing: the CA of the leaf that was there before stays trusted, however
    the leaf was replaced, because it is still served. Where something is wrong, whatever clients trust stays trusted,
    and parts that are still good come back from memory.
    """
    found, trusted = reading.holdings, tuple(one for one in published if holds_at(one.certificate, now))[:MOST]
    before = kept or Holdings()
    candidates = [*before.authorities, *found.authorities, *trusted]
    keys = [*reading.keys, *((one.key, one.key_pem) for one in before.authorities if one.key is not None)]
    leaves = [leaf for leaf in (found.leaf, before.leaf) if leaf is not None]
    served = [before.issuer] if before.issuer is not None else []
    wanted = candidates if reading.faults else [*served, *found.authorities]
    merged = with_keys({one.pem: one for one in wanted}.values(), keys)
    ordered = tuple(sorted(merged, key=lambda one: one.certificate.not_valid_before_utc))
    usable = (leaf for leaf in leaves if holds_at(leaf.certificate, now) and Holdings(ordered, leaf).issuer is not None)
    return Holdings(ordered, next(usable, found.leaf if not reading.faults else None))
