"""The grammar of an AlignmentPolicy: every field may be left out, and then keeps the built-in value."""

from typing import Annotated
from typing import Any
from typing import ClassVar
from typing import Literal
from typing import TypeAlias

from pydantic import Discriminator
from pydantic import Field
from pydantic import Tag
from pydantic import WithJsonSchema

from webhook.config.policy_types import Accelerator
from webhook.config.policy_types import AnswerName
from webhook.config.policy_types import ClassPattern
from webhook.config.policy_types import Group
from webhook.config.policy_types import HelperCpu
from webhook.config.policy_types import HelperMemory
from webhook.config.policy_types import LevelName
from webhook.config.policy_types import MinNodes
from webhook.config.policy_types import Namespace
from webhook.config.policy_types import Never
from webhook.config.policy_types import OverrideName
from webhook.config.policy_types import Percent
from webhook.config.policy_types import Priority
from webhook.config.policy_types import SettleSeconds
from webhook.config.policy_types import SomeNamespace
from webhook.config.policy_types import SomeRuntimeClass
from webhook.config.policy_types import Until
from webhook.config.policy_types import User
from webhook.config.rules import Rule
from webhook.config.schema import Amount
from webhook.config.schema import Bytes
from webhook.config.schema import Envelope
from webhook.config.schema import Many
from webhook.config.schema import Model
from webhook.config.schema import Text
from webhook.config.words import shorten
from webhook.config.workload_schema import Workloads


def _values_where_compared(requirement: "RequirementSpec") -> None:
    if requirement.operator in {"In", "NotIn"} and not requirement.values:
        message = f"{requirement.operator} compares with nothing: write values"
        raise ValueError(message)
    if requirement.operator not in {"In", "NotIn"} and requirement.values:
        message = f"{requirement.operator} takes no values: leave them out"
        raise ValueError(message)


def _exempts_somebody(rule: "ExemptionSpec") -> None:
    if not (rule.namespaces or rule.users or rule.groups or rule.runtime_classes):
        message = "exempts nobody: write namespaces, users, groups or runtimeClasses"
        raise ValueError(message)


def _matches_something(helper: "HelperSpec") -> None:
    if not helper.containers and not helper.images:
        message = f"helper {shorten(helper.name)} matches nothing: write containers or images"
        raise ValueError(message)


def _is_word(value: Any) -> str:
    return "word" if isinstance(value, str) else "map"


class RequirementSpec(Model):
    """One requirement of a label selector."""

    together: ClassVar[tuple[Rule, ...]] = (
        Rule(
            _values_where_compared,
            "(self.operator in ['In', 'NotIn']) == (has(self.values) && size(self.values) > 0)",
            "must have values with In and NotIn, and none with Exists and DoesNotExist",
        ),
    )

    key: Text
    """The label."""
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist"]
    """How it is compared."""
    values: Annotated[list[str], Many] | None = None
    """What it is compared with, for In and NotIn."""


class SelectorSpec(Model):
    """A label selector, as everywhere in Kubernetes; an empty one matches everything."""

    match_labels: Annotated[dict[Text, str], Many] | None = None
    """Labels with their values; all must be there."""
    match_expressions: Annotated[list[RequirementSpec], Many] | None = None
    """Requirements; all must hold."""


class MatchSpec(Model):
    """Which pods the policy is for; all that is written must match."""

    accelerators: Annotated[list[Accelerator], Field(min_length=1), Many] | None = None
    """Patterns of resource names, one of which the pod asks for."""
    namespaces: Annotated[list[Namespace], Field(min_length=1, max_length=256)] | None = None
    """Patterns of namespace names, one of which is the pod's."""
    namespace_selector: SelectorSpec | None = None
    """Labels of the pod's namespace."""
    pod_selector: SelectorSpec | None = None
    """Labels of the pod."""


class OverridesSpec(Model):
    """What the label of a namespace may do to each mode."""

    enforce: OverrideName | None = None
    """What numagate.io/enforce may do: none, raise or any (default raise)."""
    repair: OverrideName | None = None
    """What numagate.io/repair may do: none, raise or any (default raise)."""
    warn: OverrideName | None = None
    """What numagate.io/warn may do: none, raise or any (default raise)."""
    audit: OverrideName | None = None
    """What numagate.io/audit may do: none, raise or any (default raise)."""


class ModesSpec(Model):
    """The level of each mode."""

    enforce: LevelName | None = None
    """Pods below this level are refused (default aligned)."""
    repair: LevelName | None = None
    """Pods are patched up to this level (default aligned)."""
    warn: LevelName | None = None
    """Who applies a pod below this level is warned (default aligned)."""
    audit: LevelName | None = None
    """Pods below this level are named in the audit annotations (default aligned)."""


class NamespaceSpec(Model):
    """Modes of the namespaces that match."""

    match: Annotated[list[Namespace], Field(min_length=1, max_length=256)]
    """Patterns of namespace names; * stands for any text."""
    modes: ModesSpec
    """The modes there; what is not written comes from spec.modes."""


class AcceleratorsSpec(Model):
    """Which extended resources are accelerators."""

    count: Annotated[list[Accelerator], Many] | None = None
    """Patterns of resource names whose quantity is a number of devices; replaces the built-in list."""
    never: Annotated[list[Never], Many] | None = None
    """Patterns of resource names that are no accelerators, tested first; replaces the built-in list."""
    device_classes: Annotated[list[ClassPattern], Many] | None = None
    """Patterns of device classes, or of their drivers, whose devices are accelerators; replaces the built-in list."""


class RecognitionSpec(Model):
    """How inference pods are known; a label set to null is taken out of the built-in table."""

    images: Annotated[list[Text], Many] | None = None
    """Image names, compared from the end of the repository path."""
    image_paths: Annotated[list[Text], Many] | None = None
    """Patterns over the whole repository path."""
    never_gpu_images: Annotated[list[Text], Many] | None = None
    """Images that never use an accelerator; they win over everything else."""
    commands: Annotated[list[Text], Many] | None = None
    """Text anywhere in the command and arguments."""
    labels: Annotated[dict[Text, Annotated[list[str], Many] | None], Many] | None = None
    """Labels of inference pods, each with the values that count; [] takes any value, null takes the label out."""
    runtime_classes: Annotated[list[Text], Many] | None = None
    """Patterns of runtime classes: a pod with one but no accelerator is warned about."""
    accelerator_selectors: Annotated[list[Text], Many] | None = None
    """Patterns of KEY=VALUE in nodeSelector, for the same warning."""


class HeadroomSpec(Model):
    """What a fair share leaves free on each NUMA node."""

    cpu: Amount = None
    """CPUs left free on each NUMA node (default 0)."""
    memory: Bytes = None
    """Memory left free on each NUMA node (default 0)."""


class ShareSpec(Model):
    """CPU and memory per accelerator where no topology is known."""

    cpu: Amount
    """CPUs per accelerator."""
    memory: HelperMemory
    """Memory per accelerator."""


class FallbackSpec(Model):
    """CPU and memory of a helper that no entry of the table names."""

    cpu: HelperCpu
    """Request and limit; never a whole number of CPUs."""
    memory: HelperMemory
    """Request and limit; the container may be killed above it."""


class HelperSpec(FallbackSpec):
    """CPU and memory of the helpers that match."""

    together: ClassVar[tuple[Rule, ...]] = (
        Rule(
            _matches_something,
            "has(self.containers) && size(self.containers) > 0 || has(self.images) && size(self.images) > 0",
            "matches nothing: write containers or images",
        ),
    )

    name: Text
    """A name for the warning."""
    containers: Annotated[list[Text], Many] | None = None
    """Patterns of container names."""
    images: Annotated[list[Text], Many] | None = None
    """Images, compared from the end of the repository path."""


Fallback: TypeAlias = Annotated[
    Annotated[FallbackSpec, Tag("map")] | Annotated[Literal["none"], Tag("word")],
    Discriminator(_is_word),
    # A text or a map: no structural schema has both, so only the text and the names of the fields are held here.
    WithJsonSchema(
        {"x-kubernetes-preserve-unknown-fields": True, "pattern": "^none$", "required": ["cpu", "memory"]},
    ),
]


class RepairSpec(Model):
    """What a repair may write."""

    fair_share: bool | None = None
    """Give an accelerator container without values its share of one NUMA node (default true)."""
    headroom: HeadroomSpec | None = None
    """What a fair share leaves free on each NUMA node."""
    share: Annotated[ShareSpec | None, Field(json_schema_extra={"nullable": True})] = None
    """CPU and memory per accelerator where no node class is known; null means none."""
    helpers: Annotated[list[HelperSpec], Many] | None = None
    """What containers without accelerators get where they have no value; the first entry that matches holds."""
    helper_default: Fallback | None = None
    """A map of cpu and memory for every other helper, or none, which denies it (default 50m and 256Mi)."""


class ExemptionSpec(Model):
    """Who is not governed, why, and until when."""

    together: ClassVar[tuple[Rule, ...]] = (
        Rule(
            _exempts_somebody,
            " || ".join(
                f"has(self.{name}) && size(self.{name}) > 0"
                for name in ("namespaces", "users", "groups", "runtimeClasses")
            ),
            "exempts nobody: write namespaces, users, groups or runtimeClasses",
        ),
    )

    reason: Text
    """Why; it is shown with each use."""
    until: Until | None = None
    """The instant at which the exemption ends, such as 2027-01-31T00:00:00Z; without it never."""
    namespaces: Annotated[list[SomeNamespace], Field(max_length=256)] | None = None
    """Patterns of namespace names."""
    users: Annotated[list[User], Field(max_length=256)] | None = None
    """Requesters, by exact name."""
    groups: Annotated[list[Group], Field(max_length=256)] | None = None
    """Groups of the requester, by exact name."""
    runtime_classes: Annotated[list[SomeRuntimeClass], Field(max_length=256)] | None = None
    """Patterns of runtime classes of pods."""


class ExemptionsSpec(Model):
    """Who is not governed."""

    rules: Annotated[list[ExemptionSpec], Field(max_length=128)] | None = None
    """Exemptions, each with a reason; kube-system and numagate-system always are exempt."""
    pods: bool | None = None
    """Whether the annotation numagate.io/exempt of a pod is honoured (default false)."""


class VerificationSpec(Model):
    """What is asked of running pods, on their node, and whether their readiness waits for the answer."""

    local_memory_percent: Percent | None = None
    """The least share of a container's own memory (not of files) that lies on its NUMA nodes (default 99)."""
    settle_seconds: SettleSeconds | None = None
    """How long after its start a container is not judged yet (default 30)."""
    readiness_gate: bool | None = None
    """Whether pods wait with their readiness until they were found aligned (default false)."""
    on_unknown: Literal["ready", "notReady"] | None = None
    """What counts for that readiness where it cannot be told (default ready)."""


class PolicySpec(Model):
    """The spec of an AlignmentPolicy; it is laid over the built-in one."""

    priority: Priority | None = None
    """Of the policies that match a pod the highest governs it (default 0)."""
    match: MatchSpec | None = None
    """Which pods the policy is for; without it all."""
    governs: Literal["inference", "accelerators"] | None = None
    """Which accelerator pods are enforced and repaired (default inference)."""
    modes: ModesSpec | None = None
    """The level of each mode: none, guaranteed, exclusive or aligned."""
    namespaces: Annotated[list[NamespaceSpec], Field(max_length=128)] | None = None
    """Other modes by namespace name; the first entry that matches holds."""
    overrides: OverridesSpec | None = None
    """What the labels numagate.io/enforce, repair, warn and audit of a namespace may do."""
    classes: Literal["any", "all"] | None = None
    """How many of the eligible node classes must take the pod (default any)."""
    on_unknown: AnswerName | None = None
    """What to say where no eligible node class is known (default warn)."""
    on_unenforced: AnswerName | None = None
    """What to say where no eligible class has kubelets that refuse misaligned pods (default warn)."""
    min_reporting_nodes: MinNodes | None = None
    """How many nodes must report a topology before it may deny or repair (default 3)."""
    accelerators: AcceleratorsSpec | None = None
    """Which extended resources are accelerators."""
    recognition: RecognitionSpec | None = None
    """How inference pods are known."""
    repair: RepairSpec | None = None
    """What a repair may write."""
    exemptions: ExemptionsSpec | None = None
    """Who is not governed."""
    verification: VerificationSpec | None = None
    """What is asked of running pods, on their node."""
    workloads: Workloads | None = None
    """Kinds of one's own that carry pods, by the paths of these."""


class AlignmentPolicy(Envelope):
    """Who is governed, how strictly, and what repairs may write."""

    spec: PolicySpec | None = None
    """What differs from the built-in policy."""
