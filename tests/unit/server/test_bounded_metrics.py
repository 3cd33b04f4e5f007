"""However many and however strange the requests are, the number of series stays small."""

import itertools
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from builders import GPU
from builders import container
from builders import deployment
from builders import mutating
from builders import pod
from builders import request
from builders import world

from webhook import checks
from webhook import registry
from webhook.domain.check import Check
from webhook.domain.finding import Finding
from webhook.domain.finding import Severity
from webhook.domain.levels import MODES
from webhook.domain.levels import Level
from webhook.domain.levels import Modes
from webhook.engine.decision import Decision
from webhook.engine.decision import Outcome
from webhook.engine.request import Pass
from webhook.engine.request import Request
from webhook.engine.review import review
from webhook.server.metrics import MOST_POLICIES
from webhook.server.metrics import Metrics
from webhook.web.status import REASONS

MOST_SERIES = 500
PODS = 400
SEED = 6
CODES_WITHOUT_A_CHECK = {"level-in-template", "missing-promise", "resized-promise"}
"""Of findings that the engine makes itself."""
STRANGE = ('"', "\\", "\n", "{}", "\u2028", "é" * 40, "x" * 300, "", "a.b/c", "numagate.io/level")
QUANTITIES = ("1", "1500m", "-1", "1e9", "0", "banana", "9Ei", "1e1000000", None, 3, 2.5, [], {})


def series(metrics: Metrics) -> int:
    """Count the lines that Prometheus would keep a series for."""
    return sum(not line.startswith("#") for line in metrics.render().decode().splitlines())


def hostile_pods(chance: random.Random) -> Iterator[dict[str, Any]]:
    """Make pods of which no two are alike, in everything that a user may write."""

    def word(number: int) -> str:
        return f"{chance.choice(STRANGE)}{number}"

    for number in range(PODS):
        resources = {
            side: {name: chance.choice(QUANTITIES) for name in ("cpu", "memory", GPU, word(number))}
            for side in ("requests", "limits")
        }
        made = container(word(number), image=f"registry.example/{word(number)}/vllm:{number}", **resources)
        labels = {word(number): word(number), "numagate.io/level": chance.choice(STRANGE)}
        annotations = {"numagate.io/numa-nodes": word(number), "numagate.io/exempt": word(number)}
        extra = chance.choice(({}, {"runtimeClassName": word(number)}, {"nodeSelector": {word(number): word(number)}}))
        yield pod(made, labels=labels, annotations=annotations, **extra)


def hostile_requests() -> Iterator[Request]:
    """Ask about each pod in every way, in a namespace of its own."""
    chance = random.Random(SEED)  # noqa: S311 - no secret depends on it
    for number, made in enumerate(hostile_pods(chance)):
        place = f"{chance.choice(STRANGE)}{number}"
        yield mutating(made, namespace=place, username=place)
        yield request(made, namespace=place, username=place)
        yield request(made, namespace=place, operation="UPDATE", old_object=pod(), subresource=place)
        yield request(deployment(made), namespace=place)
        yield request(made, namespace=place, kind=place, group=place)


def test_a_flood_of_strange_pods_makes_few_series() -> None:
    metrics = Metrics("0")
    worlds = itertools.cycle(world(modes=Modes(enforce=level, repair=level, warn=level)) for level in Level)

    for one in hostile_requests():
        metrics.decided(one.review_pass, review(one, next(worlds)))
        metrics.answered(one.review_pass.value, 200, 0.001)
    before = series(metrics)
    metrics.policies((f"policy-{number}", str(number)) for number in range(10_000))

    assert metrics.registry.get_sample_value("numagate_policies") == 10_000
    assert series(metrics) == before + MOST_POLICIES
    assert series(metrics) <= MOST_SERIES


def test_even_every_combination_of_labels_is_bounded() -> None:
    metrics = Metrics("0")
    codes = {check.code for check in registry.load(checks, "CHECK", Check)} | CODES_WITHOUT_A_CHECK
    findings = [Finding(code, Severity.FAULT, Level.EXCLUSIVE, (), "") for code in codes]
    off = Modes(Level.NONE, Level.NONE, Level.NONE, Level.NONE)
    every_mode = [None, off, *(replace(off, **{mode: Level.ALIGNED}) for mode in MODES)]

    for one, modes, outcome, level, allowed in itertools.product(Pass, every_mode, Outcome, Level, (True, False)):
        # What was repaired is told by the mutating pass, which reaches no level.
        repairs = tuple(codes) if one is Pass.MUTATE else ()
        reached = level if one is Pass.VALIDATE else None
        metrics.decided(
            one, Decision(outcome, allowed, findings=tuple(findings), repairs=repairs, modes=modes, level=reached)
        )
    for one, status in itertools.product(Pass, (200, *REASONS)):
        metrics.answered(one.value, status, 0.001)
    metrics.policies((f"policy-{number}", "") for number in range(1000))

    assert series(metrics) <= MOST_SERIES
