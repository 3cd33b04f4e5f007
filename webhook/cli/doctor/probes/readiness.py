"""Where a policy lets pods wait for the agent on their node: is there an agent on every node?"""

from collections.abc import Iterator
from typing import Final

from webhook.cli.doctor.facts import Facts
from webhook.cli.doctor.result import Probe
from webhook.cli.doctor.result import Result
from webhook.cli.doctor.result import ok
from webhook.cli.doctor.result import warning
from webhook.domain import keys
from webhook.domain.api import WORLD_KEY
from webhook.domain.errors import PolicyError
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.topology import NodeClass
from webhook.sources.snapshot_reader import Reader

REMEDY: Final = "kubectl get nodealignments --sort-by=.spec.observed (docs/operations.md, Readiness gates)"
_SHOWN: Final = 3


def look(facts: Facts) -> Iterator[Result]:
    """Compare the policies of the snapshot with its classes; another probe tells that it cannot be read."""
    text = get_text(get_object(facts.world.found, "data"), WORLD_KEY)
    if facts.from_file or not text:
        return
    try:
        world = Reader().read(text.encode(), "the snapshot")
    except PolicyError:
        return
    wanting = [policy.name for policy in world.policies if policy.verification.readiness_gate]
    if not wanting:
        yield ok("no policy wants readiness gates")
        return
    blind = [one for one in world.classes if one.nodes and one.devices and not one.verified]
    if blind:
        shown = ", ".join(map(_counted, blind[:_SHOWN])) + (f" (+{len(blind) - _SHOWN} more)" if blind[_SHOWN:] else "")
        yield warning(
            f"readiness gates are wanted by policy {', '.join(wanting)}, and agents were not heard lately on all nodes "
            f"like those of {shown}: new pods that may go there get none; those with {keys.ALIGNED} may never be ready",
            REMEDY,
        )
    else:
        yield ok("agents verify pods on all nodes with devices, so readiness gates are answered")


def _counted(one: NodeClass) -> str:
    return f"{one.name} ({one.nodes} node{'' if one.nodes == 1 else 's'})"


PROBE = Probe("readiness", 20, look)
