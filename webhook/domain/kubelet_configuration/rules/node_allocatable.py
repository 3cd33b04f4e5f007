"""What enforceNodeAllocatable may hold, and what it needs beside it."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from webhook.domain.kubelet_configuration.finding import Finding
from webhook.domain.kubelet_configuration.finding import fault
from webhook.domain.kubelet_configuration.known import nearest
from webhook.domain.kubelet_configuration.rule import Rule
from webhook.domain.kubelet_configuration.subject import Subject
from webhook.domain.raw import get_text
from webhook.domain.raw import get_texts

_FIELD = "enforceNodeAllocatable"
_PODS, _NONE = "pods", "none"
_COMPRESSIBLE: Final = "-compressible"
_GROUPS: Final = {"system-reserved": "systemReservedCgroup", "kube-reserved": "kubeReservedCgroup"}
_WORDS: Final = (_PODS, _NONE, *_GROUPS, *(name + _COMPRESSIBLE for name in _GROUPS))


def find(subject: Subject) -> Iterator[Finding]:
    """Mirror pkg/kubelet/apis/config/validation/validation.go:ValidateKubeletConfiguration, as far as cgroups go."""
    written = get_texts(subject.raw, _FIELD) if isinstance(subject.raw.get(_FIELD), list) else (_PODS,)
    for name in _GROUPS:
        if name in written and name + _COMPRESSIBLE in written:
            message = f"{name} and {name}{_COMPRESSIBLE} exclude each other"
            yield fault((_FIELD,), message, f"remove {name} or {name}{_COMPRESSIBLE}", written)
    for name, times in Counter(written).items():
        if times > 1:
            yield fault((_FIELD,), f"{name} is written {times} times", "write it once", name)
        yield from _each(subject, name, alone=len(written) == 1)


def _each(subject: Subject, name: str, *, alone: bool) -> Iterator[Finding]:
    if name not in _WORDS:
        close = nearest(name, _WORDS)
        yield fault((_FIELD,), f'"{name}" is none of {", ".join(_WORDS)}', f"write {close or _PODS}", name)
        return
    if name == _NONE:
        if not alone:
            yield fault((_FIELD,), "none stands alone", "remove none, or everything else", name)
        return
    group = _GROUPS.get(name.removesuffix(_COMPRESSIBLE))
    if group and not get_text(subject.raw, group):
        yield fault((group,), f"{_FIELD} has {name}, which needs {group}", f"add {group}, or remove {name}")
    if subject.raw.get("cgroupsPerQOS") is False:
        message = f"{name} in {_FIELD} needs the cgroups of pods"
        yield fault(("cgroupsPerQOS",), message, f"remove cgroupsPerQOS: false, or write {_FIELD}: [none]", value=False)


RULE = Rule(name="node-allocatable", find=find)
