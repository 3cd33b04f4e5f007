"""What a NodeProfile may say."""

import pytest

from webhook.config.document import read_stream
from webhook.config.profile_schema import NodeProfile
from webhook.config.schema import check_model
from webhook.domain.errors import PolicyError

HEAD = "apiVersion: numagate.io/v1alpha1\nkind: NodeProfile\nmetadata: {name: x}\nspec:\n"


def check(spec: str) -> None:
    """Hold one spec against the grammar."""
    (document,) = read_stream(HEAD + f"  {spec}\n", "p.yaml")
    check_model(document, NodeProfile)


@pytest.mark.parametrize(
    "spec",
    [
        "machine: dgx-h100",
        "{machine: a, taints: [{key: a, effect: NoSchedule}], selector: {matchLabels: {a/b: c}}}",
        "numa: [{id: 0, memory: 0}]",
        "numa: [{id: 0, memory: 1Gi, hugepages: {2Mi: 3, 512Mi: 0}, cpus: '0,2-3', threadsPerCore: 1}]",
        "numa: [{id: 0, memory: 1Gi, cores: [{threads: [0, 1], socket: 0, uncore: 2}], distances: [10]}]",
        "{machine: a, devices: {a.example/npu: {'0': 4, 1: 2}, b: [{id: x, numa: [0, 1], healthy: false}]}}",
        "{machine: a, kubelet: {reservedSystemCPUs: '', featureGates: {A: true}, version: '1.36'}}",
        "{machine: a, kubelet: {reservedMemory: [{numaNode: 0, limits: {memory: 1Gi, hugepages-2Mi: 0}}]}}",
        "{machine: a, kubelet: {nodeAllocatableReservation: {cpu: 500m, memory: 1Gi}}}",
        "{machine: a, devices: {nvidia.com/gpu: {'0': 4, '-1': 4}}}",
        "{selector: {matchLabels: {pool: a}}, kubelet: {topologyManagerPolicy: restricted}}",
    ],
)
def test_these_specs_are_fine(spec: str) -> None:
    check(spec)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            "{selector: {matchLabels: {}}, kubelet: {}}",
            "spec: no machine: write numa, machine with a name of the library",
        ),
        ("{}", "spec: no machine: write numa, machine with a name of the library, or a selector of nodes to complete"),
        ("numa: []", "spec.numa: a list is empty: write at least one"),
        ("numa: [{memory: 1}]", "spec.numa[0].id: required, but not written"),
        ("numa: [{id: 0}]", "spec.numa[0].memory: required, but not written"),
        ("numa: [{id: -1, memory: 1}]", "spec.numa[0].id: -1: input should be greater than or equal to 0"),
        ("numa: [{id: 0, memory: -1Gi}]", '"-1Gi" is negative'),
        ("numa: [{id: 0, memory: 1, cpus: '0-x', threadsPerCore: 1}]", '"0-x" in "0-x" is no CPU id or range'),
        (
            "numa: [{id: 0, memory: 1, cpus: '0'}]",
            "NUMA node 0 has cpus without threadsPerCore: write 2 with SMT, else 1",
        ),
        ("numa: [{id: 0, memory: 1, coreCount: 4}]", "NUMA node 0 has coreCount without threadsPerCore"),
        (
            "numa: [{id: 3, memory: 1, coreCount: 4, cpus: '0', threadsPerCore: 1}]",
            "NUMA node 3 has both cpus and coreCount: write its CPUs in one way",
        ),
        ("numa: [{id: 0, memory: 1, cores: [{threads: []}]}]", "spec.numa[0].cores[0].threads: a list is empty"),
        ("numa: [{id: 0, memory: 1, cores: [{threads: [99999]}]}]", "spec.numa[0].cores[0].threads[0]: 99999"),
        ("numa: [{id: 0, memory: 1, hugepages: {3Mi: 1}}]", '"3Mi" is no huge page size: write one like 2Mi or 1Gi'),
        ("numa: [{id: 0, memory: 1, hugepages: {big: 1}}]", "'big' is not a quantity"),
        ("numa: [{id: 0, memory: 1, hugepages: {2Mi: -1}}]", "spec.numa[0].hugepages[2Mi]: -1"),
        ("{machine: a, devices: {nvidia.com/gpu: {a: 1}}}", '"a" is no NUMA node id: write a number like "0"'),
        (r"""{machine: a, devices: {nvidia.com/gpu: {"\x1f": 1}}}""", r""""\x1f" is no NUMA node id"""),
        ("{machine: a, devices: {nvidia.com/gpu: {'0': -1}}}", "spec.devices[nvidia.com/gpu][0]: -1"),
        ("{machine: a, devices: {nvidia.com/gpu: 8}}", "spec.devices[nvidia.com/gpu]: 8 is not a map"),
        ("{machine: a, devices: {nvidia.com/gpu: [{id: a, numa: 0}]}}", "[nvidia.com/gpu][0].numa: 0 is not a list"),
        ("{machine: a, devices: {'a b': {}}}", "spec.devices[a b]: "),
        ("{machine: a, taints: [{key: a, effect: Never}]}", 'spec.taints[0].effect: "Never" is not known'),
        ("{machine: a, kubelet: {cpuManagerPolicy: Static}}", '"Static" is not known: did you mean static?'),
        ("{machine: a, kubelet: {topologyManagerPolicy: single}}", '"single" is not known: write one of best-effort'),
        ("{machine: a, kubelet: {reservedSystemCpus: '0'}}", "unknown field: did you mean reservedSystemCPUs?"),
        ("{machine: a, kubelet: {version: 1.37}}", "spec.kubelet.version: 1.37 is not text (quote it)"),
        *(
            (
                f"{{machine: a, kubelet: {{version: '{text}'}}}}",
                f'spec.kubelet.version: "{text}" is no version of Kubernetes: write one like "1.37", without the patch',
            )
            for text in ("2.0", "v1.36", "1.36.3", "1", "1.036", "new")
        ),
        ("{machine: a, kubelet: {cpuManagerPolicyOptions: {full-pcpus-only: true}}}", "true is not text (quote it)"),
        ("{machine: a, kubelet: {reservedMemory: [{numaNode: 0, limits: {cpu: 1}}]}}", '"cpu" has signs'),
    ],
)
def test_these_specs_are_refused(spec: str, message: str) -> None:
    with pytest.raises(PolicyError) as caught:
        check(spec)
    assert message in str(caught.value)
