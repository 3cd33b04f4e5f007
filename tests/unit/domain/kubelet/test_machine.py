"""What a kubelet derives at its start."""

from dataclasses import replace
from itertools import islice

import pytest
from kubelets import GIB
from kubelets import cells
from kubelets import machine

from webhook.domain import cpuset
from webhook.domain.kubelet.machine import derive
from webhook.domain.kubelet.options import StartupError
from webhook.domain.quantity import Quantity
from webhook.domain.topology import Cell
from webhook.domain.topology import Core
from webhook.domain.topology import KubeletSettings
from webhook.domain.topology import NodeClass


def by_size(cpu: str, **options: str) -> NodeClass:
    """Make machine M with CPUs reserved by size."""
    chosen = {name.replace("_", "-"): value for name, value in options.items()}
    return machine(
        reserved_cpus="",
        node_allocatable_reservation={"cpu": Quantity.parse(cpu), "memory": Quantity.parse("2Gi")},
        cpu_manager_policy_options=chosen,
    )


@pytest.mark.parametrize(
    ("cpu", "reserved"), [("1", "0"), ("1500m", "0,8"), ("3", "0-1,8"), ("8", "0-3,8-11"), ("9", "0-4,8-11")]
)
def test_cpus_reserved_by_size_are_packed_and_rounded_up(cpu: str, reserved: str) -> None:
    assert cpuset.format(derive(by_size(cpu)).reserved_cpus) == reserved


def test_cpus_reserved_by_size_follow_the_policy_options() -> None:
    across = derive(by_size("12", distribute_cpus_across_numa="true")).reserved_cpus

    assert cpuset.format(across) == "0-2,4-6,8-10,12-14"


def test_explicit_cpus_win_over_a_size() -> None:
    explicit = machine(reserved_cpus="3", node_allocatable_reservation={"cpu": Quantity.parse("8")})

    assert cpuset.format(derive(explicit).reserved_cpus) == "3"


def test_more_than_there_are_cannot_be_reserved() -> None:
    with pytest.raises(StartupError, match=r"size of  did not equal 17"):
        derive(by_size("17"))


def test_managers_that_do_not_pin_are_left_out() -> None:
    plain = derive(replace(machine(), kubelet=KubeletSettings()))

    assert (plain.cpu_options, plain.memory, plain.reserved_cpus) == (None, None, 0)
    assert plain.merger.policy == "none"


def test_distances_count_only_with_their_option() -> None:
    closest = machine("restricted", topology_manager_policy_options={"prefer-closest-numa-nodes": "true"})

    assert derive(machine("restricted")).merger.distances is None
    assert derive(closest).merger.distances.table == {0: (10, 20), 1: (20, 10)}
    assert derive(machine(cells=cells(4))).merger.cells == 0b1111


def test_a_reservation_that_the_kubelet_would_search_for_ever_is_named() -> None:
    threads = iter(range(99))
    shape = tuple(
        Cell(cell, GIB, tuple(Core(tuple(islice(threads, size)), socket=cell) for size in sizes))
        for cell, sizes in enumerate([(3, 2), (3, 2, 2), (3, 2, 2), (3, 2, 2)])
    )
    options = {"distribute-cpus-across-numa": "true", "full-pcpus-only": "true"}
    odd = machine(
        cells=shape,
        reserved_cpus="",
        node_allocatable_reservation={"cpu": Quantity.parse("22")},
        cpu_manager_policy_options=options,
    )

    with pytest.raises(StartupError, match="never ends"):
        derive(odd)
