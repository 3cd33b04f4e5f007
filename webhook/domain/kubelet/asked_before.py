"""Remembers what empty nodes answered: to pods that ask for the same, a node says the same.

A cluster has many pods and few sizes of them, so that a pod that was never seen need not be simulated on every kind of
machine. What the simulation reads of a pod is packed into bytes, and the simulation is given what is read back from
them: that it could depend on anything else is excluded by construction.
"""

import marshal
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final
from weakref import ref

from webhook.domain.kubelet.admit import Admission
from webhook.domain.kubelet.admit import admit_on_empty
from webhook.domain.pod import Container
from webhook.domain.pod import ContainerKind
from webhook.domain.pod import PodFacts
from webhook.domain.pod import QOSClass
from webhook.domain.quantity import Quantity
from webhook.domain.quantity_text import Format
from webhook.domain.topology import NodeClass

MAX_ANSWERS: Final = 2048
MAX_BYTES: Final = 2 * 1024
"""A pod that asks for more is simulated each time, so that hostile ones cannot fill the memory."""

_FORMATS: Final = {one.value: one for one in Format}
_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


def answer_of_empty(pod: PodFacts, node_class: NodeClass) -> Admission:
    """Answer as `admit_on_empty`, from memory where the same was asked before. May be called from several threads."""
    content = packed(pod)
    return admit_on_empty(pod, node_class) if len(content) > MAX_BYTES else _answer(ref(node_class), content)


@lru_cache(maxsize=MAX_ANSWERS)
def _answer(asked: "ref[NodeClass]", content: bytes) -> Admission:
    # By a weak reference, or the answers would keep machines that nobody has any more.
    node_class = asked()
    assert node_class is not None  # noqa: S101  # the caller holds it
    return admit_on_empty(unpacked(content), node_class)


def packed(pod: PodFacts) -> bytes:
    """Answer what the simulation reads of a pod, as bytes."""
    containers = [(one.name, one.kind.value, _numbers(one.requests), _numbers(one.limits)) for one in pod.containers]
    whole = pod.resources_set, pod.qos.value, _numbers(pod.pod_requests), _numbers(pod.pod_limits)
    # The format without references between values, so that equal content gives equal bytes.
    return marshal.dumps((whole, containers), 2)


def unpacked(content: bytes) -> PodFacts:
    """Answer a pod of nothing but what `packed` took from one."""
    whole, containers = marshal.loads(content)  # noqa: S302  # bytes of our own, never left the process
    resources_set, qos, requests, limits = whole
    return PodFacts(
        labels=_NOTHING,
        annotations=_NOTHING,
        containers=tuple(_container(*one) for one in containers),
        pod_requests=_quantities(requests),
        pod_limits=_quantities(limits),
        resources_set=resources_set,
        qos=QOSClass(qos),
        overhead=MappingProxyType({}),
        node_selector=_NOTHING,
        affinity_terms=None,
        tolerations=(),
        runtime_class="",
        claims=(),
        shm_limits=(),
        created=False,
        unreadable=(),
    )


_Numbers = list[tuple[str, int, int, str, str]]


def _container(name: str, kind: str, requests: _Numbers, limits: _Numbers) -> Container:
    return Container(
        name=name,
        kind=ContainerKind(kind),
        path=(),
        image="",
        command=(),
        requests=_quantities(requests),
        limits=_quantities(limits),
    )


def _numbers(values: Mapping[str, Quantity]) -> _Numbers:
    return [(name, one.mantissa, one.exponent, one.format.value, one.written) for name, one in values.items()]


def _quantities(numbers: _Numbers) -> dict[str, Quantity]:
    return {
        name: Quantity(mantissa, exponent, _FORMATS[text], written)
        for name, mantissa, exponent, text, written in numbers
    }
