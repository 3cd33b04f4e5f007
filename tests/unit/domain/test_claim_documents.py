"""Device classes, claims and templates as they are written, in every served version."""

import pytest

from webhook.domain.claim_documents import device_class_entry
from webhook.domain.claim_documents import entry_of
from webhook.domain.claim_documents import read_claim
from webhook.domain.claim_documents import read_device_class
from webhook.domain.claim_documents import read_template
from webhook.domain.claims import Claim
from webhook.domain.claims import Constraint
from webhook.domain.claims import DeviceClass
from webhook.domain.claims import DeviceOption
from webhook.domain.claims import DeviceRequest


def selected(expression: str) -> tuple[str, ...]:
    spec = {"selectors": [{"cel": {"expression": expression}}]}
    return read_device_class({"metadata": {"name": "c"}, "spec": spec}).drivers


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'gpu'", ("gpu.nvidia.com",)),
        ('device.driver=="gpu.amd.com"', ("gpu.amd.com",)),
        ("'dra.cpu' == device.driver", ("dra.cpu",)),
        ("device.driver in ['gpu.intel.com', \"gaudi.intel.com\"]", ("gpu.intel.com", "gaudi.intel.com")),
        ("device.driver != 'gpu.amd.com'", ()),
        ("device.driver.startsWith('gpu.')", ()),
    ],
)
def test_the_drivers_of_a_class_are_those_that_it_names(expression: str, expected: tuple[str, ...]) -> None:
    assert selected(expression) == expected


def test_a_class_has_a_name_and_perhaps_a_resource() -> None:
    obj = {"metadata": {"name": "gpu.nvidia.com"}, "spec": {"extendedResourceName": "nvidia.com/gpu"}}

    assert read_device_class(obj) == DeviceClass("gpu.nvidia.com", "nvidia.com/gpu")


@pytest.mark.parametrize("one", [DeviceClass("a"), DeviceClass("b", "x.io/gpu", ("gpu.nvidia.com",))])
def test_an_entry_of_a_snapshot_reads_back(one: DeviceClass) -> None:
    assert device_class_entry(entry_of(one)) == one


@pytest.mark.parametrize(
    ("request_", "options"),
    [
        ({"exactly": {"deviceClassName": "c", "count": 4}}, [DeviceOption("c", 4)]),
        ({"exactly": {"deviceClassName": "c", "allocationMode": "All"}}, [DeviceOption("c", 1)]),
        ({"deviceClassName": "c", "count": 2}, [DeviceOption("c", 2)]),
        (
            {
                "firstAvailable": [
                    {"name": "a", "deviceClassName": "c"},
                    {"name": "b", "deviceClassName": "d", "count": 2},
                ]
            },
            [DeviceOption("c"), DeviceOption("d", 2)],
        ),
        (
            {"exactly": {"deviceClassName": "c", "selectors": [{"cel": {"expression": "device.driver == 'x.io'"}}]}},
            [DeviceOption("c", 1, ("x.io",))],
        ),
        ({"exactly": {"deviceClassName": "c", "count": "many"}}, [DeviceOption("c", 1)]),
    ],
    ids=["exactly", "all", "v1beta1", "first-available", "selector", "wrong-type"],
)
def test_a_request_has_options(request_: dict[str, object], options: list[DeviceOption]) -> None:
    claim = read_claim({"spec": {"devices": {"requests": [{"name": "r", **request_}]}}})

    assert claim == Claim((DeviceRequest("r", tuple(options)),))


def test_a_template_holds_a_claim_and_constraints_match_attributes() -> None:
    devices = {
        "requests": [{"name": "r", "exactly": {"deviceClassName": "c"}}],
        "constraints": [{"requests": ["r"], "matchAttribute": "a.io/x"}, {"distinctAttribute": "a.io/y"}],
    }

    assert read_template({"spec": {"spec": {"devices": devices}}}) == Claim(
        (DeviceRequest("r", (DeviceOption("c"),)),), (Constraint("a.io/x", ("r",)),)
    )


@pytest.mark.parametrize(
    "wrong", [{}, {"spec": None}, {"spec": {"devices": [1]}}, {"spec": {"devices": {"requests": 3}}}]
)
def test_what_is_malformed_counts_as_absent(wrong: dict[str, object]) -> None:
    assert read_claim(wrong) == Claim(())
