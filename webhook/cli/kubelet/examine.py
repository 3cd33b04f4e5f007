"""Judges each KubeletConfiguration of a file against a version and a machine."""

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace
from operator import attrgetter

from webhook import registry
from webhook.cli.kubelet.documents import configurations
from webhook.cli.kubelet.documents import is_served
from webhook.config.document import Document
from webhook.config.document import field_text
from webhook.config.kubelet_configuration import read_kubelet_configuration
from webhook.domain.errors import PolicyError
from webhook.domain.kubelet_configuration import rules
from webhook.domain.kubelet_configuration import shape
from webhook.domain.kubelet_configuration.finding import Finding
from webhook.domain.kubelet_configuration.judge import judge
from webhook.domain.kubelet_configuration.rule import Rule
from webhook.domain.kubelet_configuration.subject import Subject
from webhook.domain.pointer import Path
from webhook.domain.topology import NodeClass
from webhook.domain.versions import Version
from webhook.sources.kubelet_versions import load_known

UNREADABLE = "unreadable-value"
"""The code of a value that is of the right kind and cannot be read all the same."""


@dataclass(frozen=True, slots=True)
class Told:
    """A finding with its field as text, and its 1-based line, 0 where there is none."""

    code: str
    fatal: bool
    field: str
    line: int
    value: str | None
    message: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Examined:
    """One configuration and what is wrong with it; `starts` is None where no machine was named to tell."""

    source: str
    version: Version
    node: str | None
    findings: tuple[Told, ...]
    document: Document

    @property
    def starts(self) -> bool | None:
        """Whether such a kubelet starts."""
        if any(one.fatal for one in self.findings):
            return False
        return True if self.node else None

    @property
    def is_readable(self) -> bool:
        """Whether its values can be read, so that there are settings to speak of."""
        return not any(one.code in {shape.CODE, UNREADABLE} for one in self.findings)


def examine(text: str, source: str, *, version: Version, node: NodeClass | None) -> tuple[Examined, ...]:
    """Judge every configuration of a text.

    Raises:
        PolicyError: the text is no YAML, or has none in it.
    """
    return tuple(
        Examined(one.source, version, node.name if node else None, _told(one, version, node), one)
        for one in configurations(text, source)
    )


def subject_of(document: Document, version: Version, node: NodeClass | None) -> Subject:
    """Read a configuration whose values are of the right kinds.

    Raises:
        PolicyError: a value cannot be read.
    """
    known = load_known(version)
    memory = sum(cell.memory for cell in node.cells) if node else None
    read = read_kubelet_configuration(document, memory=memory, version=version)
    settings = replace(read.settings, feature_gates=known.in_force(read.settings.feature_gates))
    return Subject(
        raw=document.data,
        settings=settings,
        kube_reserved=read.kube_reserved,
        system_reserved=read.system_reserved,
        eviction_hard=read.eviction_hard,
        unsure=read.unsure,
        known=known,
        node=replace(node, kubelet=settings) if node else None,
    )


def _told(document: Document, version: Version, node: NodeClass | None) -> tuple[Told, ...]:
    """Answer the findings in the order of their lines.

    Where a value cannot be read, only what looks at nothing but the text goes with it: the rest would be about another
    configuration.
    """
    chosen = registry.load(rules, "RULE", Rule)
    wrong = [] if is_served(document) else list(shape.foreign(document.data.get("apiVersion")))
    wrong += shape.unreadable(document.data, load_known(version))
    found = [*(replace(one, code=shape.CODE) for one in wrong), *shape.repeated(document.repeated)]
    unread = _unread(document, [one.path for one in wrong], version, node)
    if wrong or unread:
        blank = replace(subject_of(replace(document, data={}), version, None), raw=document.data)
        found += judge(blank, [rule for rule in chosen if rule.as_written])
    else:
        found += judge(subject_of(document, version, node), chosen)
    return _in_order([*unread, *_as_told(document, found)])


def _unread(document: Document, wrong: Sequence[Path], version: Version, node: NodeClass | None) -> list[Told]:
    """Read each value by itself, so that one that cannot be read hides no other; those of the wrong kind are known."""
    found = []
    for name, value in document.data.items():
        parts: list[tuple[Path, object]] = [((name,), value)]
        if isinstance(value, dict):
            parts = [((name, member), {member: item}) for member, item in value.items()]
        for path, alone in parts:
            if any(one[: len(path)] == path or path[: len(one)] == one for one in wrong):
                continue
            try:
                subject_of(replace(document, data={name: alone}), version, node)
            except PolicyError as error:
                message, _, remedy = error.reason.partition(": ")
                found.append(Told(UNREADABLE, True, error.field, error.line, None, message, remedy))
    return found


def _as_told(document: Document, findings: Sequence[Finding]) -> Iterator[Told]:
    for one in findings:
        yield Told(
            code=one.code,
            fatal=one.fatal,
            field=field_text(one.path),
            line=document.line(one.path) if one.path[:1] and one.path[0] in document.data else 0,
            value=one.value,
            message=one.message,
            remedy=one.remedy,
        )


def _in_order(told: Iterable[Told]) -> tuple[Told, ...]:
    return tuple(sorted(told, key=attrgetter("line", "code", "field")))
