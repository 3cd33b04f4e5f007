"""Hard eviction thresholds that cannot be read; the one for memory is part of what is reserved."""

import re
from collections.abc import Iterator
from typing import Final

from webhook.domain.kubelet_configuration.finding import Finding
from webhook.domain.kubelet_configuration.finding import fault
from webhook.domain.kubelet_configuration.finding import remark
from webhook.domain.kubelet_configuration.known import nearest
from webhook.domain.kubelet_configuration.remedies import entry
from webhook.domain.kubelet_configuration.rule import Rule
from webhook.domain.kubelet_configuration.subject import Subject
from webhook.domain.quantity import Quantity
from webhook.domain.quantity import QuantityError

_FIELD = "evictionHard"
_MEMORY: Final = "memory.available"
_SIGNALS: Final = (
    "allocatableMemory.available",
    "containerfs.available",
    "containerfs.inodesFree",
    "imagefs.available",
    "imagefs.inodesFree",
    _MEMORY,
    "nodefs.available",
    "nodefs.inodesFree",
    "pid.available",
)
_PERCENT: Final = re.compile(r"([+-]?)([0-9]+\.?[0-9]*|\.[0-9]+)%+")
_WHOLE: Final = 100


def find(subject: Subject) -> Iterator[Finding]:
    """Mirror pkg/kubelet/eviction/helpers.go:parseThresholdStatement."""
    for signal, text in subject.eviction_hard.items():
        if signal not in _SIGNALS:
            close = nearest(signal, _SIGNALS)
            remedy = f"write {close}" if close else f"write one of {', '.join(_SIGNALS)}"
            yield fault((_FIELD, signal), f"{signal} is no eviction signal", remedy, text)
        elif not _readable(text):
            message = f'"{text}" is no threshold'
            yield fault((_FIELD, signal), message, "write an amount above 0, such as 100Mi, or a percentage", text)
    if _MEMORY not in subject.eviction_hard:
        message = f"without {_MEMORY} nothing is evicted before the node is out of memory"
        # The threshold is a part of the sum that reservedMemory has to equal.
        rest = ", and 100Mi less of memory in systemReserved" if subject.pins_memory else ""
        yield remark((_FIELD, _MEMORY), message, entry(subject, _FIELD, _MEMORY, "100Mi") + rest)


def _readable(text: str) -> bool:
    if text.endswith("%"):
        found = _PERCENT.fullmatch(text)
        return found is not None and 0 <= float(found[1] + found[2]) <= _WHOLE
    try:
        return Quantity.parse(text).sign > 0
    except QuantityError:
        return False


RULE = Rule(name="eviction-threshold", find=find)
