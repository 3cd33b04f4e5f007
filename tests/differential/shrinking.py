"""Makes a scenario smaller, step by step, as long as it still shows what it has to show."""

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from differential.oracle import Question

from webhook.domain import cpuset
from webhook.domain.quantity import Quantity

Raw = dict[str, Any]
Edit = Callable[[Question], None]
Show = Callable[[Sequence[Question]], list[bool]]

TOGETHER = 32
"""So many smaller scenarios are tried with one run of the program."""
MIB, GIB = 1 << 20, 1 << 30

SIMPLER = (
    ("topologyManagerScope", "pod", "container"),
    ("topologyManagerPolicy", "single-numa-node", "restricted"),
    ("topologyManagerPolicy", "restricted", "best-effort"),
    ("topologyManagerPolicy", "best-effort", "none"),
    ("cpuManagerPolicy", "static", "none"),
    ("memoryManagerPolicy", "Static", "None"),
)
"""Settings, what they may be, and what is simpler."""


def shrink(question: Question, shows: Show) -> Question:
    """Answer a scenario that shows the same and of which no part can be left out.

    Each step goes on behind the last one: what could not be left out before hardly ever can be afterwards.
    """
    start = 0
    while True:
        candidates = list(smaller(question))
        start %= max(1, len(candidates))
        candidates = candidates[start:] + candidates[:start]
        hit = first_hit(candidates, shows)
        if hit is None:
            return question
        question, start = candidates[hit], start + hit


def first_hit(candidates: Sequence[Question], shows: Show) -> int | None:
    """Answer the number of the first scenario that still shows it."""
    for start in range(0, len(candidates), TOGETHER):
        shown = shows(candidates[start : start + TOGETHER])
        if True in shown:
            return start + shown.index(True)
    return None


def smaller(question: Question) -> Iterator[Question]:
    """Yield every scenario that is one step smaller, large steps first."""
    for edits in (pods, containers, cells, kubelet, devices, cores, wishes, amounts):
        for edit in edits(question):
            made = deepcopy(question)
            edit(made)
            yield made


def pods(question: Question) -> Iterator[Edit]:
    """Leave out a pod."""
    if len(question["pods"]) > 1:
        yield from (removal("pods", place) for place in range(len(question["pods"])))


def containers(question: Question) -> Iterator[Edit]:
    """Leave out a container, or what a pod says beside its containers."""
    for place, pod in enumerate(question["pods"]):
        for kind, least in (("initContainers", 0), ("containers", 1)):
            found = pod["spec"].get(kind, ())
            if len(found) > least:
                yield from (removal("pods", place, "spec", kind, n) for n in range(len(found)))
        others = pod["spec"].keys() - {"containers"}
        yield from (removal("pods", place, "spec", key) for key in sorted(others) if not pod["spec"][key])
        yield from (removal("pods", place, "spec", key) for key in sorted(others - {"initContainers"}))


def cells(question: Question) -> Iterator[Edit]:
    """Leave out a NUMA node with all that lies on it, or what it says beside its CPUs and memory."""
    if len(question["numa"]) > 1:
        yield from (cell_removal(place) for place in range(len(question["numa"])))
    for place, cell in enumerate(question["numa"]):
        yield from (removal("numa", place, "hugepages", size) for size in cell.get("hugepages") or ())
        if cell.get("distances"):
            yield removal("numa", place, "distances")


def kubelet(question: Question) -> Iterator[Edit]:
    """Leave out an option or a reservation, or take a simpler policy."""
    settings = question["kubelet"]
    for key in ("cpuManagerPolicyOptions", "topologyManagerPolicyOptions", "featureGates"):
        yield from (removal("kubelet", key, name) for name in settings.get(key) or ())
    for key, now, simpler in SIMPLER:
        if settings.get(key) == now:
            yield replacement(simpler, "kubelet", key)
    if settings.get("reservedSystemCPUs"):
        yield replacement("", "kubelet", "reservedSystemCPUs")
    yield from (reservation_removal(place) for place in range(len(settings.get("reservedMemory") or ())))


def devices(question: Question) -> Iterator[Edit]:
    """Leave out a kind of device, or one device."""
    for name, found in (question.get("devices") or {}).items():
        yield removal("devices", name)
        yield from (removal("devices", name, place) for place in range(len(found)))


def cores(question: Question) -> Iterator[Edit]:
    """Leave out a core, or the cache that it belongs to."""
    for place, cell in enumerate(question["numa"]):
        for n, core in enumerate(cell.get("cores") or ()):
            yield core_removal(place, n)
            if core.get("uncore") is not None:
                yield removal("numa", place, "cores", n, "uncore")


def wishes(question: Question) -> Iterator[Edit]:
    """Leave out what a container asks for."""
    for path, container in places(question):
        resources = container.get("resources") or {}
        for name in sorted({name for found in resources.values() for name in found}):
            yield resource_removal(path, name)
        yield from (removal(*path, "resources", kind) for kind in sorted(resources))
        yield from (removal(*path, key) for key in sorted(container.keys() - {"name"}))


def amounts(question: Question) -> Iterator[Edit]:
    """Ask for less, and let NUMA nodes have less memory."""
    for path, container in places(question):
        limits = {name: value for found in (container.get("resources") or {}).values() for name, value in found.items()}
        for name, value in sorted(limits.items()):
            yield from (resource_change(path, name, text) for text in less(name, value))
    for place, cell in enumerate(question["numa"]):
        yield from (replacement(text, "numa", place, "memory") for text in less("memory", cell["memory"]))
        for size, number in (cell.get("hugepages") or {}).items():
            fewer = sorted({1, number // 2} - {0})
            yield from (replacement(n, "numa", place, "hugepages", size) for n in fewer if n < number)


def places(question: Question) -> Iterator[tuple[tuple[str | int, ...], Raw]]:
    """Yield every container with its path."""
    for place, pod in enumerate(question["pods"]):
        for kind in ("initContainers", "containers"):
            for n, container in enumerate(pod["spec"].get(kind) or ()):
                yield ("pods", place, "spec", kind, n), container


def less(name: str, text: str) -> Iterator[str]:
    """Yield smaller amounts, the smallest first: whole CPUs and devices, whole MiB."""
    size = Quantity.parse(text).value
    if name == "memory" or name.startswith("hugepages-"):
        yield from (f"{number // MIB}Mi" for number in (MIB, GIB, size // 2) if MIB <= number < size)
    else:
        yield from (str(number) for number in sorted({1, 2, size // 2, size - 1}) if 0 < number < size)
        if text not in {str(size), "0"}:
            yield str(size)


def at(found: Any, path: Sequence[str | int]) -> Any:
    """Follow a path."""
    for key in path:
        found = found[key]
    return found


def removal(*path: str | int) -> Edit:
    """Make the edit that removes what lies at a path."""

    def edit(question: Question) -> None:
        del at(question, path[:-1])[path[-1]]

    return edit


def replacement(value: object, *path: str | int) -> Edit:
    """Make the edit that puts a value at a path."""

    def edit(question: Question) -> None:
        at(question, path[:-1])[path[-1]] = value

    return edit


def resource_removal(path: Sequence[str | int], name: str) -> Edit:
    """Make the edit that removes a resource from requests and limits alike."""

    def edit(question: Question) -> None:
        for found in at(question, path)["resources"].values():
            found.pop(name, None)

    return edit


def resource_change(path: Sequence[str | int], name: str, text: str) -> Edit:
    """Make the edit that changes an amount; requests and limits that were equal stay equal."""

    def edit(question: Question) -> None:
        resources = at(question, path)["resources"]
        for found in resources.values():
            if name in found:
                found[name] = text

    return edit


def reservation_removal(place: int) -> Edit:
    """Make the edit that removes reserved memory: of its NUMA node, and from the sum."""

    def edit(question: Question) -> None:
        settings = question["kubelet"]
        reservation = settings["nodeAllocatableReservation"]
        for name, size in settings["reservedMemory"].pop(place)["limits"].items():
            if name in reservation:
                left = Quantity.parse(reservation[name]) - Quantity.parse(size)
                reservation[name] = str(left)

    return edit


def core_removal(place: int, number: int) -> Edit:
    """Make the edit that removes a core, from the reserved CPUs as well."""

    def edit(question: Question) -> None:
        core = question["numa"][place]["cores"].pop(number)
        settings = question["kubelet"]
        reserved = cpuset.parse(settings.get("reservedSystemCPUs", ""))
        settings["reservedSystemCPUs"] = cpuset.format(reserved & ~sum(1 << cpu for cpu in core["threads"]))

    return edit


def cell_removal(place: int) -> Edit:
    """Make the edit that removes a NUMA node, its cores, its devices and its reserved memory."""

    def edit(question: Question) -> None:
        cell = question["numa"][place]
        for _ in range(len(cell.get("cores") or ())):
            core_removal(place, 0)(question)
        reserved = question["kubelet"].get("reservedMemory") or ()
        for position in reversed([n for n, one in enumerate(reserved) if one["numaNode"] == cell["id"]]):
            reservation_removal(position)(question)
        for name, found in question.get("devices", {}).items():
            question["devices"][name] = [one for one in found if one.get("numa") != [cell["id"]]]
        del question["numa"][place]

    return edit
