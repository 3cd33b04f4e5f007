"""Names the worlds of the cases: a policy and its node classes, as one policy file that a server can read."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

import casetable
import yaml
from caseobjects import Object
from casetable import Case


@dataclass(frozen=True, slots=True)
class World:
    """What a case is judged by: the text of its policy document, and its node classes by name."""

    policy: str
    machines: tuple[str, ...]

    @property
    def text(self) -> str:
        """The policy file: the policy, then every node class, so that none is assumed."""
        return yaml.safe_dump_all([yaml.safe_load(self.policy), *map(_profile, self.machines)])

    @property
    def name(self) -> str:
        """A short name for test ids and namespaces."""
        return f"world-{worlds().index(self)}"


def world_of(case: Case, *machines: str) -> World:
    """Answer the world of a case, on other machines than its own where some are named."""
    return World(yaml.safe_dump(case.policy_document), machines or case.machines)


@cache
def worlds() -> tuple[World, ...]:
    """Answer every world of the table once, in the order of the cases."""
    elsewhere = [
        world_of(case, machine)
        for case in casetable.load()
        for template in case.templates
        for machine in template.expect.elsewhere
    ]
    return tuple(dict.fromkeys([*map(world_of, casetable.load()), *elsewhere]))


def namespaces_of(world: World) -> tuple[str, ...]:
    """Answer the namespaces that a test cluster needs for the cases of a world."""
    mine = [case for case in casetable.load() if world in _all_worlds(case)]
    return tuple(dict.fromkeys([_cases_namespace(world), *(namespace_in(case, world) for case in mine)]))


def namespace_in(case: Case, world: World) -> str:
    """Answer where a case lies in a cluster that holds all worlds: one namespace for each, or the one that matters."""
    return _cases_namespace(world) if case.namespace == "cases" else case.namespace


def documents_in(case: Case, world: World) -> list[Object]:
    """Answer what is applied for a case: its object and what lies beside it, but no custom resources."""
    built_in = [item for item in case.documents if not item["apiVersion"].startswith("topology.node.k8s.io/")]
    return [_moved(item, namespace_in(case, world)) for item in built_in]


def moved(case: Case, world: World, item: Any) -> Any:
    """Answer an object of a case, in the namespace where the case lies."""
    return _moved(item, namespace_in(case, world))


def _moved(item: Object, namespace: str) -> Object:
    metadata = item.get("metadata", {})
    return {**item, "metadata": {**metadata, "namespace": namespace}} if "namespace" in metadata else item


def _cases_namespace(world: World) -> str:
    return f"cases-{world.name}"


def _all_worlds(case: Case) -> Iterable[World]:
    yield world_of(case)
    for template in case.templates:
        yield from (world_of(case, machine) for machine in template.expect.elsewhere)


def _profile(machine: str) -> Object:
    if machine not in casetable.own_machines():
        return {
            "apiVersion": "numagate.io/v1alpha1",
            "kind": "NodeProfile",
            "metadata": {"name": machine},
            "spec": {"machine": machine},
        }
    return next(item for item in _own_machines() if item["metadata"]["name"] == machine)


@cache
def _own_machines() -> tuple[Object, ...]:
    return tuple(yaml.safe_load_all(casetable.MACHINES.read_text(encoding="utf-8")))
