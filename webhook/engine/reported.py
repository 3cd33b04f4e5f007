"""Turns judgements into results: paths from the root of the document, lines of the file, text for every value."""

from collections.abc import Callable
from collections.abc import Iterable

from webhook.domain.finding import Finding
from webhook.domain.manifest import Manifest
from webhook.domain.pointer import Path
from webhook.domain.pointer import field_path
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.report import ReportedClass
from webhook.domain.report import ReportedEdit
from webhook.domain.report import ReportedFinding
from webhook.domain.report import Result
from webhook.engine import messages
from webhook.engine.decision import Outcome
from webhook.engine.judge import Judgement
from webhook.engine.readiness import Gate


def as_it_is(path: Path) -> Path:
    """Answer `path`: the place of what is no template but the object itself."""
    return path


def name_of(manifest: Manifest) -> str:
    """Answer the name of the object, or the prefix of the names it will get."""
    metadata = get_object(manifest.content, "metadata")
    return get_text(metadata, "name") or get_text(metadata, "generateName")


def result(
    manifest: Manifest,
    *,
    namespace: str,
    root: Path,
    outcome: Outcome,
    findings: Iterable[Finding],
    judgement: Judgement | None = None,
    place: Callable[[Path], Path] = as_it_is,
    beside: Iterable[Finding] = (),
    pods: int | None = None,
    gate: Gate | None = None,
) -> Result:
    """Report on the part of `manifest` at `root`; `place` turns paths inside the pod into paths inside the object.

    Findings `beside` are about the object and carry its own paths already. `pods` is how many it makes, if it says so.
    """
    return Result(
        file=manifest.file,
        document=manifest.document,
        line=manifest.positions.at(root),
        kind=get_text(manifest.content, "kind"),
        name=name_of(manifest),
        namespace=namespace,
        path=field_path((*manifest.place, *root)),
        decision=outcome.value,
        level=str(judgement.level) if judgement else None,
        qos=judgement.qos.value if judgement else None,
        classes=_classes(judgement) if judgement else (),
        findings=(
            *(_finding(manifest, finding, finding.path) for finding in beside),
            *(_finding(manifest, finding, place(finding.path)) for finding in findings),
        ),
        edits=tuple(_edits(manifest, place, judgement)) if judgement else (),
        pods=pods,
        readiness_gate=gate.value if gate else None,
    )


def _classes(judgement: Judgement) -> tuple[ReportedClass, ...]:
    return tuple(
        ReportedClass(
            name=verdict.name,
            fits=verdict.fits,
            fits_after_repair=verdict.fits_after_repair,
            reason=verdict.reason,
            nodes=verdict.nodes,
        )
        for verdict in judgement.classes
    )


def _finding(manifest: Manifest, finding: Finding, path: Path) -> ReportedFinding:
    return ReportedFinding(
        code=finding.code,
        severity=finding.severity.value,
        path=field_path((*manifest.place, *path)),
        line=manifest.positions.at(path),
        container=finding.container,
        message=messages.told(finding),
        actual=finding.actual,
        wanted=finding.wanted,
    )


def _edits(manifest: Manifest, place: Callable[[Path], Path], judgement: Judgement) -> Iterable[ReportedEdit]:
    told: set[Path] = set()
    for edit in judgement.edits:
        path = place(edit.path)
        if path in told:  # one field of an operator's own stands for request and limit
            continue
        told.add(path)
        yield ReportedEdit(
            path=field_path((*manifest.place, *path)),
            line=manifest.positions.at(path),
            old=edit.old,
            new=edit.new,
            note=edit.cure or edit.note,
        )
