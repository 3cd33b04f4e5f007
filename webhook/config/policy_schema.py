"""The grammar of an AlignmentPolicy: every field may be left out, and then keeps the built-in value."""

import re
from fnmatch import fnmatchcase
from typing import Annotated
from typing import Any
from typing import Literal
from typing import TypeAlias

from pydantic import AfterValidator
from pydantic import Discriminator
from pydantic import Field
from pydantic import Tag
from pydantic import model_validator

from webhook.config.amounts import read_helper_cpu
from webhook.config.amounts import read_positive_bytes
from webhook.config.schema import Amount
from webhook.config.schema import Bytes
from webhook.config.schema import Envelope
from webhook.config.schema import Model
from webhook.config.schema import Text
from webhook.config.words import shorten
from webhook.config.workload_schema import Workloads

_COUNT = re.compile(r"[a-z0-9.-]+/(?!\*+$)[A-Za-z0-9._*-]+")
_NEVER = re.compile(r"[A-Za-z0-9./_*-]+")
_NAMESPACE = re.compile(r"[a-z0-9*-]+")

_CONTROLLER_PREFIX = "system:serviceaccount:kube-system:"
_CONTROLLERS = (f"{_CONTROLLER_PREFIX}replicaset-controller", "system:kube-controller-manager")
_CONTROLLER_GROUPS = ("system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated")


def _accelerator(pattern: str) -> str:
    if not _COUNT.fullmatch(pattern):
        message = (
            f"{shorten(pattern)} must be DOMAIN/NAME where only NAME may hold *, and not * alone: "
            "a vendor's prefix also names NICs and memory sizes"
        )
        raise ValueError(message)
    return pattern


def _never(pattern: str) -> str:
    if not _NEVER.fullmatch(pattern):
        message = f"{shorten(pattern)} is no pattern of resource names: write letters, digits, . - _ / and *"
        raise ValueError(message)
    return pattern


def _namespace(pattern: str) -> str:
    if not _NAMESPACE.fullmatch(pattern):
        message = f"{shorten(pattern)} is no namespace name: write small letters, digits, - and *"
        raise ValueError(message)
    return pattern


def _not_all(pattern: str) -> str:
    if not pattern.strip("*"):
        message = f"{shorten(pattern)} exempts every namespace: name them, or set modes to none"
        raise ValueError(message)
    return pattern


def _exact(name: str) -> str:
    if "*" in name:
        message = f"{shorten(name)} is compared as it stands, not as a pattern: write names out"
        raise ValueError(message)
    return name


def _user(name: str) -> str:
    if name.startswith(_CONTROLLER_PREFIX) or any(fnmatchcase(user, name) for user in _CONTROLLERS):
        message = (
            f"{shorten(name)} names the controllers that create every workload's pods, so nothing would be governed: "
            "name people or your own service accounts, or exempt a namespace"
        )
        raise ValueError(message)
    return _exact(name)


def _group(name: str) -> str:
    if any(fnmatchcase(group, name) for group in _CONTROLLER_GROUPS):
        message = (
            f"{shorten(name)} holds the controllers that create every workload's pods, so nothing would be governed: "
            "name a group of people, or exempt a namespace"
        )
        raise ValueError(message)
    return _exact(name)


def _is_word(value: Any) -> str:
    return "word" if isinstance(value, str) else "map"


LevelName: TypeAlias = Literal["none", "guaranteed", "exclusive", "aligned"]
AnswerName: TypeAlias = Literal["allow", "warn", "deny"]
Accelerator: TypeAlias = Annotated[Text, AfterValidator(_accelerator)]
Never: TypeAlias = Annotated[Text, AfterValidator(_never)]
Namespace: TypeAlias = Annotated[Text, AfterValidator(_namespace)]
HelperCpu: TypeAlias = Annotated[object, AfterValidator(read_helper_cpu)]
HelperMemory: TypeAlias = Annotated[object, AfterValidator(read_positive_bytes)]


class ModesSpec(Model):
    """The level of each mode."""

    enforce: LevelName | None = None
    repair: LevelName | None = None
    warn: LevelName | None = None
    audit: LevelName | None = None


class NamespaceSpec(Model):
    """Modes of the namespaces that match."""

    match: list[Namespace] = Field(min_length=1)
    modes: ModesSpec


class AcceleratorsSpec(Model):
    """Which extended resources are accelerators."""

    count: list[Accelerator] | None = None
    never: list[Never] | None = None


class RecognitionSpec(Model):
    """How inference pods are known; a label set to null is taken out of the built-in table."""

    images: list[Text] | None = None
    image_paths: list[Text] | None = None
    never_gpu_images: list[Text] | None = None
    commands: list[Text] | None = None
    labels: dict[Text, list[str] | None] | None = None
    runtime_classes: list[Text] | None = None
    accelerator_selectors: list[Text] | None = None


class HeadroomSpec(Model):
    """What a fair share leaves free on each NUMA node."""

    cpu: Amount = None
    memory: Bytes = None


class ShareSpec(Model):
    """CPU and memory per accelerator where no topology is known."""

    cpu: Amount
    memory: HelperMemory


class FallbackSpec(Model):
    """CPU and memory of a helper that no entry of the table names."""

    cpu: HelperCpu
    memory: HelperMemory


class HelperSpec(FallbackSpec):
    """CPU and memory of the helpers that match."""

    name: Text
    containers: list[Text] | None = None
    images: list[Text] | None = None

    @model_validator(mode="after")
    def _matches_something(self) -> "HelperSpec":
        if not self.containers and not self.images:
            message = f"helper {shorten(self.name)} matches nothing: write containers or images"
            raise ValueError(message)
        return self


Fallback: TypeAlias = Annotated[
    Annotated[FallbackSpec, Tag("map")] | Annotated[Literal["none"], Tag("word")], Discriminator(_is_word)
]


class RepairSpec(Model):
    """What a repair may write."""

    fair_share: bool | None = None
    headroom: HeadroomSpec | None = None
    share: ShareSpec | None = None
    helpers: list[HelperSpec] | None = None
    helper_default: Fallback | None = None


class ExemptionsSpec(Model):
    """Who is not governed."""

    namespaces: list[Annotated[Namespace, AfterValidator(_not_all)]] | None = None
    users: list[Annotated[Text, AfterValidator(_user)]] | None = None
    groups: list[Annotated[Text, AfterValidator(_group)]] | None = None
    pods: bool | None = None


class PolicySpec(Model):
    """The spec of an AlignmentPolicy."""

    governs: Literal["inference", "accelerators"] | None = None
    modes: ModesSpec | None = None
    namespaces: list[NamespaceSpec] | None = None
    classes: Literal["any", "all"] | None = None
    on_unknown: AnswerName | None = None
    on_unenforced: AnswerName | None = None
    accelerators: AcceleratorsSpec | None = None
    recognition: RecognitionSpec | None = None
    repair: RepairSpec | None = None
    exemptions: ExemptionsSpec | None = None
    workloads: Workloads | None = None


class AlignmentPolicy(Envelope):
    """The whole document."""

    spec: PolicySpec | None = None
