"""The two views on a pod with spec.resources."""

from kubelets import app
from kubelets import burstable
from kubelets import init
from kubelets import pod

from webhook.domain.kubelet.pod_level import as_one
from webhook.domain.kubelet.pod_level import by_container

BLOCK = {"limits": {"cpu": "8", "memory": "8Gi", "hugepages-2Mi": "0"}, "requests": {"cpu": "8", "memory": "8Gi"}}


def test_seen_by_container_only_what_is_guaranteed_on_its_own_asks_for_anything() -> None:
    seen = by_container(pod(init("2/1Gi", "own"), burstable("2/1Gi/1"), app("2", "half"), resources=BLOCK))

    assert not seen.resources_set
    assert {one.name: sorted(one.requests) for one in seen.containers} == {
        "own": ["cpu", "memory"],
        "app": [],
        "half": [],
    }
    assert [str(quantity) for quantity in seen.containers[1].limits.values()] == ["1"]


def test_seen_as_one_the_pod_asks_for_its_own_resources() -> None:
    seen = as_one(pod(app("2/1Gi/1"), resources=BLOCK))

    assert not seen.resources_set
    assert [{name: str(quantity) for name, quantity in one.requests.items()} for one in seen.containers] == [
        {"cpu": "8", "memory": "8Gi"}
    ]
