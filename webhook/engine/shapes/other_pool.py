"""A node pool of the same machines whose kubelets allow the several NUMA nodes that the pod needs."""

from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from webhook.domain.kubelet.hint_merger import BEST_EFFORT
from webhook.domain.kubelet.hint_merger import RESTRICTED
from webhook.domain.kubelet.options import ACROSS_NUMA
from webhook.domain.topology import NodeClass
from webhook.engine.shapes import _width
from webhook.engine.shapes import _words
from webhook.engine.suggestion import Change
from webhook.engine.suggestion import Kind
from webhook.engine.suggestion import Misfit
from webhook.engine.suggestion import Suggestion

_POOLS = ((RESTRICTED, ()), (RESTRICTED, (ACROSS_NUMA,)), (BEST_EFFORT, ()))
"""Topology manager policy and CPU manager options to switch on, the strictest kubelet first."""


def propose(misfit: Misfit, node_class: NodeClass) -> Iterator[Suggestion]:
    """Propose other kubelet settings for the pod as it is, then restricted pools with the nearest CPUs and memory."""
    pools = [pool for pool in (_pool(node_class, *settings) for settings in _POOLS) if pool is not node_class]
    for number in _width.numbers(misfit, node_class):
        if pools and _width.is_wide(misfit, pools[0], number):
            yield from (_suggestion(misfit, pool, number) for pool in pools)
        restricted = (pool for pool in pools if pool.kubelet.topology_manager_policy == RESTRICTED)
        wider = [(pool, edits) for pool in restricted for edits in _width.widened(misfit, pool, number)]
        wider.sort(key=lambda one: _width.cpus_added(one[1]))
        yield from (_suggestion(misfit, pool, number, edits) for pool, edits in wider)


def _suggestion(misfit: Misfit, pool: NodeClass, numa_nodes: int, edits: tuple[Change, ...] = ()) -> Suggestion:
    kubelet = pool.kubelet
    spreads = f" and {ACROSS_NUMA}" if kubelet.cpu_manager_policy_options.get(ACROSS_NUMA) == "true" else ""
    text = f"a node pool with topology manager policy {kubelet.topology_manager_policy}{spreads}"
    annotated = [] if _width.is_declared(misfit, numa_nodes) else [_width.annotation(numa_nodes)]
    written = [*annotated, *map(_words.as_written, edits)]
    if written:
        text = f"{text}, and in the pod {_words.listed(written)}"
    return Suggestion(KIND.name, text, pool, edits, numa_nodes=numa_nodes)


@lru_cache(maxsize=256)
def _pool(node_class: NodeClass, policy: str, options: tuple[str, ...]) -> NodeClass:
    """Answer the same machines with other kubelet settings, or the class itself where it has them already."""
    kubelet = node_class.kubelet
    wanted: Mapping[str, str] = {**kubelet.cpu_manager_policy_options, **dict.fromkeys(options, "true")}
    if (kubelet.topology_manager_policy, kubelet.cpu_manager_policy_options) == (policy, wanted):
        return node_class
    changed = replace(kubelet, topology_manager_policy=policy, cpu_manager_policy_options=wanted)
    return replace(node_class, kubelet=changed)


KIND = Kind("other-pool", rank=9, propose=propose, moves=True)
