"""The topology manager: asks the managers for hints, merges them, lets them allocate (TM/scope*.go)."""

from collections.abc import Mapping
from collections.abc import Sequence
from typing import Final

from webhook.domain.kubelet.hint_merger import NONE
from webhook.domain.kubelet.hint_merger import HintMerger
from webhook.domain.kubelet.hints import Affinity
from webhook.domain.kubelet.hints import HintProvider
from webhook.domain.kubelet.refusal import misaligned
from webhook.domain.pod import PodFacts

CONTAINER_SCOPE: Final = "container"
POD_SCOPE: Final = "pod"

_NO_AFFINITY: Final = Affinity(None, preferred=False)


def admit(pod: PodFacts, merger: HintMerger, scope: str, providers: Sequence[HintProvider]) -> Mapping[str, Affinity]:
    """Admit the pod: its containers in order, init containers first; answers the affinity of each.

    `providers` come in the kubelet's order: devices, CPUs, memory.

    Raises:
        RefusedError: the hints cannot be merged as the policy wants, or an allocation failed.
    """
    if merger.policy == NONE:
        return _admit_without_policy(pod, providers)
    if scope == POD_SCOPE:
        return _admit_pod(pod, merger, providers)
    return _admit_containers(pod, merger, providers)


def _admit_without_policy(pod: PodFacts, providers: Sequence[HintProvider]) -> Mapping[str, Affinity]:
    """Mirror TM/scope.go:admitPolicyNone: no hints, but static CPU and memory managers still pin."""
    for container in pod.containers:
        for provider in providers:
            provider.allocate(pod, container, _NO_AFFINITY)
    return {container.name: _NO_AFFINITY for container in pod.containers}


def _admit_containers(pod: PodFacts, merger: HintMerger, providers: Sequence[HintProvider]) -> Mapping[str, Affinity]:
    """Mirror TM/scope_container.go:Admit: each container on its own, later ones see what earlier ones took."""
    affinities: dict[str, Affinity] = {}
    for container in pod.containers:
        affinity = merger.merge([hints for p in providers for hints in p.container_hints(pod, container)])
        if not merger.admits(affinity):
            raise misaligned()
        affinities[container.name] = affinity
        for provider in providers:
            provider.allocate(pod, container, affinity)
    return affinities


def _admit_pod(pod: PodFacts, merger: HintMerger, providers: Sequence[HintProvider]) -> Mapping[str, Affinity]:
    """Mirror TM/scope_pod.go:admitUsingContainerResources: one affinity for all containers."""
    affinity = merger.merge([hints for provider in providers for hints in provider.pod_hints(pod)])
    if not merger.admits(affinity):
        raise misaligned()
    for container in pod.containers:
        for provider in providers:
            provider.allocate(pod, container, affinity)
    return {container.name: affinity for container in pod.containers}
