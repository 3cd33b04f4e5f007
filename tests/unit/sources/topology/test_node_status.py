"""What a Node itself says: little, but it is always there."""

from inventories import view_of
from nodeobjects import node

from webhook.sources.topology.node_status import SOURCE


def test_a_node_tells_version_taints_and_how_many_devices_there_are() -> None:
    taints = [
        {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"},
        {"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"},
        {"key": "team", "effect": "NoSchedule"},
    ]
    found = SOURCE.read(view_of(node(gpus=8, cpu=192, memory="1Ti", taints=taints)))

    assert found is not None
    assert found.fields == {
        "devices.nvidia.com/gpu": {"-1": 8},
        "kubelet.version": "1.36",
        "taints": [
            {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"},
            {"key": "team", "effect": "NoSchedule"},
        ],
    }


def test_numbers_that_are_no_devices_are_left_out() -> None:
    found = SOURCE.read(view_of(node(**{"nvidia.com/gpumem": 655_360, "hugepages-2Mi": 4096})))

    assert found is not None
    assert found.fields == {"kubelet.version": "1.36"}


def test_without_the_node_the_source_says_nothing() -> None:
    assert SOURCE.read(view_of()) is None
