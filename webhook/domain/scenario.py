"""A scenario: pods that arrive at one empty node, one after the other, and what its kubelet answers to each."""

from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass

from webhook.domain.kubelet.admit import Admission
from webhook.domain.kubelet.admit import Node
from webhook.domain.kubelet.admit import StartupError
from webhook.domain.kubelet.refusal import PANIC
from webhook.domain.pod import PodFacts
from webhook.domain.pod import QOSClass
from webhook.domain.topology import NodeClass


@dataclass(frozen=True, slots=True)
class Arrival:
    """A pod that arrives, by the name it is answered under."""

    name: str
    pod: PodFacts


@dataclass(frozen=True, slots=True)
class Scenario:
    """A node of `node_class` and the pods in the order of their arrival.

    `skip_predicates` leaves out scheduler-fit; with `start` the containers of an admitted pod start before the next pod
    arrives, which gives them devices that the admission left out.
    """

    name: str
    node_class: NodeClass
    arrivals: tuple[Arrival, ...] = ()
    skip_predicates: bool = False
    start: bool = False


@dataclass(frozen=True, slots=True)
class PodAnswer:
    """What the kubelet said to one pod."""

    name: str
    qos: QOSClass
    admission: Admission


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a scenario; with an `error` the kubelet did not start, and there are no pods."""

    name: str
    error: str | None = None
    pods: tuple[PodAnswer, ...] = ()


def play(scenario: Scenario) -> Answer:
    """Let the pods arrive; the admitted ones stay, the refused ones are gone.

    After a pod that makes the kubelet's own code fail no more pods arrive: its managers are left half-way.
    """
    try:
        node = Node(scenario.node_class, skip_predicates=scenario.skip_predicates)
    except StartupError as error:
        return Answer(scenario.name, error=str(error))
    return Answer(scenario.name, pods=tuple(_arrive(node, scenario.arrivals, start=scenario.start)))


def _arrive(node: Node, arrivals: Sequence[Arrival], *, start: bool) -> Iterator[PodAnswer]:
    for arrival in arrivals:
        admission = node.admit(arrival.pod)
        if start and admission.admitted:
            admission = node.start(arrival.pod, admission)
        yield PodAnswer(arrival.name, arrival.pod.qos, admission)
        if admission.handler == PANIC:
            break
