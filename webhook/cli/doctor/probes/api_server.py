"""Is the API server there, and new enough?"""

import re
from collections.abc import Iterator
from typing import Final

from webhook.cli.doctor.facts import Facts
from webhook.cli.doctor.result import Probe
from webhook.cli.doctor.result import Result
from webhook.cli.doctor.result import ok
from webhook.cli.doctor.result import problem
from webhook.cli.doctor.result import unknown
from webhook.domain.raw import get_text

OLDEST: Final = (1, 30)


def look(facts: Facts) -> Iterator[Result]:
    """Compare its version."""
    if facts.version.error:
        yield unknown(facts.version.error)
        return
    text = get_text(facts.version.found, "gitVersion")
    numbers = re.match(r"v(\d+)\.(\d+)", text)
    if numbers is None:
        yield unknown(f"{facts.server} does not tell its version")
    elif (int(numbers[1]), int(numbers[2])) < OLDEST:
        yield problem(f"{facts.server} is {text}", "upgrade Kubernetes to 1.30 or newer: match conditions need it")
    else:
        yield ok(f"{facts.server} is {text}")


PROBE = Probe("api-server", 0, look)
