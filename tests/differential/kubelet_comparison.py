"""Compares the simulated kubelet with the real one's managers, over scenarios and over recorded cases."""

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from differential import casefiles
from differential.admissions import TOO_SLOW
from differential.admissions import Form
from differential.admissions import differs
from differential.admissions import real
from differential.admissions import room
from differential.admissions import simulated
from differential.casefiles import Case
from differential.comparison import Found
from differential.older import aged
from differential.older import of_version
from differential.oracle import NEWEST
from differential.oracle import Answer
from differential.oracle import Ask
from differential.oracle import Question
from differential.scenarios import Scenario
from differential.scenarios import read
from differential.scenarios import scenarios
from differential.shrinking import shrink

from webhook.domain.errors import InputError
from webhook.domain.versions import Version


@dataclass(frozen=True)
class Scenarios:
    """The made-up scenarios of a seed."""

    ask: Ask
    seed: int
    version: Version = NEWEST
    name: str = "scenarios"
    batch: int = 250

    def compare(self, first: int, count: int) -> Found:
        """Ask for nodes and pods, and compare the placements."""
        found = Found()
        made = [aged(scenario, self.version) for scenario in scenarios(count, self.seed, first)]
        for scenario, answer in asked(self.ask, made):
            count_answer(found, real(answer, scenario))
            if differs(scenario, answer):
                found.differences.append(partial(explain, self.ask, scenario))
        return found


@dataclass(frozen=True)
class Cases:
    """The recorded cases: what is recorded has to be what the real managers of that version answer today.

    Those of the newest version are asked of an older kubelet too; nothing is recorded then, but both have to agree.
    """

    ask: Ask
    version: Version = NEWEST
    name: str = "cases"
    batch: int = 50

    @property
    def chosen(self) -> list[Case]:
        """The cases of this version and of the newest one."""
        return [case for case in casefiles.load() if case.scenario.node.kubelet.version in {self.version, NEWEST}]

    def compare(self, first: int, count: int) -> Found:
        """Compare the recorded answers, and what the simulation answers."""
        found = Found()
        cases = self.chosen[first : first + count]
        made = [of_version(case.scenario, self.version) for case in cases]
        for case, (scenario, answer) in zip(cases, asked(self.ask, made), strict=True):
            theirs = real(answer, scenario)
            count_answer(found, theirs)
            if not self.holds(case, scenario, theirs):
                found.differences.append(partial(casefiles.text, scenario.as_question(), answer))
        return found

    def holds(self, case: Case, scenario: Scenario, theirs: list[Form]) -> bool:
        """Tell whether a case is what it says; a busy machine may be too slow for an answer that was once recorded."""
        if theirs == TOO_SLOW:
            return simulated(scenario) == case.expected
        if case.scenario.node.kubelet.version == self.version:
            return theirs == case.recorded and simulated(scenario) == case.expected
        return simulated(scenario) == theirs or case.expected != case.recorded


def asked(ask: Ask, batch: Sequence[Scenario]) -> Iterator[tuple[Scenario, Answer]]:
    """Yield each scenario with what the real managers answered."""
    answers = ask([scenario.as_question() for scenario in batch])
    yield from zip(batch, answers, strict=True)


def count_answer(found: Found, theirs: Iterable[Form]) -> None:
    """Count an answer by what became of the pods."""
    found.asked += 1
    if theirs == TOO_SLOW:
        found.late += 1
    else:
        found.outcomes.update(map(outcome, theirs))


def outcome(form: Form) -> str:
    """Name an answer to one pod."""
    return "admitted" if form.get("admit") else form.get("reason", "kubelet does not start")


def explain(ask: Ask, scenario: Scenario) -> str:
    """Answer the smallest scenario that shows a difference, as a case file, and what the simulation says of it."""

    def still_differ(questions: Sequence[Question]) -> list[bool]:
        return [is_shown(question, answer) for question, answer in zip(questions, ask(questions), strict=True)]

    small = shrink(scenario.as_question(), still_differ)
    ours = read(small)
    answer = ask([small])[0]
    return (
        f"{casefiles.text(small, answer)}# The simulation answers: {simulated(ours)}\n"
        f"# Room of the node: {answer.get('room')}, by the simulation: {room(ours.node)}\n"
    )


def is_shown(question: Question, answer: Answer) -> bool:
    """Tell whether a shrunk scenario shows a difference: not if it is none any more."""
    try:
        return differs(read(question), answer)
    except InputError:
        return False
