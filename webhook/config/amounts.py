"""Reads the numbers of a document: quantities, byte counts, CPU lists; each refusal says what to write."""

from collections import Counter

from webhook.config.words import shorten
from webhook.domain.quantity import Quantity
from webhook.domain.quantity import QuantityError

MAX_CPU = 16_383
"""Highest CPU id: beyond the largest Linux machines, and small enough for a bit set."""

MAX_COUNT = 1 << 40


def read_amount(value: object) -> Quantity:
    """Read a quantity that is not negative.

    Raises:
        ValueError: it is negative or no quantity.
    """
    try:
        amount = Quantity.from_json(value)
    except QuantityError as error:
        raise ValueError(str(error)) from None
    if amount.sign < 0:
        message = f"{shorten(value)} is negative: write 0 or more"
        raise ValueError(message)
    return amount


def read_bytes(value: object) -> int:
    """Read a whole number of bytes (or pages) that is not negative.

    Raises:
        ValueError: it is negative, fractional or no quantity.
    """
    amount = read_amount(value)
    if amount.exponent < 0:
        message = f"{shorten(value)} is not a whole number: write {amount.value}"
        raise ValueError(message)
    return amount.value


def read_helper_cpu(value: object) -> Quantity:
    """Read the CPU value of a helper, which must keep it in the shared pool.

    Raises:
        ValueError: it is zero, finer than a milli-CPU, or whole: a whole number would pin cores for the helper.
    """
    amount = read_amount(value)
    if amount.is_zero:
        message = f"{shorten(value)} is no CPU value for a helper: with 0 the pod is not Guaranteed; write at least 1m"
        raise ValueError(message)
    if amount.exponent >= 0:
        less = f"{amount.milli - 10}m"
        message = f"{shorten(value)} is a whole number of CPUs and would pin cores for the helper: write {less}"
        raise ValueError(message)
    if amount.exponent < -3:  # noqa: PLR2004 - milli
        message = f"{shorten(value)} is finer than a milli-CPU: write {amount.milli}m"
        raise ValueError(message)
    return amount


def read_positive_bytes(value: object) -> int:
    """Read a number of bytes above zero.

    Raises:
        ValueError: it is none.
    """
    size = read_bytes(value)
    if size == 0:
        message = f"{shorten(value)} is no memory at all: write at least 1Mi"
        raise ValueError(message)
    return size


def read_count(value: int) -> int:
    """Let a count through that is not negative and not absurd.

    Raises:
        ValueError: it is one of both.
    """
    if not 0 <= value <= MAX_COUNT:
        message = f"{shorten(value)} is no count: write 0 or more"
        raise ValueError(message)
    return value


def read_cpu_list(text: str) -> tuple[int, ...]:
    """Read a Linux CPU list in the order it is written.

    >>> read_cpu_list("0-2,8")
    (0, 1, 2, 8)

    Raises:
        ValueError: it is none, names a CPU twice, or an id above `MAX_CPU`.
    """
    cpus: list[int] = []
    for part in text.split(",") if text else ():
        first, dash, last = part.strip().partition("-")
        ends = (first, last) if dash else (first, first)
        if not all(end.isascii() and end.isdigit() and len(end) <= 5 and int(end) <= MAX_CPU for end in ends):  # noqa: PLR2004
            message = f"{shorten(part)} in {shorten(text)} is no CPU id or range: write a list like 0-47,96-143"
            raise ValueError(message)
        if int(ends[1]) < int(ends[0]):
            message = f"{shorten(part)} in {shorten(text)} runs backwards: write {ends[1]}-{ends[0]}"
            raise ValueError(message)
        cpus.extend(range(int(ends[0]), int(ends[1]) + 1))
        if len(cpus) > MAX_CPU + 1:  # some are named twice: no need to read on
            break
    twice = sorted(cpu for cpu, times in Counter(cpus).items() if times > 1)
    if twice:
        message = f"{shorten(text)} names CPU {twice[0]} twice: name each once"
        raise ValueError(message)
    return tuple(cpus)
