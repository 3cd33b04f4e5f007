"""Looks at the node again and again; the use of CPUs is that between two looks."""

from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence

from webhook.domain.observation import Observation
from webhook.domain.raw import JsonObject
from webhook.node.observe import cpu_times
from webhook.node.observe import observe
from webhook.node.patience import Patience
from webhook.node.readers.cgroups import CpuTime
from webhook.node.roots import Roots


class Eyes:
    """One node, as an agent may see it: its kubelet's configuration is read from its file, not asked for."""

    def __init__(self, roots: Roots, *, node: str) -> None:
        self._roots = roots
        self._node = node
        self._since: Mapping[str, CpuTime] | None = None
        self._patience = Patience()

    def __call__(self, pods: Sequence[JsonObject], is_judged: Callable[[JsonObject], bool]) -> Observation:
        """Look once."""
        seen = observe(
            self._roots,
            pods,
            node=self._node,
            since=self._since,
            is_judged=is_judged,
            patience=self._patience,
        )
        self._since = cpu_times(self._roots)
        return seen
