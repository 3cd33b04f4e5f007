"""How many pods an object makes of one template: a product of numbers that stand in the object."""

from collections.abc import Iterable
from dataclasses import dataclass

from webhook.domain import pod_path
from webhook.domain.pointer import Path
from webhook.domain.raw import JsonObject


@dataclass(frozen=True, slots=True)
class Factor:
    """A number at `path` in the object, or `default` where none is written (None: then nobody can say).

    Members of lists are those that the template lies in. There is one less if something lies at `less`; () is the
    object, which always is there. Nobody can say either where something lies at `unless`. Without a path the number is
    `default`.
    """

    path: Path | None
    default: int | None = 1
    less: Path | None = None
    unless: Path | None = None


ONE = (Factor(None),)
"""Exactly one pod."""


def times(*paths: str, default: int | None = 1) -> tuple[Factor, ...]:
    """Multiply the numbers at `paths`, each of which is `default` where it is not written."""
    return tuple(Factor(pod_path.parse(path), default) for path in paths)


def count(obj: JsonObject, factors: Iterable[Factor], place: Path) -> int | None:
    """Multiply the factors for the template that was found at `place`; None where one of them is not known."""
    total = 1
    for factor in factors:
        number = _number(obj, factor, place)
        if number is None:
            return None
        total *= number
    return total


def _number(obj: JsonObject, factor: Factor, place: Path) -> int | None:
    if factor.unless is not None and pod_path.at(obj, factor.unless) is not None:
        return None
    value = None if factor.path is None else pod_path.at(obj, pod_path.bind(factor.path, place))
    if value is None:
        value = factor.default
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        return None
    if factor.less is not None and pod_path.at(obj, pod_path.bind(factor.less, place)) is not None:
        return max(0, value - 1)
    return value
