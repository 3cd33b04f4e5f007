"""What is asked of the memory manager."""

import pytest
from kubelets import GIB
from kubelets import MIB
from kubelets import Raw
from kubelets import app
from kubelets import init
from kubelets import pod
from kubelets import sidecar

from webhook.domain.kubelet.memory_request import UnrepresentableError
from webhook.domain.kubelet.memory_request import container_request
from webhook.domain.kubelet.memory_request import pod_request


def test_a_container_asks_for_memory_and_huge_pages_only() -> None:
    facts = pod(app("1/1.5Gi/1", hugepages_2Mi="4Mi", ephemeral_storage="1Gi"))

    assert container_request(facts.containers[0]) == {"memory": 1536 * MIB, "hugepages-2Mi": 4 * MIB}


@pytest.mark.parametrize("memory", ["4294967296500m", "1e-3", "1e30"])
def test_an_amount_that_is_no_number_of_bytes_is_an_error(memory: str) -> None:
    facts = pod(app(f"1/{memory}"))

    with pytest.raises(UnrepresentableError):
        container_request(facts.containers[0])
    with pytest.raises(UnrepresentableError):
        pod_request(facts)


@pytest.mark.parametrize(
    ("containers", "gib"),
    [
        ((app("1/1Gi", "a"), app("1/2Gi", "b")), 3),
        ((init("1/4Gi"), app("1/1Gi")), 4),
        ((sidecar("1/1Gi"), init("1/4Gi"), app("1/1Gi")), 5),
        ((init("1/4Gi"), sidecar("1/1Gi"), app("1/1Gi")), 4),
        ((sidecar("1/1Gi"), app("1/1Gi")), 2),
    ],
)
def test_a_pod_asks_for_the_most_at_once(containers: tuple[Raw, ...], gib: int) -> None:
    assert pod_request(pod(*containers)) == {"memory": gib * GIB}


def test_what_only_an_init_container_wants_is_left_out() -> None:
    facts = pod(init("1/1Gi", hugepages_2Mi="2Mi"), sidecar("1/1Gi", hugepages_1Gi="1Gi"), app("1/1Gi"))

    assert pod_request(facts) == {"memory": 2 * GIB}
