"""Is there a world snapshot, can it be read, and is it fresh?"""

from collections.abc import Iterator
from typing import Final

from webhook.cli.doctor.facts import CONTROLLER
from webhook.cli.doctor.facts import LABEL
from webhook.cli.doctor.facts import Facts
from webhook.cli.doctor.result import Probe
from webhook.cli.doctor.result import Result
from webhook.cli.doctor.result import ok
from webhook.cli.doctor.result import problem
from webhook.cli.doctor.result import unknown
from webhook.cli.doctor.result import warning
from webhook.domain.api import WORLD_KEY
from webhook.domain.api import WORLD_MAP
from webhook.domain.errors import PolicyError
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.sources.snapshot_reader import Reader

OLD_SECONDS: Final = 300


def look(facts: Facts) -> Iterator[Result]:
    """Read it as a serving pod would."""
    if facts.from_file:
        return
    if facts.world.error:
        yield unknown(facts.world.error)
        return
    logs = f"kubectl -n {facts.namespace} logs -l {LABEL}={CONTROLLER} --tail=50"
    text = get_text(get_object(facts.world.found, "data"), WORLD_KEY)
    if not text:
        yield problem(f"there is no snapshot in ConfigMap {WORLD_MAP}: serving pods are not ready without one", logs)
        return
    try:
        world = Reader().read(text.encode(), f"ConfigMap {WORLD_MAP}")
    except PolicyError as error:
        yield problem(f"the snapshot cannot be read: {error}", logs)
        return
    age = round((facts.now - world.written).total_seconds())
    if age > OLD_SECONDS:
        yield problem(f"the snapshot is {age} s old: nobody writes it", logs)
    elif not world.policies:
        yield warning(
            "the snapshot has no policy, so nothing is judged", "apply an AlignmentPolicy: kubectl get alignpol"
        )
    else:
        counted = f"{len(world.policies)} policies and {len(world.classes)} node classes"
        yield ok(f"the snapshot is {max(age, 0)} s old, with {counted}")


PROBE = Probe("world", 13, look)
