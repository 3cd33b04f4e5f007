"""How many threads a core has, where a source counts CPUs and not cores."""

from collections.abc import Iterable

from webhook.domain.raw import as_object
from webhook.sources import named_machine
from webhook.sources.evidence import NodeView
from webhook.sources.specs import cell_cpus

_SMT = "feature.node.kubernetes.io/cpu-hardware_multithreading"
_FEATURES = "feature.node.kubernetes.io/cpu-"


def threads_per_core(view: NodeView, cpus: Iterable[int]) -> tuple[int, str]:
    """Answer the number, and why it is a guess or "" where it is none; `cpus` are those of each NUMA node."""
    number, why = _threads(view, [count for count in cpus if count])
    if any(count % number for count in cpus):
        return 1, "an odd number of CPUs on a NUMA node: one thread per core is assumed"
    return number, why


def _threads(view: NodeView, cpus: list[int]) -> tuple[int, str]:
    if view.labels.get(_SMT) == "true":
        return 2, ""
    smt = {device.smt for one in view.slices for device in one.devices} - {None}
    if smt:
        return (2 if True in smt else 1), ""
    if any(key.startswith(_FEATURES) for key in view.labels):
        return 1, ""  # node-feature-discovery writes the label only where there are threads
    machine, _problems = named_machine.find(view)
    if machine is not None:
        blocks = [block for block in machine.numa if cell_cpus(block)]
        if [cell_cpus(block) for block in blocks] == cpus:
            number = as_object(blocks[0]).get("threadsPerCore")
            return (number if isinstance(number, int) else 1), f"threads per core as in {machine.name} of the library"
    return 1, f"no label {_SMT}: one thread per core is assumed"
