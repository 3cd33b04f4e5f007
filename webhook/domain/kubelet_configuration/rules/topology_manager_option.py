"""Options of the topology manager: unknown, badly written, or without effect."""

from collections.abc import Iterator
from dataclasses import replace

from webhook.domain.kubelet import options
from webhook.domain.kubelet.hint_merger import NONE
from webhook.domain.kubelet.hint_merger import SINGLE_NUMA_NODE
from webhook.domain.kubelet_configuration.finding import Finding
from webhook.domain.kubelet_configuration.finding import fault
from webhook.domain.kubelet_configuration.finding import remark
from webhook.domain.kubelet_configuration.known import nearest
from webhook.domain.kubelet_configuration.rule import Rule
from webhook.domain.kubelet_configuration.subject import Subject
from webhook.domain.topology import KubeletSettings

_FIELD = "topologyManagerPolicyOptions"


def find(subject: Subject) -> Iterator[Finding]:
    """Mirror TM/policy_options.go:NewPolicyOptions; policy none looks at nothing."""
    settings = subject.settings
    written = settings.topology_manager_policy_options
    if settings.topology_manager_policy == NONE:
        if written:
            message = "topologyManagerPolicy is none: its options do nothing"
            yield remark((_FIELD,), message, "write a policy such as single-numa-node, or remove the options", written)
        return
    for name, value in written.items():
        try:
            options.topology_options(replace(settings, topology_manager_policy_options={name: value}))
        except options.StartupError as error:
            yield fault((_FIELD, name), str(error), _remedy(settings, name), value)
        else:
            if name == options.PREFER_CLOSEST and settings.topology_manager_policy == SINGLE_NUMA_NODE:
                message = f"{name} does nothing under {SINGLE_NUMA_NODE}, which never takes two NUMA nodes"
                yield remark((_FIELD, name), message, "remove it", value)


def _remedy(settings: KubeletSettings, name: str) -> str:
    if name not in options.TOPOLOGY_OPTIONS:
        close = nearest(name, options.TOPOLOGY_OPTIONS)
        return f"write {close}" if close else f"write one of {', '.join(sorted(options.TOPOLOGY_OPTIONS))}"
    if not settings.feature_gates.get(options.TOPOLOGY_BETA_GATE, True) and settings.version < (1, 35):
        return f"remove {options.TOPOLOGY_BETA_GATE}: false from featureGates, or remove {name}"
    if name == options.MAX_NUMA_NODES:
        return f'write a number in quotes, "{options.DEFAULT_MAX_NUMA_NODES}" or more'
    return 'write "true" or "false"'


RULE = Rule(name="topology-manager-option", find=find)
