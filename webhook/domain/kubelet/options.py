"""Policy options of the CPU and topology managers, parsed and checked as the kubelet does at start-up."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from webhook.domain import versions
from webhook.domain.topology import KubeletSettings
from webhook.domain.versions import Rules
from webhook.domain.versions import Version

FULL_PCPUS_ONLY: Final = "full-pcpus-only"
ACROSS_NUMA: Final = "distribute-cpus-across-numa"
ALIGN_BY_SOCKET: Final = "align-by-socket"
ACROSS_CORES: Final = "distribute-cpus-across-cores"
STRICT_RESERVATION: Final = "strict-cpu-reservation"
UNCORE_CACHE: Final = "prefer-align-cpus-by-uncorecache"

PREFER_CLOSEST: Final = "prefer-closest-numa-nodes"
MAX_NUMA_NODES: Final = "max-allowable-numa-nodes"
DEFAULT_MAX_NUMA_NODES: Final = 8

_ALPHA: Final = {ALIGN_BY_SOCKET, ACROSS_CORES}
CPU_OPTIONS: Final = frozenset(_ALPHA | {ACROSS_NUMA, FULL_PCPUS_ONLY, STRICT_RESERVATION, UNCORE_CACHE})
"""All options of the static CPU manager."""
TOPOLOGY_OPTIONS: Final = frozenset({PREFER_CLOSEST, MAX_NUMA_NODES})
"""All options of the topology manager."""

CPU_ALPHA_GATE: Final = "CPUManagerPolicyAlphaOptions"
CPU_BETA_GATE: Final = "CPUManagerPolicyBetaOptions"
TOPOLOGY_BETA_GATE: Final = "TopologyManagerPolicyBetaOptions"

_INT64_DIGITS: Final = 18

_EXCLUSIVE: Final = (
    (FULL_PCPUS_ONLY, ACROSS_CORES),
    (ACROSS_NUMA, ACROSS_CORES),
    (UNCORE_CACHE, ACROSS_CORES),
    (UNCORE_CACHE, ACROSS_NUMA),
)

_BOOLEANS: Final = {
    **dict.fromkeys(("1", "t", "T", "TRUE", "true", "True"), True),
    **dict.fromkeys(("0", "f", "F", "FALSE", "false", "False"), False),
}


class StartupError(Exception):
    """The kubelet of this node class does not start; the text is its message."""


@dataclass(frozen=True, slots=True)
class CpuOptions:
    """The static CPU manager's options (CPU/policy_options.go:StaticPolicyOptions).

    `spread_within_sockets` is no option: it says whether this version spreads over NUMA nodes with a view to sockets.
    """

    full_pcpus_only: bool = False
    across_numa: bool = False
    align_by_socket: bool = False
    across_cores: bool = False
    strict_reservation: bool = False
    uncore_cache: bool = False
    spread_within_sockets: bool = True


@dataclass(frozen=True, slots=True)
class TopologyOptions:
    """The topology manager's options (TM/policy_options.go:PolicyOptions)."""

    prefer_closest: bool = False
    max_numa_nodes: int = DEFAULT_MAX_NUMA_NODES


def maturity(name: str, version: Version) -> str | None:
    """Answer how mature an option of either manager is: "alpha", "beta" or "stable"; None where there is no such one.

    >>> maturity("strict-cpu-reservation", (1, 34)), maturity("strict-cpu-reservation", (1, 35))
    ('beta', 'stable')
    """
    if name not in CPU_OPTIONS | TOPOLOGY_OPTIONS:
        return None
    if name in _ALPHA:
        return "alpha"
    return "beta" if name in versions.rules(version).beta_options else "stable"


def cpu_options(settings: KubeletSettings) -> CpuOptions:
    """Mirror CPU/policy_options.go:NewStaticPolicyOptions.

    Raises:
        StartupError: an option is unknown, switched off by its gate, badly written or excluded by another one.
    """
    rules = versions.rules(settings.version)
    found: dict[str, bool] = {}
    for name, value in settings.cpu_manager_policy_options.items():
        _check_available(name, settings.feature_gates, rules)
        found[name] = _boolean(name, value)
    for first, second in _EXCLUSIVE:
        if found.get(first) and found.get(second):
            message = f"static policy options {first} and {second} can not be used at the same time"
            raise StartupError(message)
    return CpuOptions(
        full_pcpus_only=found.get(FULL_PCPUS_ONLY, False),
        across_numa=found.get(ACROSS_NUMA, False),
        align_by_socket=found.get(ALIGN_BY_SOCKET, False),
        across_cores=found.get(ACROSS_CORES, False),
        strict_reservation=found.get(STRICT_RESERVATION, False),
        uncore_cache=found.get(UNCORE_CACHE, False),
        spread_within_sockets=rules.spreads_within_sockets,
    )


def topology_options(settings: KubeletSettings) -> TopologyOptions:
    """Mirror TM/policy_options.go:NewPolicyOptions.

    Raises:
        StartupError: an option is unknown, switched off by its gate or badly written.
    """
    prefer_closest = False
    limit = DEFAULT_MAX_NUMA_NODES
    beta = versions.rules(settings.version).beta_options
    for name, value in settings.topology_manager_policy_options.items():
        if name in beta and not settings.feature_gates.get(TOPOLOGY_BETA_GATE, True):
            message = f'topology manager policy beta-level options not enabled, but option "{name}" provided'
            raise StartupError(message)
        if name == PREFER_CLOSEST:
            prefer_closest = _boolean(name, value)
        elif name == MAX_NUMA_NODES:
            limit = _max_numa_nodes(value)
        else:
            message = f'unknown Topology Manager Policy option: "{name}"'
            raise StartupError(message)
    return TopologyOptions(prefer_closest, limit)


def _check_available(name: str, gates: Mapping[str, bool], rules: Rules) -> None:
    """Mirror CPU/policy_options.go:CheckPolicyOptionAvailable."""
    if name not in CPU_OPTIONS:
        message = f'unknown CPU Manager Policy option: "{name}"'
        raise StartupError(message)
    if name in _ALPHA and not gates.get(CPU_ALPHA_GATE, False):
        message = f'CPU Manager Policy Alpha-level Options not enabled, but option "{name}" provided'
        raise StartupError(message)
    if name in rules.beta_options and not gates.get(CPU_BETA_GATE, True):
        message = f'CPU Manager Policy Beta-level Options not enabled, but option "{name}" provided'
        raise StartupError(message)


def _boolean(name: str, value: str) -> bool:
    """Read a boolean as strconv.ParseBool does."""
    if value not in _BOOLEANS:
        message = f'bad value for option "{name}": strconv.ParseBool: parsing "{value}": invalid syntax'
        raise StartupError(message)
    return _BOOLEANS[value]


def _max_numa_nodes(value: str) -> int:
    digits = value[1:] if value[:1] in {"+", "-"} else value
    if not (digits.isascii() and digits.isdigit()):
        message = (
            f'unable to convert policy option to integer "{MAX_NUMA_NODES}": '
            f'strconv.Atoi: parsing "{value}": invalid syntax'
        )
        raise StartupError(message)
    limit = int(value[:_INT64_DIGITS])
    if limit < DEFAULT_MAX_NUMA_NODES:
        message = f'the minimum value of "{MAX_NUMA_NODES}" should not be less than {DEFAULT_MAX_NUMA_NODES}'
        raise StartupError(message)
    return limit
