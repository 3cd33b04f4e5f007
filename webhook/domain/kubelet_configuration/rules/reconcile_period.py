"""How often the kubelet puts the CPU sets of containers right."""

import re
from collections.abc import Iterator
from typing import Final

from webhook.domain.kubelet_configuration.finding import Finding
from webhook.domain.kubelet_configuration.finding import remark
from webhook.domain.kubelet_configuration.rule import Rule
from webhook.domain.kubelet_configuration.subject import Subject
from webhook.domain.raw import get_text

_FIELD = "cpuManagerReconcilePeriod"
_SECONDS: Final = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ns": 1e-9}
_PART: Final = re.compile(r"([0-9]*\.?[0-9]*)(h|ms|m|s|us|µs|μs|ns)")
_LONG: Final = 60.0
_SHORT: Final = 1.0


def find(subject: Subject) -> Iterator[Finding]:
    """Look at periods in which shared containers run on CPUs that belong to others; 0 is the default of 10 s."""
    written = get_text(subject.raw, _FIELD)
    if not written or not subject.is_static:
        return
    size = sum(float(number or 0) * _SECONDS[unit] for number, unit in _PART.findall(written))
    if written.startswith("-") or 0 < size < _SHORT:
        message = "the CPU manager never rests"
        yield remark((_FIELD,), message, "write 5s, or remove it (10s)", written)
    elif size > _LONG:
        message = "so long may containers of the shared pool run on CPUs that were given to another one"
        yield remark((_FIELD,), message, "write 10s or less, or remove it (10s)", written)


RULE = Rule(name="reconcile-period", find=find)
