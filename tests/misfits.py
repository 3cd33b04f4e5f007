"""Makes misfits for the tests of suggestions, and writes a suggestion into a raw pod."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from builders import policy

from webhook.domain.facts import read
from webhook.domain.fit import ClassFit
from webhook.domain.fit import fit
from webhook.domain.policy import Classes
from webhook.domain.quantity import Quantity
from webhook.domain.resources import CPU
from webhook.domain.resources import MEMORY
from webhook.domain.rewrite import set_value
from webhook.domain.topology import NodeClass
from webhook.engine.subject import accelerators_of
from webhook.engine.subject import gather
from webhook.engine.suggest import Misfit
from webhook.engine.suggest import misfit_of
from webhook.engine.suggestion import Kind
from webhook.engine.suggestion import Suggestion
from webhook.sources.machines import load_machine

P0 = load_machine("generic-2x4")
KUBELET_KEYS = ("numagate.io/numa-nodes",)


def kubelet(node_class: NodeClass = P0, **settings: Any) -> NodeClass:
    """Answer the class with other kubelet settings."""
    return replace(node_class, kubelet=replace(node_class.kubelet, **settings))


RESTRICTED = kubelet(topology_manager_policy="restricted")
CONTAINER_SCOPE = kubelet(topology_manager_scope="container")
SPREADING = kubelet(
    RESTRICTED, cpu_manager_policy_options={"full-pcpus-only": "true", "distribute-cpus-across-numa": "true"}
)


def misfit(obj: Mapping[str, Any], *classes: NodeClass, required: Classes = Classes.ANY) -> Misfit:
    """Gather the misfit that a raw pod is on some classes."""
    known = classes or (P0,)
    return misfit_of(gather(read(dict(obj)), policy(classes=required), known), known)


def proposals(kind: Kind, obj: Mapping[str, Any], node_class: NodeClass = P0) -> list[Suggestion]:
    """Answer what a kind proposes, tried or not."""
    return list(kind.propose(misfit(obj, node_class), node_class))


def texts(kind: Kind, obj: Mapping[str, Any], node_class: NodeClass = P0) -> list[str]:
    """Answer the texts of what a kind proposes."""
    return [one.text for one in proposals(kind, obj, node_class)]


def apply(obj: Mapping[str, Any], suggestion: Suggestion) -> dict[str, Any]:
    """Write the suggestion into the raw pod, as its reader would."""
    edited: Any = obj
    paths = {container.name: container.path for container in read(dict(obj)).containers}
    for edit in suggestion.edits:
        for side in ("limits", "requests"):
            edited = set_value(edited, (*paths[edit.container], "resources", side, edit.resource), edit.new)
    count = str(suggestion.numa_nodes) if suggestion.numa_nodes > 1 else "1"
    edited = set_value(edited, ("metadata", "annotations", *KUBELET_KEYS), count)
    for key, value in suggestion.node_selector.items():
        edited = set_value(edited, ("spec", "nodeSelector", key), value)
    tolerations = [{"key": one.key, "value": one.value, "effect": one.effect} for one in suggestion.tolerations]
    return dict(set_value(edited, ("spec", "tolerations"), [*edited["spec"].get("tolerations", []), *tolerations]))


def answer(obj: Mapping[str, Any], suggestion: Suggestion) -> ClassFit:
    """Ask the suggestion's class about the raw pod with the suggestion written into it."""
    facts = read(apply(obj, suggestion))
    return fit(facts, suggestion.node_class, accelerators_of(facts, policy().accelerators), suggestion.numa_nodes)


def reserved_first() -> NodeClass:
    """Answer two NUMA nodes of 16 CPUs, three of them reserved on the first one, aligned container by container."""
    cells = tuple(
        replace(cell, cores=tuple(replace(core, threads=core.threads[:1]) for core in cell.cores[:16]))
        for cell in P0.cells
    )
    return kubelet(
        replace(P0, name="reserved-first", cells=cells),
        cpu_manager_policy_options={},
        topology_manager_scope="container",
        reserved_system_cpus=0b111,
        node_allocatable_reservation={CPU: Quantity.parse("3"), MEMORY: Quantity.parse("32Gi")},
    )
