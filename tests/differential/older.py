"""Makes scenarios for older kubelets: what they do otherwise comes up more often than in other scenarios."""

import os
from dataclasses import replace
from random import Random
from typing import Any

from differential.oracle import NEWEST
from differential.oracle import parsed
from differential.scenarios import Scenario

from webhook.domain.topology import KubeletSettings
from webhook.domain.versions import Version
from webhook.domain.versions import rules

Raw = dict[str, Any]

VERSION: Version = parsed(os.environ.get("NUMAGATE_KUBERNETES") or "1.37")
"""The Kubernetes version whose kubelet is asked."""

EVEN = {"distribute-cpus-across-numa": "true", "align-by-socket": "true"}
GATES = ("CPUManagerPolicyBetaOptions", "TopologyManagerPolicyBetaOptions", "PodLevelResourceManagers")
FEW, SOME, OFTEN = 0.03, 0.15, 0.3
MANY_CELLS = 5
"""From here on a second kind of devices with hints for every NUMA node keeps the real kubelet busy for minutes."""

BLOCKS: tuple[Raw, ...] = (
    {},
    {"limits": {}},
    {"limits": {"cpu": "4", "memory": "4Gi"}},
    {"requests": {"cpu": "4", "memory": "4Gi"}},
    {"limits": {"cpu": "4"}},
    {"limits": {"memory": "4Gi"}, "requests": {"cpu": "2"}},
    {"requests": {"hugepages-2Mi": "64Mi"}},
)
"""The resources of a pod that are judged or completed otherwise: empty, in part, requests without limits."""


def aged(scenario: Scenario, version: Version) -> Scenario:
    """Give the scenario an older kubelet, and more of what that does otherwise.

    It depends on the scenario's name and the version only; for the newest version the scenario stays as it is.
    """
    if version == NEWEST:
        return scenario
    random = Random(f"{scenario.name}/{version}")  # noqa: S311 - tests want the same numbers again
    node = replace(scenario.node, kubelet=settings(random, scenario.node.kubelet))
    if len(node.cells) >= MANY_CELLS and not rules(version).hints_from_device_nodes:
        node = replace(node, devices=dict(list(node.devices.items())[:1]))
    pods = tuple(pod(random, one) for one in scenario.pods)
    return of_version(replace(scenario, node=node, pods=pods), version)


def of_version(scenario: Scenario, version: Version) -> Scenario:
    """Give the scenario a kubelet of this version; one that does not know a gate has it not on.

    A scenario that names this version already stays as it was written.
    """
    kubelet = scenario.node.kubelet
    if kubelet.version == version:
        return scenario
    missing = rules(version).missing_gates
    gates = {gate: on for gate, on in kubelet.feature_gates.items() if not (on and gate in missing)}
    node = replace(scenario.node, kubelet=replace(kubelet, version=version, feature_gates=gates))
    return replace(scenario, node=node)


def settings(random: Random, kubelet: KubeletSettings) -> KubeletSettings:
    """Write gates that not every version has or heeds, and spread CPUs with a view to sockets."""
    gates = {gate: False for gate in GATES if random.random() < FEW}
    options = kubelet.cpu_manager_policy_options
    single = kubelet.topology_manager_policy == "single-numa-node"
    if kubelet.cpu_manager_policy == "static" and not single and random.random() < OFTEN:
        options = EVEN
    return replace(kubelet, feature_gates={**kubelet.feature_gates, **gates}, cpu_manager_policy_options=options)


def pod(random: Random, made: Raw) -> Raw:
    """Give a few pods resources of their own."""
    if random.random() >= SOME:
        return made
    return {**made, "spec": {**made["spec"], "resources": random.choice(BLOCKS)}}
