"""May both accounts do what they need, and nothing that would be worth stealing?"""

from collections.abc import Iterator

from webhook.cli.doctor.facts import Facts
from webhook.cli.doctor.probes.configurations import APPLY
from webhook.cli.doctor.result import Probe
from webhook.cli.doctor.result import Result
from webhook.cli.doctor.result import ok
from webhook.cli.doctor.result import problem
from webhook.cli.doctor.result import unknown
from webhook.cli.doctor.result import warning


def look(facts: Facts) -> Iterator[Result]:
    """Compare what was wanted with what the API server says."""
    errors = sorted({one.error for one in facts.rights if one.error})
    if errors:
        yield unknown(errors[0])
        return
    missing = [one for one in facts.rights if one.wanted and one.allowed is False]
    excess = [one for one in facts.rights if not one.wanted and one.allowed]
    for one in missing:
        yield problem(f"{one.account} may not {one.verb} {one.what}", APPLY)
    for one in excess:
        yield warning(
            f"{one.account} may {one.verb} {one.what}, which it has no use for",
            "take the binding away that gives it: kubectl get rolebindings,clusterrolebindings -A -o wide | "
            f"grep {one.account}",
        )
    if facts.rights and not missing and not excess:
        yield ok(f"all of {len(facts.rights)} rights are as they should be")


PROBE = Probe("rights", 10, look)
