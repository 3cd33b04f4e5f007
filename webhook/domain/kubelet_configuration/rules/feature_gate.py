"""Feature gates that this version does not know, that are locked, or that need others which are off."""

from collections.abc import Iterator

from webhook.domain.kubelet_configuration.finding import Finding
from webhook.domain.kubelet_configuration.finding import fault
from webhook.domain.kubelet_configuration.finding import remark
from webhook.domain.kubelet_configuration.known import misspelt
from webhook.domain.kubelet_configuration.rule import Rule
from webhook.domain.kubelet_configuration.subject import Subject
from webhook.domain.raw import get_object


def find(subject: Subject) -> Iterator[Finding]:
    """Mirror component-base/featuregate/feature_gate.go:SetFromMap; needs are looked at in gates that are all known."""
    written = {name: on for name, on in get_object(subject.raw, "featureGates").items() if isinstance(on, bool)}
    wrong = list(_each(subject, written))
    yield from wrong
    if not wrong:
        yield from _needs(subject, written)


def _each(subject: Subject, written: dict[str, bool]) -> Iterator[Finding]:
    known = subject.known
    version = ".".join(map(str, subject.settings.version))
    for name, on in written.items():
        path = ("featureGates", name)
        gate = known.gates.get(name)
        if gate is None and not known.exact:
            message = f"{name} is no gate of the nearest version that numagate knows"
            yield remark(path, message, f"look it up in the release notes of {version}", on)
        elif gate is None:
            close = misspelt(name, known.gates)
            remedy = f"write {close}, or remove it" if close else "remove it"
            yield fault(path, f"{name} is no feature gate of the kubelet {version}", remedy, on)
        elif gate.locked and gate.on != on:
            stays = "on" if gate.on else "off"
            yield fault(path, f"{name} is locked: it stays {stays} in {version}", "remove it", on)


def _needs(subject: Subject, written: dict[str, bool]) -> Iterator[Finding]:
    in_force = subject.known.in_force(written)
    for name, gate in subject.known.gates.items():
        if not in_force.get(name, gate.on):
            continue
        off = [other for other in gate.needs if not in_force.get(other, subject.known.gates[other].on)]
        if off:
            path = ("featureGates", name) if name in written else ("featureGates",)
            message = f"{name} is on, and does not work without {', '.join(off)}"
            yield fault(path, message, f"switch {', '.join(off)} on, or {name} off", written.get(name))


RULE = Rule(name="feature-gate", find=find)
