"""Policy options: read, refused."""

from dataclasses import replace

import pytest

from webhook.domain.kubelet.options import CpuOptions
from webhook.domain.kubelet.options import StartupError
from webhook.domain.kubelet.options import TopologyOptions
from webhook.domain.kubelet.options import cpu_options
from webhook.domain.kubelet.options import topology_options
from webhook.domain.topology import KubeletSettings

ALPHA = {"CPUManagerPolicyAlphaOptions": True}
SETTINGS = KubeletSettings(feature_gates=ALPHA)


def with_cpu(**options: str) -> KubeletSettings:
    """Make settings with CPU manager options, "_" for "-"."""
    return replace(SETTINGS, cpu_manager_policy_options={k.replace("_", "-"): v for k, v in options.items()})


def with_topology(**options: str) -> KubeletSettings:
    """Make settings with topology manager options, "_" for "-"."""
    return replace(SETTINGS, topology_manager_policy_options={k.replace("_", "-"): v for k, v in options.items()})


def test_every_option_is_read() -> None:
    assert cpu_options(SETTINGS) == CpuOptions()
    assert cpu_options(with_cpu(full_pcpus_only="true", strict_cpu_reservation="1")) == CpuOptions(
        full_pcpus_only=True, strict_reservation=True
    )
    assert cpu_options(with_cpu(distribute_cpus_across_numa="T", align_by_socket="TRUE")) == CpuOptions(
        across_numa=True, align_by_socket=True
    )
    assert cpu_options(with_cpu(distribute_cpus_across_cores="true", full_pcpus_only="f")) == CpuOptions(
        across_cores=True
    )
    assert cpu_options(with_cpu(prefer_align_cpus_by_uncorecache="true")) == CpuOptions(uncore_cache=True)
    assert topology_options(with_topology(prefer_closest_numa_nodes="t", max_allowable_numa_nodes="+16")) == (
        TopologyOptions(prefer_closest=True, max_numa_nodes=16)
    )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (with_cpu(full_cores="true"), 'unknown CPU Manager Policy option: "full-cores"'),
        (with_cpu(full_pcpus_only="yes"), 'bad value for option "full-pcpus-only": strconv.ParseBool: parsing "yes"'),
        (
            replace(with_cpu(align_by_socket="false"), feature_gates={}),
            'Alpha-level Options not enabled, but option "align-by-socket" provided',
        ),
        (
            replace(with_cpu(distribute_cpus_across_numa="1"), feature_gates={"CPUManagerPolicyBetaOptions": False}),
            'Beta-level Options not enabled, but option "distribute-cpus-across-numa" provided',
        ),
        (
            with_cpu(full_pcpus_only="true", distribute_cpus_across_cores="true"),
            "options full-pcpus-only and distribute-cpus-across-cores can not be used at the same time",
        ),
        (
            with_cpu(prefer_align_cpus_by_uncorecache="true", distribute_cpus_across_numa="true"),
            "options prefer-align-cpus-by-uncorecache and distribute-cpus-across-numa can not be used",
        ),
    ],
)
def test_a_wrong_cpu_option_stops_the_kubelet(settings: KubeletSettings, message: str) -> None:
    with pytest.raises(StartupError, match=message):
        cpu_options(settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (with_topology(closest="true"), 'unknown Topology Manager Policy option: "closest"'),
        (with_topology(prefer_closest_numa_nodes=""), 'bad value for option "prefer-closest-numa-nodes"'),
        (with_topology(max_allowable_numa_nodes="4"), "should not be less than 8"),
        (with_topology(max_allowable_numa_nodes="-9"), "should not be less than 8"),
        (with_topology(max_allowable_numa_nodes="many"), 'strconv.Atoi: parsing "many": invalid syntax'),
        (with_topology(max_allowable_numa_nodes="٨٨"), "invalid syntax"),
    ],
)
def test_a_wrong_topology_option_stops_the_kubelet(settings: KubeletSettings, message: str) -> None:
    with pytest.raises(StartupError, match=message):
        topology_options(settings)


@pytest.mark.parametrize(
    ("minor", "guarded"),
    [
        (37, {"distribute-cpus-across-numa"}),
        (36, {"distribute-cpus-across-numa"}),
        (35, {"distribute-cpus-across-numa", "prefer-align-cpus-by-uncorecache"}),
        (34, {"distribute-cpus-across-numa", "prefer-align-cpus-by-uncorecache", "strict-cpu-reservation"}),
    ],
)
def test_the_gate_for_beta_options_guards_more_of_them_in_older_versions(minor: int, guarded: set[str]) -> None:
    refused = set()
    for name in ("full-pcpus-only", "strict-cpu-reservation", *guarded):
        settings = KubeletSettings(
            cpu_manager_policy_options={name: "true"},
            feature_gates={"CPUManagerPolicyBetaOptions": False},
            version=(1, minor),
        )
        try:
            cpu_options(settings)
        except StartupError:
            refused.add(name)

    assert refused == guarded


def test_the_largest_number_of_numa_nodes_was_a_beta_option() -> None:
    settings = replace(
        with_topology(max_allowable_numa_nodes="16"), feature_gates={"TopologyManagerPolicyBetaOptions": False}
    )

    assert topology_options(replace(settings, version=(1, 35))).max_numa_nodes == 16
    with pytest.raises(StartupError, match='beta-level options not enabled, but option "max-allowable-numa-nodes"'):
        topology_options(replace(settings, version=(1, 34)))
    assert topology_options(replace(settings, version=(1, 34), feature_gates={})).max_numa_nodes == 16


def test_a_number_of_any_length_costs_nothing() -> None:
    assert topology_options(with_topology(max_allowable_numa_nodes="9" * 100_000)).max_numa_nodes > 1 << 16
