"""The sums over a whole node."""

import pytest
from kubelets import GIB
from kubelets import GPU
from kubelets import Raw
from kubelets import app
from kubelets import burstable
from kubelets import cells
from kubelets import init
from kubelets import machine
from kubelets import pod

from webhook.domain.kubelet import predicates
from webhook.domain.kubelet.refusal import RefusedError
from webhook.domain.quantity import Quantity
from webhook.domain.topology import Device

PAGED = machine(cells=cells(hugepages={"2Mi": 512}))
NODE = predicates.allocatable(PAGED)


def test_a_node_has_its_capacity_without_reservations_huge_pages_and_sick_devices() -> None:
    sick = machine(devices={GPU: (Device("a", (0,)), Device("b", (0,), healthy=False))})

    assert NODE == {"cpu": 14_000, "memory": 60 * GIB, "hugepages-2Mi": 2 * GIB, GPU: 8}
    assert predicates.allocatable(sick)[GPU] == 1


@pytest.mark.parametrize(
    ("reservation", "cpu"), [({"cpu": "1500m"}, 14_500), ({}, 16_000), ({"cpu": "99"}, 0), ({"memory": "99Gi"}, 16_000)]
)
def test_cpus_may_be_reserved_by_size(reservation: dict[str, str], cpu: int) -> None:
    amounts = {name: Quantity.parse(text) for name, text in reservation.items()}
    found = predicates.allocatable(machine(reserved_cpus="", node_allocatable_reservation=amounts))

    assert found["cpu"] == cpu
    assert found["memory"] >= 0


def test_a_pod_demands_the_most_at_once_and_its_overhead() -> None:
    facts = pod(init("4/1Gi/2"), app("1500m/2Gi/1"), overhead={"memory": "1Gi"})

    assert predicates.demand(facts) == {"cpu": 4000, "memory": 3 * GIB, GPU: 2}


def test_more_than_an_int64_holds_is_the_largest_number_where_the_kubelets_sum_overflows() -> None:
    demanded = predicates.demand(pod(app("9223372036854776/1Gi")))

    assert demanded["cpu"] == (1 << 63) - 1
    with pytest.raises(RefusedError, match="9223372036854775807"):
        predicates.check(demanded, {}, NODE)


def test_pod_level_requests_replace_those_of_containers() -> None:
    facts = pod(burstable("1/1Gi/1"), resources={"requests": {"cpu": "6"}, "limits": {"cpu": "8"}})

    assert predicates.demand(facts) == {"cpu": 6000, "memory": GIB, GPU: 1}


@pytest.mark.parametrize(
    ("container", "used", "reason"),
    [
        (app("14/1Gi/1"), {}, None),
        (app("15/99Gi/9"), {}, "OutOfcpu"),
        (app("14/99Gi/9"), {}, "OutOfmemory"),
        (app("14/60Gi/9"), {}, f"OutOf{GPU}"),
        (app("2/1Gi/1"), {"cpu": 13_000}, "OutOfcpu"),
        (app("1/1Gi", hugepages_2Mi="3Gi"), {}, "OutOfhugepages-2Mi"),
        (app("1/1Gi", hugepages_1Gi="1Gi"), {}, "OutOfhugepages-1Gi"),
        (app("1/1Gi", hugepages_1Gi="0"), {}, None),
        (app("1/1Gi", **{"example.com/fpga": "1"}), {}, None),
        (app("1/1Gi", ephemeral_storage="1Ti"), {}, None),
    ],
)
def test_a_pod_fits_into_what_is_left(container: Raw, used: dict[str, int], reason: str | None) -> None:
    wanted = predicates.demand(pod(container))
    if reason is None:
        predicates.check(wanted, used, NODE)
        return
    with pytest.raises(RefusedError) as caught:
        predicates.check(wanted, used, NODE)
    assert (caught.value.handler, caught.value.reason) == ("scheduler-fit", reason)


def test_the_message_has_the_kubelets_numbers() -> None:
    with pytest.raises(RefusedError) as caught:
        predicates.check({"memory": 70}, {"memory": 5}, {"memory": 60})

    assert caught.value.message == "Node didn't have enough resource: memory, requested: 70, used: 5, capacity: 60"


def test_amounts_are_written_as_quantities() -> None:
    written = {name: str(quantity) for name, quantity in predicates.as_quantities(NODE).items()}

    assert written == {"cpu": "14", "memory": "60Gi", "hugepages-2Mi": "2Gi", GPU: "8"}
