"""Puts together what commands decide with: the plug-ins, the policy and the node classes that their options name."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from webhook import formats
from webhook import registry
from webhook.domain.errors import PolicyError
from webhook.domain.output_format import OutputFormat
from webhook.domain.policy import Governs
from webhook.domain.policy import Policy
from webhook.domain.topology import NodeClass
from webhook.domain.workload import Workload
from webhook.engine.kinds import REGISTERED
from webhook.engine.world import World
from webhook.sources.policy_file import load_policy
from webhook.sources.policy_file import load_profiles

ASSUMED = "generic-2x4"
"""The node class of the library that stands in where nobody declared one."""
OWN_NAMESPACE = "numagate-system"


def load_workloads() -> tuple[Workload, ...]:
    """Answer the workload kinds, in the order of their names."""
    return REGISTERED


def load_formats() -> dict[str, OutputFormat]:
    """Answer the output formats by name."""
    return {plugin.name: plugin for plugin in registry.load(formats, "FORMAT", OutputFormat)}


def load_world(
    *,
    policy: str | Path | None,
    profiles: Sequence[str],
    governs: str | None,
    instant: datetime,
    snapshot: str | Path | None = None,
) -> World:
    """Read the policy and the node classes; with neither, the built-in policy and an assumed class.

    A world `snapshot` has both, and namespaces; a policy or profiles given beside it replace its own.

    Raises:
        PolicyError: a file is missing or wrong, or no machine has that name.
    """
    if snapshot is not None:
        return _on_snapshot(snapshot, policy=policy, profiles=profiles, governs=governs, instant=instant)
    loaded = load_policy(policy, profiles=_declared(profiles))
    classes = loaded.classes or (load_profiles(ASSUMED, assumed=True) if policy is None else ())
    return World(
        policies=governing(loaded.policies, governs),
        classes=classes,
        own_namespace=OWN_NAMESPACE,
        instant=instant,
        namespaces=loaded.namespaces,
        claims=loaded.claims,
    )


def _on_snapshot(
    snapshot: str | Path,
    *,
    policy: str | Path | None,
    profiles: Sequence[str],
    governs: str | None,
    instant: datetime,
) -> World:
    from webhook.sources.snapshot_reader import load_snapshot  # noqa: PLC0415 - without --world nobody need pay for it

    loaded = load_snapshot(snapshot)
    classes = _declared(profiles) or loaded.classes
    policies = load_policy(policy, profiles=classes).policies if policy is not None else loaded.policies
    return World(
        policies=governing(policies, governs),
        classes=classes,
        own_namespace=OWN_NAMESPACE,
        instant=instant,
        namespaces=loaded.namespaces,
        claims=loaded.claims,
    )


def _declared(profiles: Sequence[str]) -> tuple[NodeClass, ...]:
    declared: dict[str, NodeClass] = {}
    for source in profiles:
        for one in load_profiles(source):
            if one.name in declared:
                message = f"a second node class is named {one.name}: give each its own name"
                raise PolicyError(message, source=source)
            declared[one.name] = one
    return tuple(declared.values())


def governing(policies: tuple[Policy, ...], governs: str | None) -> tuple[Policy, ...]:
    """Answer the policies with another word on which pods they govern, where one is given."""
    return tuple(replace(one, governs=Governs(governs)) for one in policies) if governs else policies
