"""What drivers publish about the place of their devices."""

import pytest

from webhook.domain.dra_drivers import NUMA_NODE
from webhook.domain.dra_drivers import PCIE_ROOT
from webhook.domain.dra_drivers import is_kin
from webhook.domain.dra_drivers import publishes


@pytest.mark.parametrize(
    ("driver", "attribute", "expected"),
    [
        ("gpu.nvidia.com", NUMA_NODE, True),
        ("gpu.amd.com", NUMA_NODE, False),
        ("gpu.amd.com", PCIE_ROOT, True),
        ("gaudi.intel.com", NUMA_NODE, False),
        ("own.example.com", NUMA_NODE, True),
        ("gpu.amd.com", "gpu.amd.com/productName", True),
    ],
)
def test_only_what_is_known_to_be_missing_is_missing(driver: str, attribute: str, *, expected: bool) -> None:
    assert publishes(driver, attribute) == expected


@pytest.mark.parametrize(
    ("driver", "resource", "expected"),
    [
        ("gpu.nvidia.com", "nvidia.com/gpu", True),
        ("gpu.intel.com", "gpu.intel.com/xe", True),
        ("gaudi.intel.com", "habana.ai/gaudi", True),
        ("neuron.aws.com", "aws.amazon.com/neuron", True),
        ("gpu.amd.com", "nvidia.com/gpu", False),
    ],
)
def test_a_driver_and_a_device_plugin_of_one_vendor_are_kin(driver: str, resource: str, *, expected: bool) -> None:
    assert is_kin(driver, resource) == expected
