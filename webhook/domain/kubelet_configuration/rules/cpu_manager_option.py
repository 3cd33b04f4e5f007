"""Options of the CPU manager: unknown, not to be had without a gate, badly written, excluding each other."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from webhook.domain.kubelet import options
from webhook.domain.kubelet_configuration.finding import Finding
from webhook.domain.kubelet_configuration.finding import fault
from webhook.domain.kubelet_configuration.finding import remark
from webhook.domain.kubelet_configuration.known import nearest
from webhook.domain.kubelet_configuration.remedies import entry
from webhook.domain.kubelet_configuration.rule import Rule
from webhook.domain.kubelet_configuration.subject import Subject
from webhook.domain.topology import KubeletSettings

_FIELD = "cpuManagerPolicyOptions"


def find(subject: Subject) -> Iterator[Finding]:
    """Mirror CPU/policy_options.go:NewStaticPolicyOptions, for each option and then for each two."""
    settings = subject.settings
    written = settings.cpu_manager_policy_options
    if not subject.is_static:
        if written and settings.cpu_manager_policy == "none":
            message = "only the static policy takes options, and cpuManagerPolicy is none"
            yield fault((_FIELD,), message, "write cpuManagerPolicy: static, or remove the options", written)
        return
    good = []
    for name, value in written.items():
        wrong = _refusal(settings, name)
        if wrong:
            yield fault((_FIELD, name), wrong, _remedy(subject, name), value)
        else:
            good.append(name)
            if options.maturity(name, settings.version) == "alpha":
                message = (
                    f"{name} is alpha in {'.'.join(map(str, settings.version))}: it may change with the next version"
                )
                yield remark((_FIELD, name), message, "leave it out where its effect is not needed", value)
    for first, second in combinations(good, 2):
        if _refusal(settings, first, second):
            message = f"{first} and {second} exclude each other"
            yield fault((_FIELD, second), message, f"remove {first} or {second}", written[second])


def _refusal(settings: KubeletSettings, *names: str) -> str:
    """Answer what the kubelet says to these options alone, or ""."""
    chosen = {name: settings.cpu_manager_policy_options[name] for name in names}
    try:
        options.cpu_options(replace(settings, cpu_manager_policy_options=chosen))
    except options.StartupError as error:
        return str(error)
    return ""


def _remedy(subject: Subject, name: str) -> str:
    settings = subject.settings
    match options.maturity(name, settings.version):
        case None:
            close = nearest(name, options.CPU_OPTIONS)
            return f"write {close}" if close else f"write one of {', '.join(sorted(options.CPU_OPTIONS))}"
        case "alpha" if not settings.feature_gates.get(options.CPU_ALPHA_GATE, False):
            return f"{entry(subject, 'featureGates', options.CPU_ALPHA_GATE, 'true')}, or remove {name}"
        case "beta" if not settings.feature_gates.get(options.CPU_BETA_GATE, True):
            return f"remove {options.CPU_BETA_GATE}: false from featureGates, or remove {name}"
    return 'write "true" or "false"'


RULE = Rule(name="cpu-manager-option", find=find)
