"""What a pod is told that does not divide evenly over its NUMA nodes."""

import pytest
from builders import container
from builders import equal
from builders import pod
from builders import ruling
from misfits import SPREADING
from misfits import kubelet

from webhook.domain.topology import NodeClass
from webhook.engine.judge import judge_pod

SINGLE_CPUS = kubelet(SPREADING, cpu_manager_policy_options={"distribute-cpus-across-numa": "true"})


@pytest.mark.parametrize(
    ("node_class", "cpu", "remedy"),
    [
        (SPREADING, "102", "use CPUs that divide by 4 (whole cores), and memory and accelerators that divide by 2"),
        (SINGLE_CPUS, "101", "use CPUs, memory and accelerators that divide by 2"),
    ],
    ids=["whole cores", "single CPUs"],
)
def test_whole_cores_count_among_what_divides(node_class: NodeClass, cpu: str, remedy: str) -> None:
    known = ruling(node_class)
    uneven = pod(container(**equal(cpu, "1010Gi", 8)), annotations={"numagate.io/numa-nodes": "2"})

    (found,) = (one for one in judge_pod(uneven, known).findings if one.code == "uneven-spread")

    assert found.message.endswith(f": {remedy}")
