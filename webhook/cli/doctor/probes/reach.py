"""Does the API server get an answer from numagate?"""

from collections.abc import Iterator

from webhook.cli.doctor.facts import Facts
from webhook.cli.doctor.result import Probe
from webhook.cli.doctor.result import Result
from webhook.cli.doctor.result import ok
from webhook.cli.doctor.result import problem
from webhook.cli.doctor.result import unknown


def look(facts: Facts) -> Iterator[Result]:
    """Tell what the API server said when it was asked to call."""
    if facts.reach is None:
        return
    if not facts.reach:
        yield ok("an answer came over TLS")
    elif facts.reach.startswith("needs "):
        yield unknown(facts.reach)
    else:
        yield problem(
            f"no answer came: {facts.reach}",
            "open port 8443 of the pods to the API server (firewall, NetworkPolicy), "
            f"and see: kubectl -n {facts.namespace} get pods -o wide",
        )


PROBE = Probe("reach", 5, look)
