"""Which labels tell kinds of nodes apart, and which a class declares."""

from webhook.sources import node_tables


def test_a_class_declares_no_noise_and_what_tells_it_apart_first() -> None:
    many = {(f"a.example/label-{number:03}", "x") for number in range(100)}
    noise = {("feature.node.kubernetes.io/cpu-cpuid.AVX512F", "true"), ("nvidia.com/gpu.deploy.driver", "true")}
    declared = node_tables.declared({*many, *noise, ("node.kubernetes.io/instance-type", "p5.48xlarge")})

    assert len(declared) == node_tables.MOST_DECLARED
    assert declared["node.kubernetes.io/instance-type"] == "p5.48xlarge"
    assert not noise & declared.items()


def test_the_identity_of_a_node_is_type_product_and_pool() -> None:
    labels = (("karpenter.sh/nodepool", "gpu"), ("topology.kubernetes.io/zone", "a"), ("nvidia.com/gpu.count", "8"))

    assert node_tables.identity(labels) == (("karpenter.sh/nodepool", "gpu"), ("nvidia.com/gpu.count", "8"))
