"""Do the certificates last, and the CA that signs them?"""

import base64
import binascii
from collections.abc import Iterator

from cryptography import x509

from webhook.cli.doctor.facts import Facts
from webhook.cli.doctor.probes._certificates import is_late
from webhook.cli.doctor.probes._certificates import renewal
from webhook.cli.doctor.result import Probe
from webhook.cli.doctor.result import Result
from webhook.cli.doctor.result import ok
from webhook.cli.doctor.result import problem
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.tls.chain import read_all


def look(facts: Facts) -> Iterator[Result]:
    """Compare the ends with the clock."""
    ends: list[x509.Certificate] = []
    for who, certificate in _all(facts):
        ends.append(certificate)
        if is_late(certificate, facts.now):
            end = certificate.not_valid_after_utc
            word = "has ended" if end <= facts.now else "ends"
            yield problem(f"{who} {word} at {end:%Y-%m-%d %H:%M}Z", renewal(facts))
    if ends and not any(is_late(one, facts.now) for one in ends):
        first = min(one.not_valid_after_utc for one in ends)
        yield ok(f"the first one to end lasts {(first - facts.now).days} days")


def _all(facts: Facts) -> Iterator[tuple[str, x509.Certificate]]:
    shown = {one.name: one.certificates for one in facts.replicas} | {"the address": facts.served or b""}
    for who, pem in shown.items():
        for certificate in read_all(pem)[:1]:
            yield f"the certificate of {who}", certificate
    bundles = {get_text(get_object(entry, "clientConfig"), "caBundle") for entry in facts.entries}
    authorities = {one for text in bundles for one in read_all(_decoded(text))}
    # While a CA is replaced the old one may end: the newest is the one that has to last.
    if authorities:
        yield "the CA", max(authorities, key=lambda one: one.not_valid_after_utc)


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""


PROBE = Probe("certificate", 7, look)
