"""Facts of a pod, read from raw objects of any shape."""

import pytest
from builders import GPU
from builders import container
from builders import equal
from builders import pod

from webhook.domain.demand import effective_requests
from webhook.domain.facts import MAX_CONTAINERS
from webhook.domain.facts import MAX_FAULTS
from webhook.domain.facts import MAX_NAME
from webhook.domain.facts import MAX_RESOURCES
from webhook.domain.facts import read
from webhook.domain.pod import ContainerKind
from webhook.domain.pod import QOSClass
from webhook.domain.quantity import Quantity


def test_containers_come_in_the_kubelets_order_with_their_kinds() -> None:
    facts = read(pod(init=(container("prepare"), container("proxy", restartPolicy="Always"))))

    kinds = [(one.name, one.kind) for one in facts.containers]

    assert kinds == [
        ("prepare", ContainerKind.INIT),
        ("proxy", ContainerKind.SIDECAR),
        ("server", ContainerKind.APP),
    ]


def test_a_limit_without_request_becomes_the_request() -> None:
    facts = read(pod(container(limits={"cpu": "4", "memory": "8Gi"})))

    assert facts.containers[0].requests == {"cpu": Quantity.parse("4"), "memory": Quantity.parse("8Gi")}
    assert facts.qos is QOSClass.GUARANTEED


def test_a_request_without_limit_stays_alone() -> None:
    facts = read(pod(container(requests={"cpu": "4"}, limits={"memory": "8Gi"})))

    assert facts.containers[0].limits == {"memory": Quantity.parse("8Gi")}
    assert facts.qos is QOSClass.BURSTABLE


def test_without_defaulting_nothing_is_filled_in() -> None:
    limits = {"cpu": "4", "memory": "8Gi"}
    bare = pod(container(limits=limits), resources={"limits": limits})

    facts = read(bare, defaulted=False)

    assert (facts.containers[0].requests, facts.pod_requests) == ({}, {})
    assert (facts.qos, read(bare).qos) == (QOSClass.BURSTABLE, QOSClass.GUARANTEED)


def test_quantities_are_rounded_up_to_milli() -> None:
    facts = read(pod(container(limits={"cpu": "1999.5m", "memory": "1Gi"})))

    assert str(facts.containers[0].requests["cpu"]) == "2"


@pytest.mark.parametrize(
    ("requests", "limits", "qos"),
    [
        ({}, {}, QOSClass.BEST_EFFORT),
        ({"cpu": "0", "memory": "0"}, {"cpu": "0", "memory": "0"}, QOSClass.BEST_EFFORT),
        ({"cpu": "1"}, {"cpu": "1000m"}, QOSClass.BURSTABLE),
        ({"cpu": "1", "memory": "1Gi"}, {"cpu": "1000m", "memory": "1024Mi"}, QOSClass.GUARANTEED),
        ({GPU: "1"}, {GPU: "1"}, QOSClass.BEST_EFFORT),
        ({"cpu": "1", "memory": "1Gi"}, {"cpu": "2", "memory": "1Gi"}, QOSClass.BURSTABLE),
    ],
)
def test_the_qos_class_of_one_container(requests: dict[str, str], limits: dict[str, str], qos: QOSClass) -> None:
    assert read(pod(container(requests=requests, limits=limits))).qos is qos


def test_one_init_container_without_resources_makes_the_pod_burstable() -> None:
    assert read(pod(init=(container("prepare"),))).qos is QOSClass.BURSTABLE


def test_pod_level_limits_over_container_requests_are_burstable() -> None:
    facts = read(
        pod(
            container(requests={"cpu": "2", "memory": "1Gi"}),
            resources={"limits": {"cpu": "4", "memory": "8Gi"}},
        )
    )

    assert facts.resources_set
    assert facts.qos is QOSClass.BURSTABLE


def test_pod_level_limits_alone_are_guaranteed() -> None:
    facts = read(pod(container(limits={GPU: "1"}), resources={"limits": {"cpu": "4", "memory": "8Gi"}}))

    assert facts.qos is QOSClass.GUARANTEED


def test_an_empty_pod_level_block_does_not_decide() -> None:
    facts = read(pod(container(**equal()), resources={}))

    assert not facts.resources_set
    assert facts.qos is QOSClass.GUARANTEED


def test_raw_and_defaulted_pod_level_resources_give_the_same_facts() -> None:
    """A mutating webhook of Kubernetes 1.37 sees the raw block, one of 1.36 and the validating one the defaulted."""
    raw = pod(container(limits={GPU: "1"}), resources={"limits": {"cpu": "4", "memory": "8Gi"}})
    defaulted = pod(
        container(limits={GPU: "1"}, requests={GPU: "1"}),
        resources={"limits": {"cpu": "4", "memory": "8Gi"}, "requests": {"cpu": "4", "memory": "8Gi"}},
    )

    assert read(raw) == read(defaulted)


def test_the_effective_request_counts_sidecars_beside_and_init_containers_before() -> None:
    facts = read(
        pod(
            container(**equal("4", "4Gi", None)),
            init=(
                container("proxy", restartPolicy="Always", **equal("1", "1Gi", None)),
                container("prepare", **equal("8", "1Gi", None)),
            ),
            overhead={"cpu": "250m"},
        )
    )

    assert {name: str(value) for name, value in effective_requests(facts).items()} == {"cpu": "9250m", "memory": "5Gi"}


@pytest.mark.parametrize(
    ("spec", "place"),
    [
        ({"containers": "none"}, "spec.containers"),
        ({"containers": [1]}, "spec.containers[0]"),
        ({"containers": [{"name": "a", "resources": []}]}, "spec.containers[0].resources"),
        ({"containers": [{"name": "a", "resources": {"limits": 5}}]}, "spec.containers[0].resources.limits"),
        (
            {"containers": [{"name": "a", "resources": {"limits": {"cpu": "2e3m"}}}]},
            "spec.containers[0].resources.limits[cpu]",
        ),
        (
            {"containers": [{"name": "a", "resources": {"limits": {"cpu": -1}}}]},
            "spec.containers[0].resources.limits[cpu]",
        ),
        (
            {"containers": [{"name": "a", "resources": {"limits": {"cpu": True}}}]},
            "spec.containers[0].resources.limits[cpu]",
        ),
    ],
)
def test_what_cannot_be_read_is_a_finding_with_its_place(spec: object, place: str) -> None:
    facts = read({"spec": spec})

    assert [finding.message.startswith(place) for finding in facts.unreadable] == [True]


NAMES = {f"example.com/r{number}": "1" for number in range(2 * MAX_RESOURCES)}


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (
            pod(*[container(f"c{number}") for number in range(2 * MAX_CONTAINERS)]),
            "spec.containers is not a list of at most 1024 containers",
        ),
        (
            pod(init=tuple(container(f"c{number}") for number in range(2 * MAX_CONTAINERS))),
            "spec.initContainers is not a list of at most 1024 containers",
        ),
        (
            pod(container(limits=NAMES)),
            "spec.containers[0].resources.limits is not a map of at most 64 resources",
        ),
        (pod(overhead=NAMES), "spec.overhead is not a map of at most 64 resources"),
        (pod(container("n" * 64)), "spec.containers[0].name is not a name of at most 63 characters"),
        (
            pod(container(limits={"r" * 318: "1"})),
            "spec.containers[0].resources.limits is not a map of names of at most 317 characters",
        ),
    ],
    ids=["containers", "init containers", "resources", "overhead", "name", "name of a resource"],
)
def test_what_grows_without_end_is_read_up_to_a_bound(made: dict[str, object], message: str) -> None:
    facts = read(made)

    assert [finding.message for finding in facts.unreadable] == [message]
    assert len(facts.containers) <= MAX_CONTAINERS + 1
    assert all(len(one.name) <= MAX_NAME and len(one.limits) <= MAX_RESOURCES for one in facts.containers)


def test_a_flood_of_faults_is_bounded() -> None:
    facts = read(pod(labels=dict.fromkeys(map(str, range(100_000)), 1)))

    assert len(facts.unreadable) == MAX_FAULTS


def test_null_means_not_set() -> None:
    facts = read(pod(container(limits={GPU: "8"}, requests=None), initContainers=None, tolerations=None))

    assert facts.unreadable == ()
    assert str(facts.containers[0].requests[GPU]) == "8"


@pytest.mark.parametrize("obj", [{}, {"spec": None}, {"metadata": [], "spec": {}}, {"spec": {"containers": []}}])
def test_an_object_of_any_shape_is_read(obj: dict[str, object]) -> None:
    assert read(obj).qos is QOSClass.BEST_EFFORT
