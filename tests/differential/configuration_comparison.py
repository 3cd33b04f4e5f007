"""Compares `numagate kubelet check` with the kubelet's own reading, validation and managers: does it start?"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from differential.comparison import Found
from differential.configuration_faults import SPOILERS
from differential.configurations import Configured
from differential.configurations import configurations
from differential.oracle import NEWEST
from differential.oracle import Answer
from differential.oracle import Ask

from webhook.cli.kubelet.examine import Examined
from webhook.cli.kubelet.examine import examine
from webhook.domain.versions import Version


@dataclass(frozen=True)
class Configurations:
    """The made-up configurations of a seed."""

    ask: Ask
    seed: int
    version: Version = NEWEST
    name: str = "configurations"
    batch: int = 250

    def compare(self, first: int, count: int) -> Found:
        """Ask whether kubelets start, and compare."""
        found = Found()
        made = list(configurations(SPOILERS, count, self.seed, self.version, first))
        for one, answer in zip(made, self.ask([one.as_question() for one in made]), strict=True):
            ours = judged(one)
            found.asked += 1
            if answer.get("timeout"):
                found.late += 1
                continue
            found.outcomes.update([outcome(answer)])
            if ours.starts is not starts(answer):
                found.differences.append(partial(shown, one, ours, answer))
        return found


def judged(one: Configured) -> Examined:
    """Judge it as the command does."""
    return examine(one.text, one.name, version=one.version, node=one.node)[0]


def starts(answer: Mapping[str, object]) -> bool:
    """Tell whether the real kubelet starts."""
    return "error" not in answer


def outcome(answer: Mapping[str, object]) -> str:
    """Name an answer."""
    return "starts" if starts(answer) else "does not start"


def shown(one: Configured, ours: Examined, answer: Answer) -> str:
    """Write a difference: the configuration, the machine, and both answers."""
    findings = "\n".join(f"# {'fatal' if told.fatal else 'remark'} {told}" for told in ours.findings)
    return f"{one.text}\n# {one.name}: {one.as_question()['numa']}\n# the kubelet: {answer.get('error')}\n{findings}"
