"""CPU lists as Linux and the kubelet write them ("0-3,8"), kept as integers used as bit sets.

>>> ids(parse("0-2,8"))
(0, 1, 2, 8)
>>> format(0b1_0000_0111)
'0-2,8'
"""

import re

MAX_CPU = 8191
"""The highest CPU id that is read: Linux is built for at most 8192 CPUs."""

_SHOWN = 32
_RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


def parse(text: str) -> int:
    """Read a CPU list; "" is the empty set.

    Raises:
        ValueError: `text` is no CPU list, a range runs backwards, or an id is above `MAX_CPU`.
    """
    bits = 0
    for part in text.split(",") if text else ():
        found = _RANGE.fullmatch(part)
        if found is None:
            msg = f"{_shown(part)} is no CPU or range of CPUs: write a list like 0-3,8"
            raise ValueError(msg)
        first = int(found[1])
        last = int(found[2] or first)
        if last < first:
            msg = f"the range {part} runs backwards: write {last}-{first}"
            raise ValueError(msg)
        if last > MAX_CPU:
            msg = f"CPU {last} is too high: the highest id is {MAX_CPU}"
            raise ValueError(msg)
        bits |= (1 << (last + 1)) - (1 << first)
    return bits


def format(bits: int) -> str:  # noqa: A001  # the pair of parse; callers write cpuset.format
    """Write a bit set as a CPU list, ranges as short as possible."""
    parts: list[str] = []
    position = 0
    while bits:
        gap = (bits & -bits).bit_length() - 1
        first, bits = position + gap, bits >> gap
        run = (~bits & (bits + 1)).bit_length() - 1
        parts.append(str(first) if run == 1 else f"{first}-{first + run - 1}")
        position, bits = first + run, bits >> run
    return ",".join(parts)


def ids(bits: int) -> tuple[int, ...]:
    """Answer the CPU ids of a bit set, ascending."""
    return tuple(position for position in range(bits.bit_length()) if bits >> position & 1)


def _shown(text: str) -> str:
    return ascii(text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "...")
