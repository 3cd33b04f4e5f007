"""Words for edits: values as they stand in a manifest or as people say them, and lists of them."""

from collections.abc import Callable
from collections.abc import Iterable

from webhook.domain.quantity import Quantity
from webhook.domain.resources import CPU
from webhook.domain.resources import MEMORY
from webhook.domain.resources import is_extended
from webhook.engine.suggestion import Change

_MOST_LISTED = 6


def as_written(edit: Change) -> str:
    """Write a value as it stands in a manifest."""
    return f"{edit.resource} {edit.new}"


def given(edits: tuple[Change, ...], word: Callable[[Change], str] = as_written) -> str:
    """Write edits container by container.

    >>> given((Change("a", "cpu", "9", "8"), Change("a", "memory", "", "1Gi"), Change("b", "cpu", "3", "2")))
    'container a cpu 8, memory 1Gi and container b cpu 2'
    """
    words: dict[str, list[str]] = {}
    for edit in edits:
        words.setdefault(edit.container, []).append(word(edit))
    if len(words) == 1:
        return "".join(f"container {name} {listed(values)}" for name, values in words.items())
    return listed(f"container {name} {', '.join(values)}" for name, values in words.items())


def listed(parts: Iterable[str]) -> str:
    """Join parts as people do; of many the first ones and how many more.

    >>> listed(["4 GPUs", "44 CPUs", "800Gi"]), listed("abcdefgh")
    ('4 GPUs, 44 CPUs and 800Gi', 'a, b, c, d, e and 3 more')
    """
    *head, last = parts
    if len(head) >= _MOST_LISTED:
        head, last = head[: _MOST_LISTED - 1], f"{len(head) - _MOST_LISTED + 2} more"
    return f"{', '.join(head)} and {last}" if head else last


def order(edit: Change) -> int:
    """Devices first, then CPU, memory and huge pages."""
    order = {CPU: 1, MEMORY: 2}
    return 0 if is_extended(edit.resource) else order.get(edit.resource, 3)


def in_words(edit: Change) -> str:
    """Say a value; CPUs that are no plain number as they are written.

    >>> in_words(Change("a", "cpu", "3", "2")), in_words(Change("a", "cpu", "1", "990m"))
    ('2 CPUs', 'cpu 990m')
    >>> in_words(Change("a", "nvidia.com/gpu", "4k", "2k")), in_words(Change("a", "hugepages-2Mi", "2Gi", "1Gi"))
    ('2000 GPUs', '1Gi of hugepages-2Mi')
    """
    if edit.resource == CPU and not edit.new.isdecimal():
        return as_written(edit)
    if edit.resource == CPU:
        return "1 CPU" if edit.new == "1" else f"{edit.new} CPUs"
    if edit.resource == MEMORY:
        return edit.new
    if is_extended(edit.resource):
        return counted(Quantity.parse(edit.new).value, edit.resource)
    return f"{edit.new} of {edit.resource}"


def counted(number: int, resource: str) -> str:
    """Write a count of devices.

    >>> counted(4, "nvidia.com/gpu"), counted(1, "example.com/npu")
    ('4 GPUs', '1 example.com/npu')
    """
    if resource.endswith("/gpu"):
        return f"{number} GPU{'' if number == 1 else 's'}"
    return f"{number} {resource}"
