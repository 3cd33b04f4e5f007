"""Fields that the kubelet does not know: it logs a warning and goes on without them, so that a typo changes nothing."""

from collections.abc import Iterator
from typing import Final

from webhook.domain.kubelet_configuration.finding import Finding
from webhook.domain.kubelet_configuration.finding import remark
from webhook.domain.kubelet_configuration.known import misspelt
from webhook.domain.kubelet_configuration.rule import Rule
from webhook.domain.kubelet_configuration.subject import Subject

_ENVELOPE: Final = frozenset({"apiVersion", "kind"})


def find(subject: Subject) -> Iterator[Finding]:
    """Mirror kubeletconfig/util/codec:DecodeKubeletConfiguration, which reads leniently where strictly fails."""
    version = ".".join(map(str, subject.settings.version))
    for name, value in subject.raw.items():
        if name in subject.known.fields or name in _ENVELOPE or value is None:
            continue
        close = misspelt(name, subject.known.fields)
        message = f"{name} is no field that the kubelet {version} knows: it is ignored"
        yield remark((name,), message, f"write {close}, or remove it" if close else "remove it", value)


RULE = Rule(name="unknown-field", find=find, as_written=True)
