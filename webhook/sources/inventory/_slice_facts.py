"""Reduces a ResourceSlice: where its devices are, told by whichever attribute its driver uses."""

from collections.abc import Iterator

from webhook.config.amounts import MAX_CPU
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.sources.evidence import DeviceFacts
from webhook.sources.evidence import SliceFacts
from webhook.sources.inventory._node_facts import amount

_STANDARD = "resource.kubernetes.io/numaNode"
_OLDER = ("numaNode", "numaNodeID", "numa")
"""Last parts of the names that drivers used before there was a standard one."""
_ROOT = "resource.kubernetes.io/pcieRoot"
_CPU = "dra.cpu/"
_MOST = 1023


def reduce_slice(obj: JsonObject) -> SliceFacts | None:
    """Reduce a ResourceSlice (v1, v1beta1 or v1beta2); `name` is the slice's own name, `node` that of its node.

    None for a slice that belongs to no single node.
    """
    spec = get_object(obj, "spec")
    node = get_text(spec, "nodeName")
    if not node:
        return None
    driver = get_text(spec, "driver")
    generation = get_object(spec, "pool").get("generation")
    return SliceFacts(
        name=get_text(get_object(obj, "metadata"), "name"),
        node=node,
        driver=driver,
        pool=get_text(get_object(spec, "pool"), "name"),
        generation=generation if isinstance(generation, int) else 0,
        devices=tuple(_device(as_object(device), driver) for device in get_list(spec, "devices")),
    )


def _device(block: JsonObject, driver: str) -> DeviceFacts:
    basic = get_object(block, "basic") or block  # v1beta1 has one level more
    attributes = {
        key if "/" in key else f"{driver}/{key}": as_object(value)
        for key, value in get_object(basic, "attributes").items()
    }
    return DeviceFacts(
        numa=next(_numa_nodes(attributes), None),
        roots=tuple(_texts(attributes.get(_ROOT))),
        kind=get_text(attributes.get(f"{driver}/type"), "string"),
        cpus=min(_integer(attributes.get(_CPU + "numCPUs")) or 0, MAX_CPU),
        cpu=_integer(attributes.get(_CPU + "cpuID")),
        core=_integer(attributes.get(_CPU + "coreID")),
        socket=_integer(attributes.get(_CPU + "socketID")),
        smt=_boolean(attributes.get(_CPU + "smtEnabled")),
        memory=_memory(get_object(basic, "capacity"), attributes) if driver == "dra.memory" else 0,
    )


def _numa_nodes(attributes: dict[str, JsonObject]) -> Iterator[int]:
    """Yield the device's own NUMA node by each name: the standard one first; of a list, its first is the own one."""
    older = sorted(key for key in attributes if key.rpartition("/")[2] in _OLDER and key != _STANDARD)
    for key in (_STANDARD, *older):
        value = attributes.get(key, {})
        ints = get_list(value, "ints")
        number = value.get("int", ints[0] if ints else None)
        if type(number) is int and 0 <= number <= _MOST:  # True is an int, too
            yield number


def _texts(value: JsonObject | None) -> Iterator[str]:
    yield from (
        text for text in (get_text(value, "string"), *get_list(value, "strings")) if isinstance(text, str) and text
    )


def _integer(value: JsonObject | None) -> int | None:
    number = as_object(value).get("int")
    return number if type(number) is int and 0 <= number <= MAX_CPU else None


def _boolean(value: JsonObject | None) -> bool | None:
    truth = as_object(value).get("bool")
    return truth if isinstance(truth, bool) else None


def _memory(capacity: JsonObject, attributes: dict[str, JsonObject]) -> int:
    """Answer the bytes of plain memory; devices of huge pages are parts of the same memory."""
    if _boolean(attributes.get("dra.memory/hugeTLB")) or _boolean(attributes.get("resource.kubernetes.io/hugeTLB")):
        return 0
    size = capacity.get("memory", capacity.get("dra.memory/memory", capacity.get("size")))
    return amount(as_object(size).get("value"))
