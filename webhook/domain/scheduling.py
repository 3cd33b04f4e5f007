"""Which node classes a pod may be scheduled to: node selector, required node affinity, taints and tolerations.

A class declares the labels that its profile names; a requirement on any other key counts as satisfiable, because a
class stands for many nodes whose other labels are not known.
"""

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping

from webhook.domain.pod import PodFacts
from webhook.domain.pod import Requirement
from webhook.domain.pod import Toleration
from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.raw import get_texts
from webhook.domain.topology import NodeClass
from webhook.domain.topology import Taint

_REPELLING = frozenset({"NoSchedule", "NoExecute"})


def read_tolerations(spec: JsonObject) -> tuple[Toleration, ...]:
    """Read spec.tolerations; an absent operator is Equal."""
    return tuple(
        Toleration(
            key=get_text(item, "key"),
            operator=get_text(item, "operator") or "Equal",
            value=get_text(item, "value"),
            effect=get_text(item, "effect"),
        )
        for item in get_list(spec, "tolerations")
    )


def read_affinity(spec: JsonObject) -> tuple[tuple[Requirement, ...], ...] | None:
    """Read required node affinity; None where there is none. An empty term matches no node and is left out."""
    required = get_object(spec, "affinity", "nodeAffinity").get("requiredDuringSchedulingIgnoredDuringExecution")
    if not isinstance(required, dict):
        return None
    terms = (
        (*_requirements(term, "matchExpressions", on_field=False), *_requirements(term, "matchFields", on_field=True))
        for term in get_list(required, "nodeSelectorTerms")
    )
    return tuple(term for term in terms if term)


def why_ineligible(facts: PodFacts, node_class: NodeClass) -> str | None:
    """Say why the scheduler would keep the pod off `node_class`, or None where it may go there."""
    for key, value in facts.node_selector.items():
        if node_class.labels.get(key, value) != value:
            return f"nodeSelector {key}={value} does not match {key}={node_class.labels[key]}"
    if facts.affinity_terms is not None and not any(
        all(_satisfied(requirement, node_class.labels) for requirement in term) for term in facts.affinity_terms
    ):
        return "required node affinity does not match"
    for taint in untolerated(facts, node_class):
        return f"taint {taint.key}={taint.value}:{taint.effect} is not tolerated"
    return None


def untolerated(facts: PodFacts, node_class: NodeClass) -> tuple[Taint, ...]:
    """Answer the taints of the class that keep the pod off."""
    return tuple(
        taint
        for taint in node_class.taints
        if taint.effect in _REPELLING and not any(_tolerates(one, taint) for one in facts.tolerations)
    )


def tells_apart(wanted: NodeClass, other: NodeClass) -> tuple[str, str] | None:
    """Answer a label that `wanted` declares and `other` declares otherwise; None where there is none.

    One that the other class does not declare would not keep a pod away: its nodes may have it.
    """
    for key, value in sorted(wanted.labels.items()):
        if other.labels.get(key, value) != value:
            return key, value
    return None


def telling_label(taking: Iterable[NodeClass], refusing: NodeClass) -> str | None:
    """Answer a label by which one of the `taking` classes can be told from the refusing one, as KEY=VALUE."""
    labels = (tells_apart(node_class, refusing) for node_class in taking)
    return next((f"{label[0]}={label[1]}" for label in labels if label is not None), None)


def _requirements(term: object, key: str, *, on_field: bool) -> tuple[Requirement, ...]:
    return tuple(
        Requirement(
            key=get_text(item, "key"),
            operator=get_text(item, "operator"),
            values=get_texts(item, "values"),
            field=on_field,
        )
        for item in get_list(term, key)
    )


def _satisfied(requirement: Requirement, labels: Mapping[str, str]) -> bool:
    if requirement.field or requirement.key not in labels:
        return True
    test = _OPERATORS.get(requirement.operator)
    return test is not None and test(labels[requirement.key], requirement.values)


def _compare(value: str, values: tuple[str, ...], *, greater: bool) -> bool:
    try:
        number, bound = int(value), int(values[0])
    except (ValueError, IndexError):
        return False
    return number > bound if greater else number < bound


_OPERATORS: Mapping[str, Callable[[str, tuple[str, ...]], bool]] = {
    "In": lambda value, values: value in values,
    "NotIn": lambda value, values: value not in values,
    "Exists": lambda _value, _values: True,
    "DoesNotExist": lambda _value, _values: False,
    "Gt": lambda value, values: _compare(value, values, greater=True),
    "Lt": lambda value, values: _compare(value, values, greater=False),
}


def _tolerates(toleration: Toleration, taint: Taint) -> bool:
    """Mirrors k8s.io/api core/v1 toleration.go:ToleratesTaint, comparison operators off."""
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    if toleration.operator == "Exists":
        return True
    return toleration.operator == "Equal" and toleration.value == taint.value
