"""What NodeProfiles say about the nodes that they match."""

from inventories import view_of
from nodeobjects import profile

from webhook.sources.topology.node_profile import SOURCE

KUBELET = {"topologyManagerPolicy": "restricted", "topologyManagerScope": None}


def test_without_a_profile_the_source_says_nothing() -> None:
    assert SOURCE.read(view_of()) is None


def test_a_partial_profile_tells_its_fields_only() -> None:
    found = SOURCE.read(view_of(profile("part", {"pool": "a"}, kubelet=KUBELET)))

    assert found is not None
    assert (found.fields, found.declared, found.title) == ({"kubelet.topologyManagerPolicy": "restricted"}, True, "")


def test_a_machine_of_the_library_is_filled_in() -> None:
    found = SOURCE.read(view_of(profile("whole", {"pool": "a"}, machine="dgx-h100", kubelet=KUBELET)))

    assert found is not None
    assert found.title == "whole"
    assert found.fields["devices.nvidia.com/gpu"] == {"0": 4, "1": 4}
    assert found.fields["kubelet.topologyManagerPolicy"] == "restricted"
    assert found.fields["kubelet.cpuManagerPolicy"] == "static"


def test_the_first_profile_wins_field_by_field() -> None:
    close = profile("close", {"pool": "a", "zone": "b"}, kubelet={"topologyManagerPolicy": "none"})
    wide = profile("wide", {"pool": "a"}, kubelet={"topologyManagerPolicy": "restricted", "version": "1.36"}, taints=[])
    found = SOURCE.read(view_of(close, wide))

    assert found is not None
    assert found.fields == {"kubelet.topologyManagerPolicy": "none", "kubelet.version": "1.36", "taints": []}


def test_a_machine_that_does_not_exist_is_a_problem() -> None:
    found = SOURCE.read(view_of(profile("typo", {"pool": "a"}, machine="dgx-h10")))

    assert found is not None
    assert found.fields == {}
    assert found.problems[0].startswith('NodeProfile typo: "dgx-h10" is no machine of the library')
