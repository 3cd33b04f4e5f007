"""Asks every probe about the facts."""

from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import replace
from operator import attrgetter

from webhook import registry
from webhook.cli.doctor import probes
from webhook.cli.doctor.facts import Facts
from webhook.cli.doctor.probes import configurations
from webhook.cli.doctor.result import Probe
from webhook.cli.doctor.result import Result
from webhook.cli.doctor.result import Status


@dataclass(frozen=True, slots=True)
class Finding:
    """What one probe said."""

    probe: str
    result: Result


def examine(facts: Facts) -> tuple[Finding, ...]:
    """Answer everything that the probes have to say, in the order in which one would look."""
    return tuple(_examined(facts))


def healthy(findings: tuple[Finding, ...]) -> bool:
    """Tell whether there is no problem."""
    return all(one.result.status is not Status.PROBLEM for one in findings)


def _examined(facts: Facts) -> Iterator[Finding]:
    for probe in sorted(registry.load(probes, "PROBE", Probe), key=attrgetter("rank")):
        for result in probe.look(facts):
            here = replace(result, remedy=result.remedy.replace(configurations.APPLY, _apply(facts)))
            yield Finding(probe.name, here)
        if facts.absent and probe.name == configurations.PROBE.name:
            return  # everything else would be missing too


def _apply(facts: Facts) -> str:
    """Say how this installation is applied again: as it was installed, for its mode."""
    if facts.release:
        return f"helm upgrade {facts.release} CHART -n {facts.namespace} --force-conflicts -f values.yaml"
    return configurations.APPLY.replace("MODE", facts.mode or "MODE")
