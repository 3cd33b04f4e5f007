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
from webhook.domain.manifest import Manifest
from webhook.domain.pod_location import PodLocation
from webhook.domain.pointer import field_path
from webhook.domain.policy import accelerators_of_all
from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.report import ReadError
from webhook.domain.report import Report
from webhook.domain.report import Result
from webhook.domain.workload import Workload
from webhook.engine import claim_survey
from webhook.engine import completed
from webhook.engine import exempt
from webhook.engine import level_label
from webhook.engine import limit_range
from webhook.engine import namespace_levels
from webhook.engine import pod_shapes
from webhook.engine import promise
from webhook.engine import readiness
from webhook.engine import reported
from webhook.engine import runtimes
from webhook.engine.decision import Outcome
from webhook.engine.exempt import Exemption
from webhook.engine.injection import with_signs_of
from webhook.engine.judge import Judgement
from webhook.engine.judge import as_refused
from webhook.engine.judge import judge_pod
from webhook.engine.kinds import kinds_of
from webhook.engine.kinds import workload_of
from webhook.engine.limit_range import ContainerDefaults
from webhook.engine.pod_shapes import Shape
from webhook.engine.ruling import Ruling
from webhook.engine.ruling import may_match_in
from webhook.engine.ruling import rule
from webhook.engine.runtimes import Runtimes
from webhook.engine.world import World

UNKNOWN_KIND = "unknown-kind"
MISSING_TEMPLATE = "missing-pod-template"
EXEMPT = "exempt"
UNGOVERNED = "no-policy"
UNANSWERED = "unanswered-gate"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the judgement of one object draws from the others: LimitRanges by namespace, labels in the world's.

    `lent` are the serving runtimes among them.
    """

    world: World
    workloads: Sequence[Workload]
    default_namespace: str
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

    def filled(self, pod: JsonObject, namespace: str) -> JsonObject:
        """Answer the pod with what the LimitRanges of its namespace fill in."""
        return limit_range.apply(pod, self.limits.get(namespace, ()))


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
        policy=", ".join(policy.name for policy in world.policies),
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
    labels = dict(world.namespaces)
    limits: dict[str, list[ContainerDefaults]] = {}
    workloads = kinds_of(world.policies, workloads)
    lent = runtimes.gather(manifests, workloads, default_namespace)
    around = Surroundings(replace(world, namespaces=labels), workloads, default_namespace, limits, lent)
    for manifest in manifests:
        match type_of(manifest):
            case ("v1", "Namespace"):
                labels[reported.name_of(manifest)] = namespace_levels.labels_of(manifest.content)
            case ("v1", "LimitRange"):
                limits.setdefault(around.namespace(manifest), []).append(limit_range.read(manifest.content))
    claims = claim_survey.catalogued(((around.namespace(one), one.content) for one in manifests), world.claims)
    return replace(around, world=replace(around.world, claims=claims))


def _results(manifest: Manifest, around: Surroundings) -> Iterator[Result]:
    if type_of(manifest) == ("v1", "Namespace"):
        yield from _namespace(manifest, around)
        return
    workload = around.workload(manifest)
    if workload is None:
        for shape in pod_shapes.find(manifest.content, accelerators_of_all(around.world.policies)):
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
    namespace, pod = around.namespace(manifest), with_signs_of(manifest.content, shape.pod or {})
    ruling = rule(pod, namespace, around.world)
    if ruling is None:
        return _ungoverned(manifest, shape, namespace)
    judgement = _judge(pod, ruling, around, shape.location)
    exemption = exempt.why_exempt_always(namespace, around.world.own_namespace) or exempt.why_exempt(pod, ruling)
    reason = _said(exemption or exempt.why_pod_exempt(pod, ruling), namespace)
    if reason:
        judgement = replace(judgement, governed=False, edits=())
    own = (*labelled, *_forged(judgement, shape, ruling))
    outcome, findings = judgement.outcome, as_refused(judgement)
    if reason and outcome is not Outcome.SKIP:
        outcome, findings = Outcome.SKIP, (Finding(EXEMPT, Severity.WARNING, Level.NONE, ("spec",), reason),)
    elif judgement.subject.accelerators:
        findings = (*findings, *exempt.ineffective(pod, ruling))
    if exemption is None and readiness.is_unanswered(judgement):
        findings = (*findings, _unanswered())
    if own and exemption is None:
        outcome = Outcome.WARN if ruling.modes.enforce is Level.NONE else Outcome.DENY
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
        gate=readiness.state(judgement, ruling.policy) if ruling.modes.repair is not Level.NONE else None,
    )


def _unanswered() -> Finding:
    path = ("spec", "readinessGates")
    return Finding(UNANSWERED, Severity.WARNING, Level.NONE, path, readiness.UNANSWERED)


def _ungoverned(manifest: Manifest, shape: Shape, namespace: str) -> Result:
    message = f"no policy matches these pods in namespace {namespace}: they are neither judged nor repaired"
    finding = Finding(UNGOVERNED, Severity.WARNING, Level.NONE, ("spec",), message)
    return reported.result(
        manifest,
        namespace=namespace,
        root=shape.root,
        place=shape.place,
        outcome=Outcome.SKIP,
        findings=(finding,),
    )


def _forged(judgement: Judgement, shape: Shape, ruling: Ruling) -> Iterator[Finding]:
    """Find what a pod claims of itself and the server would refuse; where it repairs, it overwrites the annotation."""
    repairing = ruling.modes.repair is not Level.NONE
    if shape.root == ("spec",):
        for finding in promise.forged(judgement, ruling.policy, repairing=repairing):
            if finding.code == "forged-level" or (finding.code == "forged-promise" and not repairing):
                yield finding


def why_exempt(pod: JsonObject, ruling: Ruling, around: Surroundings) -> str | None:
    """Say why the pods of this template are not judged; who will create them is not known here."""
    always = exempt.why_exempt_always(ruling.namespace, around.world.own_namespace)
    return _said(always or exempt.why_exempt(pod, ruling) or exempt.why_pod_exempt(pod, ruling), ruling.namespace)


def _said(exemption: Exemption | None, namespace: str) -> str | None:
    match exemption:
        case None:
            return None
        case Exemption(by="pod"):
            return f"exempt by its annotation {keys.EXEMPT}: such pods are neither repaired nor refused"
        case Exemption(by="namespace" | "always"):
            what = f"namespace {namespace} is exempt"
        case _:
            what = f"exempt by {exemption.by}"
    return f"{what}: its pods are neither repaired nor refused ({exemption.reason})"


def type_of(manifest: Manifest) -> tuple[str, str]:
    """Answer apiVersion and kind."""
    return get_text(manifest.content, "apiVersion"), get_text(manifest.content, "kind")


def _judge(written: JsonObject, ruling: Ruling, around: Surroundings, location: PodLocation | None) -> Judgement:
    """Judge the pod with what LimitRanges fill in; QoS class and level are those of the pod as written."""
    filled = around.filled(written, ruling.namespace)
    judgement = judge_pod(filled, ruling)
    if location is not None:
        judgement = completed.soften(judgement, location)
    if filled is written:
        return judgement
    as_written = judge_pod(written, ruling)
    return replace(judgement, qos=as_written.qos, level=as_written.level)


def _namespace(manifest: Manifest, around: Surroundings) -> Iterator[Result]:
    """Yield a result for a Namespace only if one of its level labels has no effect."""
    name = reported.name_of(manifest)
    labels = namespace_levels.labels_of(manifest.content)
    governing = next((one for one in around.world.policies if may_match_in(one.match, name, labels)), None)
    if governing is None:
        return
    findings = tuple(namespace_levels.find(governing.modes_for(name), labels, governing.overrides))
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
    pod = with_signs_of(manifest.content, shape.pod) if shape.pod is not None else None
    ruling = rule(pod or {}, around.namespace(manifest), around.world)
    judgement = _judge(pod, ruling, around, None) if pod is not None and ruling is not None else None
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
