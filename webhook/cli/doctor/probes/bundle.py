"""Does the CA that the API server trusts match the certificates that numagate serves?"""

import base64
import binascii
from collections.abc import Iterator
from urllib.parse import urlsplit

from webhook.cli.doctor.facts import NAME
from webhook.cli.doctor.facts import Facts
from webhook.cli.doctor.facts import service_of
from webhook.cli.doctor.facts import url_of
from webhook.cli.doctor.probes._certificates import renewal
from webhook.cli.doctor.probes._entries import grouped
from webhook.cli.doctor.result import Probe
from webhook.cli.doctor.result import Result
from webhook.cli.doctor.result import ok
from webhook.cli.doctor.result import problem
from webhook.cli.doctor.result import unknown
from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.tls.chain import read_all
from webhook.tls.chain import why_untrusted


def look(facts: Facts) -> Iterator[Result]:
    """Verify each certificate by each entry's bundle and name, as the API server will."""
    if not facts.entries:
        return
    remedy = renewal(facts)
    wrong = list(grouped((get_text(entry, "name"), told) for entry in facts.entries for told in _wrong(entry, facts)))
    yield from (problem(told, remedy) for told in wrong)
    if wrong:
        return
    if any(list(_shown(entry, facts)) for entry in facts.entries):
        yield ok("every certificate seen is trusted, by name and CA")
    else:
        yield unknown("no certificate could be seen: needs the right to get pods/proxy, and pods that answer")


def _wrong(entry: JsonObject, facts: Facts) -> Iterator[str]:
    text = get_text(get_object(entry, "clientConfig"), "caBundle")
    if not text:
        yield "there is no caBundle, so the API server trusts no certificate of numagate"
        return
    try:
        bundle = read_all(base64.b64decode(text, validate=True))
    except (binascii.Error, ValueError):
        bundle = ()
    if not bundle:
        yield "the caBundle holds no certificate"
        return
    for who, pem in _shown(entry, facts):
        if why := why_untrusted(read_all(pem), bundle, name=_called(entry), now=facts.now):
            yield f"the API server refuses the certificate of {who}: {why}"


def _shown(entry: JsonObject, facts: Facts) -> Iterator[tuple[str, bytes]]:
    """Answer the certificates of those whom an entry may reach."""
    if url_of(entry):
        if facts.served is not None:
            yield _called(entry), facts.served
        return
    component = "serve" if service_of(entry)[1] == NAME else "controller"
    for one in facts.replicas:
        if one.component == component and one.certificates:
            yield one.name, one.certificates


def _called(entry: JsonObject) -> str:
    """Answer the name that the API server expects in the certificate."""
    namespace, service = service_of(entry)
    return urlsplit(url_of(entry)).hostname or f"{service}.{namespace}.svc"


PROBE = Probe("bundle", 6, look)
