"""Explains where the pods of manifests land on each node class, and why."""

from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass

from webhook.domain import stranded
from webhook.domain.check import Subject
from webhook.domain.drawing import draw
from webhook.domain.errors import InputError
from webhook.domain.facts import read
from webhook.domain.finding import Finding
from webhook.domain.finding import Severity
from webhook.domain.fit import ClassFit
from webhook.domain.fit import Fits
from webhook.domain.kubelet.trace import trace
from webhook.domain.manifest import Manifest
from webhook.domain.pod import Container
from webhook.domain.policy import accelerators_of_all
from webhook.domain.quantity import Quantity
from webhook.domain.replicas import replicas_on_empty
from webhook.domain.report import ReadError
from webhook.domain.resources import MEMORY
from webhook.domain.scheduling import why_ineligible
from webhook.domain.topology import NodeClass
from webhook.domain.workload import Workload
from webhook.engine import completed
from webhook.engine import lint
from webhook.engine import pod_shapes
from webhook.engine import reported
from webhook.engine import suggest
from webhook.engine.decision import Outcome
from webhook.engine.explanation import ExplainedClass
from webhook.engine.explanation import ExplainedContainer
from webhook.engine.explanation import ExplainedTemplate
from webhook.engine.explanation import Explanation
from webhook.engine.explanation import Skipped
from webhook.engine.judge import Judgement
from webhook.engine.judge import as_refused
from webhook.engine.judge import judge_pod
from webhook.engine.messages import told
from webhook.engine.pod_shapes import Shape
from webhook.engine.ruling import NO_POLICY
from webhook.engine.ruling import rule
from webhook.engine.subject import gather
from webhook.engine.world import World

NO_PODS = "holds no pods"
NO_ACCELERATOR = "asks for no accelerator"
_CLAIMS = "gets its devices by resource claims, whose NUMA nodes are not known here"
_UNSEEN = "leaves the resources of its pods to its operator: explain the pods made of it"
_OWN_WORDS = "asks for devices in words of its own: explain the pods made of it"


@dataclass(frozen=True, slots=True)
class _Context:
    """What one run explains with."""

    around: lint.Surroundings
    as_written: bool

    @property
    def world(self) -> World:
        """The policy and the node classes."""
        return self.around.world


def explain(
    manifests: Sequence[Manifest],
    errors: Sequence[InputError],
    *,
    files: int,
    world: World,
    workloads: Sequence[Workload],
    default_namespace: str,
    as_written: bool = False,
) -> Explanation:
    """Explain every pod template of `manifests`, in their order: as it is after repair, or `as_written`.

    `errors` and `files` are what reading the manifests gave.
    """
    context = _Context(lint.survey(manifests, world, workloads, default_namespace), as_written)
    found = [one for manifest in manifests for one in _explain(manifest, context)]
    return Explanation(
        policy=", ".join(policy.name for policy in world.policies),
        assumed=tuple(node_class.name for node_class in world.classes if node_class.assumed),
        files=files,
        templates=tuple(one for one in found if isinstance(one, ExplainedTemplate)),
        skipped=tuple(one for one in found if isinstance(one, Skipped)),
        errors=tuple(ReadError(error.file, error.document, error.line, error.reason) for error in errors),
    )


def _explain(manifest: Manifest, context: _Context) -> Iterator[ExplainedTemplate | Skipped]:
    workload = context.around.workload(manifest)
    if workload is None:
        shapes = list(pod_shapes.find(manifest.content, accelerators_of_all(context.world.policies)))
    else:
        shapes = [pod_shapes.of(location) for location in context.around.locate(manifest, workload)]
    for shape in shapes:
        if shape.pod is None:
            yield _skipped(manifest, _OWN_WORDS, shape)
        else:
            yield _template(manifest, shape, context, known=workload is not None)
    if not shapes:
        yield _skipped(manifest, NO_PODS)


def _skipped(manifest: Manifest, reason: str, shape: Shape | None = None) -> Skipped:
    return Skipped(
        file=manifest.file,
        document=manifest.document,
        line=manifest.positions.at(shape.root if shape else ()),
        kind=lint.type_of(manifest)[1],
        name=reported.name_of(manifest),
        reason=reason,
    )


def _template(manifest: Manifest, shape: Shape, context: _Context, *, known: bool) -> ExplainedTemplate | Skipped:
    namespace, world = context.around.namespace(manifest), context.world
    ruling = rule(shape.pod or {}, namespace, world)
    if ruling is None:
        return _skipped(manifest, NO_POLICY, shape)
    pod = context.around.filled(shape.pod or {}, namespace)
    judgement = judge_pod(pod, ruling)
    if shape.location is not None:
        judgement = completed.soften(judgement, shape.location)
    exempt = lint.why_exempt(shape.pod or {}, ruling, context.around)
    repaired = bool(judgement.edits) and not context.as_written and exempt is None
    subject = judgement.subject if repaired else gather(read(pod), ruling.policy, ruling.classes, ruling.claims)
    if not subject.accelerators and judgement.outcome is not Outcome.INVALID:
        return _skipped(manifest, _why_nothing(subject, shape), shape)
    readable = judgement.outcome is not Outcome.INVALID
    pods = shape.location.pods if shape.location else None
    return ExplainedTemplate(
        result=reported.result(
            manifest,
            namespace=namespace,
            root=shape.root,
            place=shape.place,
            outcome=Outcome.SKIP if exempt else judgement.outcome,
            findings=as_refused(judgement),
            judgement=judgement,
            pods=pods,
        ),
        repaired=repaired,
        qos=subject.facts.qos.value,
        because=tuple(map(_said, judgement.remaining)) if readable and exempt is None else (),
        containers=tuple(map(_container, subject.facts.containers)),
        classes=tuple(_class(subject, fit, judgement, world.classes, pods) for fit in subject.fits) if readable else (),
        ineligible=_ineligible(subject, world.classes) if readable else {},
        notes=tuple(_notes(judgement, subject, exempt, known=known, repaired=repaired)),
    )


def _why_nothing(subject: Subject, shape: Shape) -> str:
    """Say why there is nothing to place."""
    if shape.location is not None and shape.location.unseen:
        return _UNSEEN
    return _CLAIMS if subject.facts.claims else NO_ACCELERATOR


def _said(finding: Finding) -> str:
    return f"container {finding.container}: {told(finding)}" if finding.container else told(finding)


def _container(container: Container) -> ExplainedContainer:
    requests = {name: str(quantity) for name, quantity in container.requests.items()}
    return ExplainedContainer(container.name, container.kind.value, requests)


def _class(
    subject: Subject, fit: ClassFit, judgement: Judgement, classes: Sequence[NodeClass], pods: int | None
) -> ExplainedClass:
    node_class, facts = fit.node_class, subject.facts
    traced = trace(facts, node_class)
    admission = traced.admission
    words = f"{admission.reason}: {admission.message}" if admission.message else str(admission.reason)
    return ExplainedClass(
        name=node_class.name,
        assumed=node_class.assumed,
        settings=_settings(node_class),
        kubelet="admitted" if admission.admitted else words,
        handler=admission.handler,
        fits=fit.fits,
        reason=fit.reason or fit.uneven,
        replicas=replicas_on_empty(facts, node_class, subject.accelerators, subject.numa_nodes),
        pods=pods,
        stranded=_stranded(subject, fit),
        shapes=_shapes(subject, judgement.told, node_class, classes),
        trace=traced,
        drawing=draw(node_class, admission),
    )


def _shapes(
    subject: Subject, told: Subject, node_class: NodeClass, classes: Sequence[NodeClass]
) -> tuple[suggest.Suggestion, ...]:
    """Answer what fits instead; of a pod that lacks other things too, as a refusal says it: with those mended."""
    found = (suggest.shapes(suggest.misfit_of(one, classes), node_class) for one in (subject, told))
    return next(filter(None, found), ())


def _stranded(subject: Subject, fit: ClassFit) -> str:
    """Say what stays idle on a NUMA node beside as many pods as it takes; one pod for several is meant to fill them."""
    if fit.fits is Fits.NO or subject.numa_nodes > 1:
        return ""
    found = stranded.find(subject.facts, fit.node_class, subject.accelerators)
    if found is None:
        return ""
    left, of = (Quantity.of_bytes(number) if found.native == MEMORY else number for number in (found.left, found.room))
    native = "memory" if found.native == MEMORY else "CPUs"
    stay = "stays" if found.idle == 1 else "stay"
    return (
        f"{found.idle} of {found.devices} {found.resource} {stay} idle on a NUMA node with {left} of {of} {native} left"
    )


def _settings(node_class: NodeClass) -> Mapping[str, str]:
    kubelet = node_class.kubelet
    cpu, topology = kubelet.cpu_manager_policy_options, kubelet.topology_manager_policy_options
    gates = ", ".join(f"{name}={str(on).lower()}" for name, on in kubelet.feature_gates.items())
    return {
        "topologyManagerPolicy": _with_options(kubelet.topology_manager_policy, topology),
        "topologyManagerScope": kubelet.topology_manager_scope,
        "cpuManagerPolicy": _with_options(kubelet.cpu_manager_policy, cpu),
        "memoryManagerPolicy": kubelet.memory_manager_policy,
        "version": ".".join(map(str, kubelet.version)),
        **({"featureGates": gates} if gates else {}),
    }


def _with_options(policy: str, options: Mapping[str, str]) -> str:
    told = ", ".join(name if value == "true" else f"{name}={value}" for name, value in options.items())
    return f"{policy} ({told})" if told else policy


def _ineligible(subject: Subject, classes: Sequence[NodeClass]) -> Mapping[str, str]:
    """Say why the scheduler keeps the pod off each class that was not simulated."""
    tried = {fit.node_class.name for fit in subject.fits}
    resources = sorted({resource for counts in subject.accelerators.values() for resource in counts})
    found: dict[str, str] = {}
    for node_class in classes:
        missing = [resource for resource in resources if resource not in node_class.devices]
        why = f"has no {', '.join(missing)}" if missing else why_ineligible(subject.facts, node_class)
        if node_class.name not in tried and why:
            found[node_class.name] = why
    return found


def _notes(judgement: Judgement, subject: Subject, exempt: str | None, *, known: bool, repaired: bool) -> Iterator[str]:
    if not known:
        yield "the kind is not known: this part is taken for a pod"
    if exempt:
        yield exempt
    if judgement.outcome is Outcome.INVALID:
        yield from (f"{one.code}: {one.message}" for one in judgement.findings if one.severity is Severity.INVALID)
        return
    if not judgement.governed and not exempt:
        yield "the policy does not govern it (not recognised as inference): it is neither repaired nor refused"
    if judgement.edits and not repaired and not exempt:
        count = len(judgement.edits)
        yield f"explained as written; the webhook would change {count} value{'s'[: count != 1]} first"
    if not subject.fits:
        yield "no node class that it could go to is known: name one with --profile"
