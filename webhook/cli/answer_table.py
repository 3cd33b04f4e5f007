"""Shows the answer to a scenario to people: where each container landed, and why pods were refused."""

import sys
from collections.abc import Iterator

from webhook.cli import table
from webhook.domain import cpuset
from webhook.domain.kubelet.admit import MemoryBlock
from webhook.domain.kubelet.admit import Placement
from webhook.domain.quantity import Quantity
from webhook.domain.resources import MEMORY
from webhook.domain.scenario import Answer
from webhook.domain.scenario import PodAnswer
from webhook.domain.visible import visible

_COLUMNS = ("POD", "QOS", "ANSWER", "CONTAINER", "NUMA", "CPUS", "MEMORY", "DEVICES", "HINT")
_NARROW = ("QOS", "ANSWER", "CONTAINER", "NUMA", "HINT")


def show(answer: Answer) -> None:
    """Print one scenario: its name, a table with a row for each container, the messages, an empty line."""
    sys.stdout.write(f"{visible(answer.name)}\n")
    if answer.error is not None:
        sys.stdout.write(f"the kubelet would not start: {visible(answer.error)}\n")
    elif answer.pods:
        table.show(_COLUMNS, (row for pod in answer.pods for row in _rows(pod)), narrow=_NARROW)
    else:
        sys.stdout.write("the kubelet starts; no pods\n")
    for pod in answer.pods:
        said = pod.admission
        if not said.admitted:
            sys.stdout.write(visible(f"{pod.name}: {said.handler}: {said.reason}: {said.message}") + "\n")
    sys.stdout.write("\n")


def _rows(pod: PodAnswer) -> Iterator[tuple[str, ...]]:
    said = pod.admission
    head = (pod.name, pod.qos.value, "admitted" if said.admitted else "refused")
    if not said.placements:
        yield *head, "", "", "", "", "", ""
    for placement in said.placements:
        yield *head, *_cells(placement)
        head = ("", "", "")


def _cells(placement: Placement) -> tuple[str, ...]:
    pool = placement.pool
    shared = "shared" if pool is None or not pool.cpus else f"shared in pod: {cpuset.format(pool.cpus)}"
    blocks = ", ".join(map(_block, placement.memory))
    if pool is not None and pool.memory:
        blocks = f"shared in pod: {', '.join(map(_block, pool.memory))}"
    return (
        placement.container,
        _joined(set(placement.cells)),
        cpuset.format(placement.cpus) or shared,
        blocks or "-",
        ", ".join(f"{resource} {','.join(ids)}" for resource, ids in placement.devices.items()) or "-",
        placement.hint,
    )


def _block(block: MemoryBlock) -> str:
    kind = "" if block.type == MEMORY else f"{block.type} "
    return f"{kind}{Quantity.of_bytes(block.size)} on {_joined(set(block.cells))}"


def _joined(cells: set[int]) -> str:
    return ",".join(map(str, sorted(cells))) or "-"
