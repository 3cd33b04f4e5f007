"""Do the configurations call our Services, at a port that these have?"""

from collections.abc import Iterator

from webhook.cli.doctor.facts import CONTROLLER
from webhook.cli.doctor.facts import NAME
from webhook.cli.doctor.facts import Facts
from webhook.cli.doctor.facts import service_of
from webhook.cli.doctor.facts import url_of
from webhook.cli.doctor.probes._entries import grouped
from webhook.cli.doctor.probes.configurations import APPLY
from webhook.cli.doctor.result import Probe
from webhook.cli.doctor.result import Result
from webhook.cli.doctor.result import ok
from webhook.cli.doctor.result import problem
from webhook.cli.doctor.result import unknown
from webhook.cli.doctor.result import warning
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text

HTTPS = 443


def look(facts: Facts) -> Iterator[Result]:
    """Follow each entry to its Service."""
    if not facts.entries:
        return
    if facts.services.error:
        yield unknown(facts.services.error)
        return
    addresses = sorted({url for entry in facts.entries if (url := url_of(entry))})
    if addresses:
        yield warning(f"entries call an address and no Service: {addresses[0]}", "intended outside of a cluster only")
    wrong = list(grouped((get_text(entry, "name"), told) for entry in facts.entries if (told := _wrong(entry, facts))))
    yield from (problem(told, APPLY) for told in wrong)
    if not wrong and not addresses:
        yield ok("every entry calls our Service, which has that port")


def _wrong(entry: JsonObject, facts: Facts) -> str:
    namespace, name = service_of(entry)
    if url_of(entry):
        return ""
    if namespace != facts.namespace or name not in {NAME, CONTROLLER}:
        return f"calls Service {namespace}/{name}, which is not ours"
    service = facts.services.named(name)
    if service is None:
        return f"calls Service {name}, which does not exist in {namespace}"
    port = get_object(entry, "clientConfig", "service").get("port", HTTPS)
    ports = [as_object(one).get("port") for one in get_list(get_object(service, "spec"), "ports")]
    return "" if port in ports else f"calls port {port}, which Service {name} does not have"


PROBE = Probe("target", 3, look)
