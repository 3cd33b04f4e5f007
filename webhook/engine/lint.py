"""Judges the objects of manifests as the API server would have them judged, one result per pod template."""

from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace

from webhook.domain import keys
from webhook.domain.errors import InputError
from webhook.domain.finding import Finding
from webhook.domain.finding import Severity
from webhook.domain.levels import Level
from webhook.domain.levels import Modes
from webhook.domain.manifest import Manifest
from webhook.domain.pod_location import PodLocation
from webhook.domain.pointer import field_path
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.report import ReadError
from webhook.domain.report import Report
from webhook.domain.report import Result
from webhook.domain.workload import Workload
from webhook.engine import completed
from webhook.engine import level_label
from webhook.engine import limit_range
from webhook.engine import namespace_levels
from webhook.engine import pod_shapes
from webhook.engine import promise
from webhook.engine import reported
from webhook.engine import runtimes
from webhook.engine.decision import Outcome
from webhook.engine.exempt import is_exempt_namespace
from webhook.engine.exempt import why_pod_exempt
from webhook.engine.judge import Judgement
from webhook.engine.judge import as_refused
from webhook.engine.judge import judge_pod
from webhook.engine.kinds import kinds_of
from webhook.engine.kinds import workload_of
from webhook.engine.limit_range import ContainerDefaults
from webhook.engine.pod_shapes import Shape
from webhook.engine.runtimes import Runtimes
from webhook.engine.world import World

UNKNOWN_KIND = "unknown-kind"
MISSING_TEMPLATE = "missing-pod-template"
EXEMPT = "exempt"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the judgement of one object draws from the others: labels, LimitRanges and runtimes by namespace."""

    world: World
    workloads: Sequence[Workload]
    default_namespace: str
    labels: Mapping[str, Mapping[str, str]]
    limits: Mapping[str, Sequence[ContainerDefaults]]
    lent: Runtimes

    def namespace(self, manifest: Manifest) -> str:
        """Answer the namespace that the object goes to."""
        return get_text(get_object(manifest.content, "metadata"), "namespace") or self.default_namespace

    def workload(self, manifest: Manifest) -> Workload | None:
        """Find the kind of workload that the object is, None where its kind is not known."""
        group, _, version = get_text(manifest.content, "apiVersion").rpartition("/")
        return workload_of(group, version, get_text(manifest.content, "kind"), self.workloads)

    def locate(self, manifest: Manifest, workload: Workload) -> list[PodLocation]:
        """Answer the pods of the object, completed by the runtimes that it names."""
        namespace = self.namespace(manifest)
        found = workload.locate(manifest.content)
        return [runtimes.complete(one, workload.group, namespace, self.lent) for one in found]

    def modes(self, namespace: str) -> Modes:
        """Answer the policy's modes there, raised by the labels of a Namespace document."""
        modes = self.world.policy.modes_for(namespace)
        return namespace_levels.raise_levels(modes, self.labels.get(namespace, {}))


def lint(
    manifests: Sequence[Manifest],
    errors: Sequence[InputError],
    *,
    files: int,
    world: World,
    workloads: Sequence[Workload],
    default_namespace: str,
) -> Report:
    """Judge every object of `manifests`, in their order; `errors` and `files` are what reading them gave."""
    surroundings = survey(manifests, world, workloads, default_namespace)
    results: list[Result] = []
    ignored = 0
    for manifest in manifests:
        found = list(_results(manifest, surroundings))
        results += found
        ignored += not found
    return Report(
        policy=world.policy.name,
        assumed=tuple(node_class.name for node_class in world.classes if node_class.assumed),
        files=files,
        results=tuple(results),
        errors=tuple(ReadError(error.file, error.document, error.line, error.reason) for error in errors),
        ignored=ignored,
    )


def survey(
    manifests: Sequence[Manifest], world: World, workloads: Sequence[Workload], default_namespace: str
) -> Surroundings:
    """Gather what the judgement of one object draws from the others."""
    labels: dict[str, Mapping[str, str]] = {}
    limits: dict[str, list[ContainerDefaults]] = {}
    workloads = kinds_of((world.policy,), workloads)
    lent = runtimes.gather(manifests, workloads, default_namespace)
    around = Surroundings(world, workloads, default_namespace, labels, limits, lent)
    for manifest in manifests:
        match type_of(manifest):
            case ("v1", "Namespace"):
                labels[reported.name_of(manifest)] = namespace_levels.labels_of(manifest.content)
            case ("v1", "LimitRange"):
                limits.setdefault(around.namespace(manifest), []).append(limit_range.read(manifest.content))
    return around


def _results(manifest: Manifest, around: Surroundings) -> Iterator[Result]:
    if type_of(manifest) == ("v1", "Namespace"):
        yield from _namespace(manifest, around)
        return
    workload = around.workload(manifest)
    if workload is None:
        for shape in pod_shapes.find(manifest.content, around.world.policy.accelerators):
            yield _unknown(manifest, shape, around)
        return
    locations = around.locate(manifest, workload)
    labelled = tuple(level_label.find(workload, manifest.content))
    for location in locations:
        shape = pod_shapes.of(location)
        yield _known(manifest, shape, around, labelled if location is locations[0] else ())
    if not locations and not workload.is_elsewhere(manifest.content):
        yield _without_template(manifest, workload, around)


def _known(manifest: Manifest, shape: Shape, around: Surroundings, labelled: tuple[Finding, ...]) -> Result:
    """Judge one template; `labelled` are findings about the object around it, told with its first template."""
    judgement, namespace = _judge(manifest, shape, around), around.namespace(manifest)
    reason = why_exempt(shape, namespace, around.world)
    if reason:
        judgement = replace(judgement, governed=False, edits=())
    own = (*labelled, *_forged(judgement, shape, around, namespace))
    outcome, findings = judgement.outcome, as_refused(judgement)
    if reason and outcome is not Outcome.SKIP:
        outcome, findings = Outcome.SKIP, (Finding(EXEMPT, Severity.WARNING, Level.NONE, ("spec",), reason),)
    if own and not is_exempt_namespace(namespace, around.world):
        outcome = Outcome.WARN if around.modes(namespace).enforce is Level.NONE else Outcome.DENY
    return reported.result(
        manifest,
        namespace=namespace,
        root=shape.root,
        place=shape.place,
        outcome=outcome,
        findings=findings,
        judgement=judgement,
        beside=own,
        pods=shape.location.pods if shape.location else None,
    )


def _forged(judgement: Judgement, shape: Shape, around: Surroundings, namespace: str) -> Iterator[Finding]:
    """Find what a pod claims of itself and the server would refuse; where it repairs, it overwrites the annotation."""
    repairing = around.modes(namespace).repair is not Level.NONE
    if shape.root == ("spec",):
        for finding in promise.forged(judgement, around.world.policy, repairing=repairing):
            if finding.code == "forged-level" or (finding.code == "forged-promise" and not repairing):
                yield finding


def why_exempt(shape: Shape, namespace: str, world: World) -> str | None:
    """Say why the pods of this template are not judged; who will create them is not known here."""
    if is_exempt_namespace(namespace, world):
        return f"namespace {namespace} is exempt: its pods are neither repaired nor refused"
    if why_pod_exempt(shape.pod or {}, world):
        return f"exempt by its annotation {keys.EXEMPT}: such pods are neither repaired nor refused"
    return None


def type_of(manifest: Manifest) -> tuple[str, str]:
    """Answer apiVersion and kind."""
    return get_text(manifest.content, "apiVersion"), get_text(manifest.content, "kind")


def _judge(manifest: Manifest, shape: Shape, around: Surroundings) -> Judgement:
    """Judge the pod with what LimitRanges fill in; QoS class and level are those of the pod as written."""
    namespace, world = around.namespace(manifest), around.world
    modes = around.modes(namespace)
    written = shape.pod or {}
    filled = limit_range.apply(written, around.limits.get(namespace, ()))
    judgement = judge_pod(filled, world, modes=modes)
    if shape.location is not None:
        judgement = completed.soften(judgement, shape.location)
    if filled is written:
        return judgement
    as_written = judge_pod(written, world, modes=modes)
    return replace(judgement, qos=as_written.qos, level=as_written.level)


def _namespace(manifest: Manifest, around: Surroundings) -> Iterator[Result]:
    """Yield a result for a Namespace only if one of its level labels has no effect."""
    modes = around.world.policy.modes_for(reported.name_of(manifest))
    findings = tuple(namespace_levels.find(modes, namespace_levels.labels_of(manifest.content)))
    if findings:
        invalid = any(finding.severity is Severity.INVALID for finding in findings)
        outcome = Outcome.INVALID if invalid else Outcome.WARN
        yield reported.result(
            manifest,
            namespace=reported.name_of(manifest),
            root=("metadata", "labels"),
            outcome=outcome,
            findings=findings,
        )


def _unknown(manifest: Manifest, shape: Shape, around: Surroundings) -> Result:
    """What an unknown kind makes of its pods is a guess, so it is never called fine, whatever the guess says."""
    version, kind = type_of(manifest)
    judgement = _judge(manifest, shape, around) if shape.pod is not None else None
    what = f"{kind or 'an object without a kind'} ({version or 'without apiVersion'})"
    known = _other_version(version, kind, around.workloads)
    if known is not None:
        message = f"{what} is not served: write {known.group}{'/' if known.group else ''}{known.versions[0]}"
    elif judgement is None:
        message = f"{what} is not a known kind, and asks for devices in words of its own: lint the pods made of it"
    else:
        message = (
            f"{what} is not a known kind: taken for a pod, this part would be {judgement.outcome.value}; "
            "lint the pods made of it"
        )
    finding = Finding(UNKNOWN_KIND, Severity.WARNING, Level.NONE, ("spec",), message)
    findings = (finding, *(as_refused(judgement) if judgement else ()))
    return reported.result(
        manifest,
        namespace=around.namespace(manifest),
        root=shape.root,
        place=shape.place,
        outcome=Outcome.UNKNOWN,
        findings=findings,
        judgement=judgement,
    )


def _other_version(version: str, kind: str, workloads: Sequence[Workload]) -> Workload | None:
    """Find the kind in another version; built-in kinds have lain in other groups, none of which has a dot."""
    group = version.rpartition("/")[0]
    for workload in workloads:
        if workload.kind == kind and (workload.group == group or not ("." in workload.group or "." in group)):
            return workload
    return None


def _without_template(manifest: Manifest, workload: Workload, around: Surroundings) -> Result:
    if not workload.required:
        return reported.result(
            manifest,
            namespace=around.namespace(manifest),
            root=(),
            outcome=Outcome.WARN,
            findings=(completed.unseen(),),
            place=lambda _: (),
        )
    path = (*workload.pods[0].base, "spec")
    message = f"{workload.kind} without {field_path(path)}: the API server refuses it, write the pod there"
    finding = Finding(MISSING_TEMPLATE, Severity.INVALID, Level.NONE, path, message)
    return reported.result(
        manifest, namespace=around.namespace(manifest), root=path, outcome=Outcome.INVALID, findings=(finding,)
    )
