"""Exclusive CPUs that share their core with another container: threads of one core have one L1 cache."""

from collections.abc import Iterator

from webhook.domain.kubelet.options import ACROSS_CORES
from webhook.domain.kubelet.options import FULL_PCPUS_ONLY
from webhook.domain.kubelet_configuration.finding import Finding
from webhook.domain.kubelet_configuration.finding import remark
from webhook.domain.kubelet_configuration.remedies import entry
from webhook.domain.kubelet_configuration.rule import Rule
from webhook.domain.kubelet_configuration.subject import Subject


def find(subject: Subject) -> Iterator[Finding]:
    """Look at machines with several threads a core; the option to spread over cores excludes that of whole cores."""
    if subject.node is None or not subject.is_static or subject.node.threads_per_core == 1:
        return
    written = subject.settings.cpu_manager_policy_options
    if FULL_PCPUS_ONLY in written or ACROSS_CORES in written:
        return
    message = "two containers may get threads of the same core"
    remedy = entry(subject, "cpuManagerPolicyOptions", FULL_PCPUS_ONLY, '"true"')
    yield remark(("cpuManagerPolicyOptions", FULL_PCPUS_ONLY), message, remedy)


RULE = Rule(name="shared-core", find=find)
