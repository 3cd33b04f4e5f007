"""Pods that arrive at one node."""

from kubelets import app
from kubelets import burstable
from kubelets import machine
from kubelets import pod

from webhook.domain.pod import PodFacts
from webhook.domain.scenario import Arrival
from webhook.domain.scenario import Scenario
from webhook.domain.scenario import play
from webhook.domain.topology import NodeClass

BEYOND_EVERY_NODE = pod(burstable("100/1Gi"))


def answered(node_class: NodeClass, *pods: PodFacts, skip_predicates: bool = False) -> list[tuple[str, str | None]]:
    """Send pods named by their numbers; answer who was answered, and which handler refused."""
    arrivals = tuple(Arrival(str(number), each) for number, each in enumerate(pods))
    scenario = Scenario("s", node_class, arrivals, skip_predicates=skip_predicates)
    return [(one.name, one.admission.handler) for one in play(scenario).pods]


def test_admitted_pods_stay_and_refused_ones_are_gone() -> None:
    whole_node = pod(app("6/16Gi"))

    found = answered(machine(), whole_node, pod(app("20/1Gi")), whole_node, whole_node)

    assert found == [("0", None), ("1", "topology-manager"), ("2", None), ("3", "topology-manager")]


def test_a_kubelet_that_does_not_start_says_why_and_takes_no_pods() -> None:
    answer = play(Scenario("s", machine(reserved_cpus="99"), (Arrival("p", pod(app("1/1Gi"))),)))

    assert (answer.name, answer.pods) == ("s", ())
    assert answer.error == "reserved-cpus: 99 is not a subset of online-cpus: 0-15"


def test_the_scheduler_fit_handler_can_be_left_out() -> None:
    assert answered(machine(), BEYOND_EVERY_NODE) == [("0", "scheduler-fit")]
    assert answered(machine(), BEYOND_EVERY_NODE, skip_predicates=True) == [("0", None)]


def test_after_a_pod_that_makes_the_kubelet_fail_no_more_are_answered() -> None:
    absent_pages = pod(app("2/1Gi", hugepages_2Mi="2Mi"))

    found = answered(machine("restricted"), pod(app("2/1Gi")), absent_pages, pod(app("2/1Gi")))

    assert found == [("0", None), ("1", "panic")]
