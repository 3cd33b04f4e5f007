"""Finds the nearest shapes of a pod that does not fit; each is tried in the simulation before it is shown.

The kinds of edit are tried from the smallest change to the largest, in the order of their `rank`: 10m less for a helper
(1), an init container's CPU (2), whole cores (3), CPU and memory down to one NUMA node (4), the opt-in to several NUMA
nodes for the pod as it is (5), fewer accelerators per pod (6), other nodes (7), CPU and memory up to several NUMA nodes
(8), other kubelet settings (9). Within a kind the first proposal that fits counts.
Classes are tried from the one that the pod exceeds in the fewest values; equal ones stay in the order of the policy.
Simulations are bounded, so that a refusal costs little more than a decision; what they do not reach is not shown.
The answer depends on nothing else, so a controller's retries are refused in the same words.
"""

from collections.abc import Iterable
from collections.abc import Iterator
from dataclasses import replace

import webhook.engine.shapes
from webhook import registry
from webhook.domain import room
from webhook.domain.check import Subject
from webhook.domain.fit import Cause
from webhook.domain.fit import ClassFit
from webhook.domain.fit import Fits
from webhook.domain.fit import fit
from webhook.domain.fit import is_aligned
from webhook.domain.policy import Classes
from webhook.domain.scheduling import why_ineligible
from webhook.domain.topology import NodeClass
from webhook.domain.topology import unlike
from webhook.engine.suggestion import Kind
from webhook.engine.suggestion import Misfit
from webhook.engine.suggestion import Suggestion
from webhook.engine.suggestion import accelerated
from webhook.engine.suggestion import changed
from webhook.engine.suggestion import tolerating

__all__ = ["KINDS", "MOST_TRIALS", "Misfit", "Suggestion", "Trials", "misfit_of", "remedies", "shapes"]

KINDS: tuple[Kind, ...] = tuple(sorted(registry.load(webhook.engine.shapes, "KIND", Kind), key=lambda kind: kind.rank))
MOST_CLASSES = 4
"""How many classes a refusal proposes shapes for; they are chosen from the first `MOST_COMPARED`."""
MOST_COMPARED = 16
MOST_TRIALS = 16
"""How many simulations a refusal, or the shapes for one class, may cost; a decision needs one for each class.

Where all classes must take the pod, two proposals are tried at least."""
MOST_CONTAINERS = 320
"""How many containers all these simulations may have together."""


def misfit_of(subject: Subject, classes: Iterable[NodeClass]) -> Misfit:
    """Answer the misfit that `subject` is, among all known `classes`."""
    eligible = {one.node_class for one in subject.fits}
    resources = {resource for counts in subject.accelerators.values() for resource in counts}
    return Misfit(
        facts=subject.facts,
        accelerators=subject.accelerators,
        fits=subject.fits,
        numa_nodes=subject.numa_nodes,
        required=subject.policy.classes,
        others=tuple(one for one in classes if one not in eligible and resources <= one.devices.keys()),
        by_limit_range=subject.by_limit_range,
    )


class Trials:
    """Simulates proposals while simulations are left."""

    def __init__(self, misfit: Misfit) -> None:
        self._misfit = misfit
        twice = 2 * len(unlike(misfit.classes)) if misfit.required is Classes.ALL else 0
        self._left = min(max(MOST_TRIALS, twice), MOST_CONTAINERS // max(1, len(misfit.facts.containers)))

    def first(self, proposals: Iterator[Suggestion], required: tuple[NodeClass, ...]) -> Suggestion | None:
        """Answer the first proposal that its own class takes and, if it is one of them, every `required` class."""
        while self._left > 0 and (proposal := next(proposals, None)) is not None:
            if self._fits(proposal, required):
                return proposal
        return None

    def with_share(self, suggestion: Suggestion, required: tuple[NodeClass, ...]) -> Suggestion:
        """Answer the suggestion with the words that name its share as well, where that fits too."""
        share = suggestion.share
        if share is None or not self._fits(share, required):
            return suggestion
        return replace(suggestion, text=share.text)

    def _fits(self, suggestion: Suggestion, required: tuple[NodeClass, ...]) -> bool:
        own = suggestion.node_class
        return all(self._takes(suggestion, one) for one in (required if own in required else (own,)))

    def _takes(self, suggestion: Suggestion, node_class: NodeClass) -> bool:
        """Simulate the edited pod; one for several NUMA nodes must use just so many, evenly."""
        if self._left <= 0:
            return False
        self._left -= 1
        facts = changed(self._misfit.facts, suggestion.edits)
        facts = replace(
            facts,
            node_selector={**facts.node_selector, **suggestion.node_selector},
            tolerations=(*facts.tolerations, *map(tolerating, suggestion.tolerations)),
        )
        if not node_class.assumed and why_ineligible(facts, node_class) is not None:
            return False
        counts = accelerated(facts, self._misfit.accelerators)
        answer = fit(facts, node_class, counts, suggestion.numa_nodes)
        if answer.fits is Fits.NO or not is_aligned(answer.admission, counts, suggestion.numa_nodes):
            return False
        return suggestion.numa_nodes == 1 or (_is_even(answer) and len(answer.cells) == suggestion.numa_nodes)


def shapes(misfit: Misfit, node_class: NodeClass) -> tuple[Suggestion, ...]:
    """Answer the nearest shape of each kind that `node_class` takes, best first; empty for a pod that fits it."""
    if not any(one.node_class is node_class and _is_refused(misfit, one) for one in misfit.fits):
        return ()
    trials = Trials(misfit)
    found: list[Suggestion] = []
    for kind in KINDS:
        one = trials.first(kind.propose(misfit, node_class), (node_class,))
        if one is not None and not any(_is_same(one, known) for known in found):
            found.append(one)
    return tuple(trials.with_share(one, (node_class,)) for one in found)


def remedies(misfit: Misfit) -> tuple[str, ...]:
    """Answer what to write about a pod that some eligible class refuses: the best shape, and the best other place.

    Under `classes: all` a shape fits every eligible class; else it names the class that takes it, if there are several.
    """
    refusing = unlike(one.node_class for one in misfit.fits if _is_refused(misfit, one))[:MOST_COMPARED]
    nearest = sorted(refusing, key=lambda one: len(room.excesses(misfit.facts, one, misfit.numa_nodes)))
    trials = Trials(misfit)
    best: dict[bool, Suggestion] = {}
    for kind in KINDS if refusing else ():
        if kind.moves not in best:
            found = _best(kind, misfit, nearest[:MOST_CLASSES], trials)
            if found is not None:
                best[kind.moves] = found
    shown = [trials.with_share(one, _required(misfit, one.node_class)) for one in best.values()]
    return tuple(_text(one, misfit) for one in shown)


def _best(kind: Kind, misfit: Misfit, classes: list[NodeClass], trials: Trials) -> Suggestion | None:
    for node_class in classes:
        found = trials.first(kind.propose(misfit, node_class), _required(misfit, node_class))
        if found is not None:
            return found
    return None


def _required(misfit: Misfit, node_class: NodeClass) -> tuple[NodeClass, ...]:
    return unlike(misfit.classes) if misfit.required is Classes.ALL else (node_class,)


def _is_refused(misfit: Misfit, answer: ClassFit) -> bool:
    """Tell whether the class refuses the pod for its shape; one that is not pinned, or not read, lacks other things."""
    return answer.fits is Fits.NO and answer.cause is not Cause.UNPINNED and not misfit.facts.unreadable


def _is_same(one: Suggestion, other: Suggestion) -> bool:
    """Tell whether two kinds lead to the same pod on the same nodes."""
    return replace(one, kind=other.kind, text=other.text, share=other.share) == other


def _text(suggestion: Suggestion, misfit: Misfit) -> str:
    """Name the class where there are several; other kubelet settings are for its machines."""
    name = suggestion.node_class.name
    if len(misfit.fits) == 1 or misfit.required is not Classes.ANY or name in suggestion.text:
        return suggestion.text
    where = name if suggestion.node_class in misfit.classes else f"machines of {name}"
    return f"{suggestion.text} on {where}" if suggestion.text.endswith(")") else f"{suggestion.text} ({where})"


def _is_even(answer: ClassFit) -> bool:
    """Tell whether accelerators, CPUs and memory divide evenly, with CPUs on every NUMA node that is used."""
    with_cpus = {cell for placement in answer.admission.placements for cell in placement.cpu_cells}
    return not answer.uneven and with_cpus >= set(answer.cells)
