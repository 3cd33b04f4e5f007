"""A number of CPUs that makes whole cores."""

from builders import container
from builders import equal
from builders import pod
from misfits import P0
from misfits import kubelet
from misfits import texts

from webhook.engine.shapes.whole_cores import KIND


def test_the_next_higher_number_comes_before_the_next_lower() -> None:
    assert texts(KIND, pod(container(**equal("7")))) == [
        "give container server cpu 8, which makes whole cores",
        "give container server cpu 6, which makes whole cores",
    ]


def test_no_container_is_left_without_cpus() -> None:
    assert texts(KIND, pod(container(**equal("8")), container("proxy", **equal("1", "1Gi", None)))) == [
        "give container proxy cpu 2, which makes whole cores"
    ]


def test_whole_cores_are_left_alone_as_are_kubelets_that_hand_out_threads() -> None:
    assert texts(KIND, pod(container(**equal("8")))) == []
    assert texts(KIND, pod(container(**equal("7"))), kubelet(P0, cpu_manager_policy_options={})) == []
