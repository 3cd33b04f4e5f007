"""The accelerators' share of a NUMA node, to be named beside values that take all of it."""

from dataclasses import dataclass
from dataclasses import replace

from webhook.domain import demand
from webhook.domain.kubelet.admit import CellRoom
from webhook.domain.pod import Container
from webhook.domain.quantity import Quantity
from webhook.domain.resources import CPU
from webhook.domain.resources import MEMORY
from webhook.domain.resources import amount
from webhook.domain.topology import NodeClass
from webhook.engine.shapes import _cells
from webhook.engine.shapes import _words
from webhook.engine.suggestion import Change
from webhook.engine.suggestion import Misfit


@dataclass(frozen=True, slots=True)
class Share:
    """Edits that keep to the share, and the words for them."""

    edits: tuple[Change, ...]
    text: str


def of_edits(misfit: Misfit, node_class: NodeClass, cell: CellRoom, edits: tuple[Change, ...]) -> Share | None:
    """Lower `edits` to the share of the pod's only container with accelerators; None where they keep to it."""
    if len(misfit.mains) != 1 or len(misfit.accelerators[misfit.mains[0].name]) != 1:
        return None
    main = misfit.mains[0]
    ((resource, own),) = misfit.accelerators[main.name].items()
    devices = cell.devices.get(resource, 0)
    if own >= devices:
        return None
    lowered: list[Change] = []
    for edit in edits:
        if edit.container != main.name or edit.resource not in _shared_out(node_class):
            continue
        left = _room(edit.resource, cell) * own // devices - _beside(misfit, main, edit.resource, edits)
        quantity = _written(edit.resource, left, misfit.cpu_step)
        if not Quantity.of_count(0) < quantity < Quantity.parse(edit.new):
            continue
        lowered.append(replace(edit, new=str(quantity)))
    if not lowered:
        return None
    verb = "is" if len(lowered) == 1 else "are"
    values = _words.listed(edit.new for edit in lowered)
    new = {(edit.container, edit.resource): edit for edit in (*edits, *lowered)}
    return Share(tuple(new.values()), f"{values} {verb} its share: {own} of {_words.counted(devices, resource)}")


def _shared_out(node_class: NodeClass) -> tuple[str, ...]:
    """Answer what belongs to NUMA nodes: CPUs, and memory where the kubelet pins it."""
    return (CPU, MEMORY) if node_class.kubelet.memory_manager_policy == "Static" else (CPU,)


def _room(resource: str, cell: CellRoom) -> int:
    return cell.cpus if resource == CPU else cell.memory


def _beside(misfit: Misfit, main: Container, resource: str, edits: tuple[Change, ...]) -> int:
    """Answer what the other containers hold of the NUMA node once they are edited."""
    new = {edit.container: Quantity.parse(edit.new) for edit in edits if edit.resource == resource}
    others = [one for one in misfit.facts.containers if one is not main]
    held = [(one.kind, new.get(one.name, amount(one.requests, resource))) for one in others]
    counted = [(kind, {resource: one}) for kind, one in held if resource != CPU or one.is_whole]
    return amount(demand.aggregate(counted), resource).value


def _written(resource: str, value: int, cpu_step: int) -> Quantity:
    if resource == CPU:
        return Quantity.of_count(value // cpu_step * cpu_step)
    return _cells.round_memory(value)
