"""What is known of claims: the devices of a container, and the constraints that keep them on one NUMA node."""

import pytest
from builders import container
from builders import pod
from builders import policy
from builders import world

from webhook.domain.claims import NOTHING_KNOWN
from webhook.domain.claims import Binding
from webhook.domain.claims import Claim
from webhook.domain.claims import ClaimCatalog
from webhook.domain.claims import Constraint
from webhook.domain.claims import DeviceClass
from webhook.domain.claims import DeviceOption
from webhook.domain.claims import DeviceRequest
from webhook.domain.claims import KnownClaims
from webhook.domain.claims import claimed_by
from webhook.domain.dra_drivers import NUMA_NODE
from webhook.domain.dra_drivers import PCIE_ROOT
from webhook.domain.facts import read
from webhook.domain.policy import IMPLICIT
from webhook.engine.subject import accelerators_of
from webhook.engine.subject import gather

GPUS = DeviceRequest("gpus", (DeviceOption("gpu.nvidia.com", 2),))
CPUS = DeviceRequest("cpus", (DeviceOption("dra.cpu"),))
NIC = DeviceRequest("nic", (DeviceOption("dranet"),))
ENTRY = {"name": "own", "resourceClaimTemplateName": "t"}


def known(*requests: DeviceRequest, constraints: tuple[Constraint, ...] = ()) -> KnownClaims:
    return KnownClaims(templates={"t": Claim(requests, constraints)})


def claiming(**use: str) -> dict[str, object]:
    return pod(container(resources={"claims": [{"name": "own", **use}]}), resourceClaims=[ENTRY])


def devices(use: dict[str, str], seen: KnownClaims) -> list[tuple[str, int]]:
    facts = read(claiming(**use))
    return [(one.device_class, one.count) for one in claimed_by(facts.containers[0], facts, seen)]


@pytest.mark.parametrize(
    ("use", "expected"),
    [
        ({}, [("gpu.nvidia.com", 2), ("dranet", 1)]),
        ({"request": "gpus"}, [("gpu.nvidia.com", 2)]),
        ({"request": "other"}, []),
        ({"name": "nobody"}, []),
    ],
)
def test_a_container_gets_what_it_names_of_a_claim(use: dict[str, str], expected: list[tuple[str, int]]) -> None:
    assert devices(use, known(GPUS, NIC)) == expected


def test_a_claim_that_nobody_has_seen_gives_nothing() -> None:
    assert devices({}, NOTHING_KNOWN) == []


def test_claims_without_a_name_go_to_the_first_app_container() -> None:
    made = pod(container("nim"), container("other"), init=(container("load"),), resourceClaims=[{**ENTRY, "name": ""}])

    found = accelerators_of(read(made), policy().accelerators, known(GPUS))

    assert found == {"nim": {IMPLICIT + "gpu.nvidia.com": 2}}


def test_accelerators_by_claim_count_under_the_name_of_their_class_and_nics_do_not() -> None:
    found = accelerators_of(read(claiming()), policy().accelerators, known(GPUS, NIC))

    assert found == {"server": {IMPLICIT + "gpu.nvidia.com": 2}}


def test_a_class_is_an_accelerator_by_its_driver_whatever_its_name() -> None:
    request = DeviceRequest("r", (DeviceOption("h100"),))
    classes = {"h100": DeviceClass("h100", drivers=("gpu.nvidia.com",))}
    seen = KnownClaims(classes=classes, templates={"t": Claim((request,))})

    assert accelerators_of(read(claiming()), policy().accelerators, seen) == {"server": {IMPLICIT + "h100": 1}}


def test_a_resource_that_a_class_of_accelerators_serves_counts() -> None:
    classes = {"gpu.nvidia.com": DeviceClass("gpu.nvidia.com", extended_resource="example.com/gpu")}
    facts = read(pod(container(limits={"cpu": "8", "memory": "1Gi", "example.com/gpu": "1"})))
    subject = gather(facts, policy(), world().classes, KnownClaims(classes=classes))

    assert subject.accelerators == {"server": {"example.com/gpu": 1}}
    assert [fit.fits.value for fit in subject.fits] == ["unenforced"]
    assert gather(facts, policy(), world().classes).accelerators == {}


@pytest.mark.parametrize(
    ("constraint", "expected"),
    [
        (Constraint(NUMA_NODE), [Binding(NUMA_NODE, whole=True, cpus=True)]),
        (Constraint(PCIE_ROOT, ("gpus",)), [Binding(PCIE_ROOT, whole=False, cpus=False)]),
        (Constraint(NUMA_NODE, ("gpus/big", "cpus")), [Binding(NUMA_NODE, whole=True, cpus=True)]),
        (Constraint("gpu.nvidia.com/productName"), []),
        (Constraint(NUMA_NODE, ("other",)), []),
    ],
)
def test_equal_numa_nodes_or_pcie_roots_bind_devices(constraint: Constraint, expected: list[Binding]) -> None:
    assert list(NOTHING_KNOWN.bindings(Claim((GPUS, CPUS), (constraint,)))) == expected


def test_claims_are_known_within_their_namespace_and_classes_everywhere() -> None:
    classes, claim = {"c": DeviceClass("c")}, Claim((GPUS,))
    catalog = ClaimCatalog(classes, claims={"a": {"x": claim}}, templates={"b": {"y": claim}})

    assert catalog.within("a") == KnownClaims(classes, {"x": claim}, {})
    assert catalog.within("b") == KnownClaims(classes, {}, {"y": claim})
    assert catalog.within("c") == KnownClaims(classes)


@pytest.mark.parametrize(
    ("resource", "expected"),
    [
        ("nvidia.com/gpu", "nvidia.com/gpu"),
        (IMPLICIT + "gpu.nvidia.com", "nvidia.com/gpu"),
        (IMPLICIT + "gpu.amd.com", None),
        ("example.com/gpu", None),
    ],
)
def test_devices_are_found_under_the_name_that_a_node_class_has_for_them(resource: str, expected: str | None) -> None:
    assert NOTHING_KNOWN.stand_in(resource, world().classes[0], policy().accelerators) == expected
