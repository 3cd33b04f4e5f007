"""Policies and scopes that no kubelet has: their names are told apart by capitals, `static` and `Static`."""

from collections.abc import Iterator
from typing import Final

from webhook.domain.kubelet_configuration.finding import Finding
from webhook.domain.kubelet_configuration.finding import fault
from webhook.domain.kubelet_configuration.known import nearest
from webhook.domain.kubelet_configuration.rule import Rule
from webhook.domain.kubelet_configuration.subject import Subject
from webhook.domain.raw import get_text

_WORDS: Final = {
    "cpuManagerPolicy": ("none", "static"),
    "memoryManagerPolicy": ("None", "Static"),
    "topologyManagerPolicy": ("none", "best-effort", "restricted", "single-numa-node"),
    "topologyManagerScope": ("container", "pod"),
}


def find(subject: Subject) -> Iterator[Finding]:
    """Mirror the constructors of the managers, and pkg/kubelet/apis/config/validation; "" is the default."""
    for field, words in _WORDS.items():
        value = get_text(subject.raw, field)
        if not value or value in words:
            continue
        if field == "memoryManagerPolicy" and value == "BestEffort":
            yield fault((field,), "BestEffort is for Windows only", "write Static", value)
            continue
        close = nearest(value, words)
        known = ", ".join(f'"{word}"' for word in words)
        remedy = f"write {close}" if close else f"write one of {', '.join(words)}"
        message = f"this is not one of: {known} (capitals matter)"
        yield fault((field,), message, remedy, value)


RULE = Rule(name="unknown-policy", find=find, as_written=True)
