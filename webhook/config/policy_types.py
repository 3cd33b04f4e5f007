"""What the fields of an AlignmentPolicy hold: words, patterns and names, each with its rule."""

import re
from fnmatch import fnmatchcase
from typing import Annotated
from typing import Literal
from typing import TypeAlias

from pydantic import Field

from webhook.config import cel
from webhook.config.amounts import read_helper_cpu
from webhook.config.amounts import read_positive_bytes
from webhook.config.cel import QUANTITY
from webhook.config.rules import Rule
from webhook.config.schema import Text
from webhook.config.words import shorten
from webhook.domain import instant

_COUNT = re.compile(r"[a-z0-9.-]+/(?!\*+$)[A-Za-z0-9._*-]+")
_NEVER = re.compile(r"[A-Za-z0-9./_*-]+")
_CLASS = re.compile(r"(?!\*+$)[a-z0-9.*-]+")
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


def _class_pattern(pattern: str) -> str:
    if not _CLASS.fullmatch(pattern):
        message = f"{shorten(pattern)} is no device class: write small letters, digits, . - and *, and not * alone"
        raise ValueError(message)
    return pattern


def _namespace(pattern: str) -> str:
    if not _NAMESPACE.fullmatch(pattern):
        message = f"{shorten(pattern)} is no namespace name: write small letters, digits, - and *"
        raise ValueError(message)
    return pattern


def _not_all(pattern: str) -> str:
    if not pattern.strip("*"):
        message = f"{shorten(pattern)} exempts everything: name what is meant, or set modes to none"
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


def _until(text: str) -> str:
    if instant.parse(text) is None:
        message = f"{shorten(text)} is no instant: write one like 2027-01-31T00:00:00Z"
        raise ValueError(message)
    return text


LevelName: TypeAlias = Literal["none", "guaranteed", "exclusive", "aligned"]
AnswerName: TypeAlias = Literal["allow", "warn", "deny"]
OverrideName: TypeAlias = Literal["none", "raise", "any"]
Priority: TypeAlias = Annotated[int, Field(ge=-1_000_000, le=1_000_000)]
MinNodes: TypeAlias = Annotated[int, Field(ge=1, le=1_000_000)]
Percent: TypeAlias = Annotated[int, Field(ge=1, le=100)]
SettleSeconds: TypeAlias = Annotated[int, Field(ge=0, le=3600)]
Accelerator: TypeAlias = Annotated[
    Text,
    Rule(
        _accelerator,
        "self.matches('^[a-z0-9.-]+/[*]*[A-Za-z0-9._-][A-Za-z0-9._*-]*$')",
        "must be DOMAIN/NAME where only NAME may hold *, and not * alone",
    ),
]
Never: TypeAlias = Annotated[
    Text,
    Rule(_never, "self.matches('^[A-Za-z0-9./_*-]+$')", "must be letters, digits, . - _ / and *"),
]
ClassPattern: TypeAlias = Annotated[
    Text,
    Rule(
        _class_pattern,
        "self.matches('^[*]*[a-z0-9.-][a-z0-9.*-]*$')",
        "must be a device class: small letters, digits, . - and *, and not * alone",
    ),
]
Namespace: TypeAlias = Annotated[
    str,
    Field(min_length=1, max_length=128),
    Rule(_namespace, "self.matches('^[a-z0-9*-]+$')", "must be a namespace name: small letters, digits, - and *"),
]
_NOT_ALL = Rule(_not_all, "self.matches('[^*]')", "exempts everything: name what is meant, or set modes to none")
SomeNamespace: TypeAlias = Annotated[Namespace, _NOT_ALL]
SomeRuntimeClass: TypeAlias = Annotated[Text, _NOT_ALL]
Until: TypeAlias = Annotated[
    str,
    Field(max_length=64),
    Rule(
        _until,
        "self.matches('^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})$')",
        "must be an instant such as 2027-01-31T00:00:00Z",
    ),
]
User: TypeAlias = Annotated[
    Text,
    Rule(
        _user,
        f"!self.contains('*') && !self.startsWith('{_CONTROLLER_PREFIX}') && !(self in {list(_CONTROLLERS)})",
        "must be an exact name, and none of a controller that creates every workload's pods",
    ),
]
Group: TypeAlias = Annotated[
    Text,
    Rule(
        _group,
        f"!self.contains('*') && !(self in {list(_CONTROLLER_GROUPS)})",
        "must be an exact name, and no group that holds the controllers that create every workload's pods",
    ),
]
HelperCpu: TypeAlias = Annotated[object, QUANTITY, Rule(read_helper_cpu, *cel.HELPER_CPU)]
HelperMemory: TypeAlias = Annotated[object, QUANTITY, Rule(read_positive_bytes, *cel.MEMORY)]
