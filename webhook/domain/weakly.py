"""Remembers what was derived from an object for as long as the object is in use.

Policies and snapshots are read again and again, and each brings node classes of its own: a cache that holds them,
however few, keeps machines that nobody has any more.
"""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

K = TypeVar("K")
V = TypeVar("V")


def weakly(derive: Callable[[K], V]) -> Callable[[K], V]:
    """Answer `derive` with a memory; what it answers must not hold its argument.

    >>> class Name(str): ...
    >>> length = weakly(len)
    >>> length(Name("abc"))
    3
    """
    known: WeakKeyDictionary[K, V] = WeakKeyDictionary()

    @wraps(derive)
    def remembered(subject: K) -> V:
        try:
            return known[subject]
        except KeyError:
            made = known[subject] = derive(subject)
            return made

    return remembered
