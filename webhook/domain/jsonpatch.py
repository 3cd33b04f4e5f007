"""JSON patches (RFC 6902): the difference of two documents, and its application.

Values compare as JSON values do, with their type: `true` is not 1, and 1 is not 1.0.

>>> [operation.as_dict() for operation in diff({"a": 1}, {"a": 1, "b/c": {"d": 2}})]
[{'op': 'add', 'path': '/b~1c', 'value': {'d': 2}}]
"""

import re
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass

from webhook.domain.errors import NumagateError
from webhook.domain.pointer import Path
from webhook.domain.pointer import pointer

_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")
_BAD_ESCAPE = re.compile(r"~(?![01])")


class PatchError(NumagateError):
    """A patch does not apply to a document."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One step of a patch: `op` is add, replace, remove or test; a remove has no value."""

    op: str
    path: str
    value: object = None

    def as_dict(self) -> dict[str, object]:
        """Answer the operation as a JSON object."""
        if self.op == "remove":
            return {"op": self.op, "path": self.path}
        return {"op": self.op, "path": self.path, "value": self.value}


def diff(before: object, after: object) -> tuple[Operation, ...]:
    """Answer the operations that turn `before` into `after`, in the order of the keys; none if they are the same.

    What is absent or null is set as a whole, so no parent is ever missing. Lists of equal length are compared member by
    member, others are replaced.
    """
    return tuple(_differences((), before, after))


def _differences(path: Path, before: object, after: object) -> Iterator[Operation]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in sorted(before.keys() | after.keys()):
            if key not in after:
                yield Operation("remove", pointer((*path, key)))
            elif key not in before:
                yield Operation("add", pointer((*path, key)), after[key])
            else:
                yield from _differences((*path, key), before[key], after[key])
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from _differences((*path, index), old, new)
    elif not (before is after or (type(before) is type(after) and before == after)):
        yield Operation("replace", pointer(path), after)


def apply(document: object, operations: Iterable[Operation]) -> object:
    """Answer `document` with `operations` done in order; `document` stays as it is, unchanged parts are shared.

    Raises:
        PatchError: a path does not exist, a test fails, or an operation is not one of add, replace, remove and test.
    """
    for operation in operations:
        document = _set(document, _steps(operation), operation)
    return document


def _steps(operation: Operation) -> list[str]:
    if not operation.path:
        return []
    if not operation.path.startswith("/") or _BAD_ESCAPE.search(operation.path):
        raise _failure(operation, "is no JSON pointer")
    return [step.replace("~1", "/").replace("~0", "~") for step in operation.path[1:].split("/")]


def _set(parent: object, steps: list[str], operation: Operation) -> object:
    """Answer `parent` with the operation done below it, copying only the containers on the way."""
    if not steps:
        return _changed_root(parent, operation)
    step, rest = steps[0], steps[1:]
    if isinstance(parent, Mapping):
        return _set_in_object(dict(parent), step, rest, operation)
    if isinstance(parent, list):
        return _set_in_list(list(parent), step, rest, operation)
    raise _failure(operation, f"has a parent of type {type(parent).__name__}")


def _changed_root(document: object, operation: Operation) -> object:
    match operation.op:
        case "add" | "replace":
            return operation.value
        case "test":
            if diff(document, operation.value):
                raise _failure(operation, "holds another value")
            return document
        case "remove":
            raise _failure(operation, "is the whole document, which cannot be removed")
    raise _failure(operation, "needs one of add, replace, remove and test")


def _set_in_object(parent: dict[str, object], step: str, rest: list[str], operation: Operation) -> object:
    if step not in parent and (rest or operation.op != "add"):
        raise _failure(operation, "does not exist")
    if operation.op == "remove" and not rest:
        del parent[step]
    else:
        parent[step] = _set(parent.get(step), rest, operation)
    return parent


def _set_in_list(parent: list[object], step: str, rest: list[str], operation: Operation) -> object:
    inserts = operation.op == "add" and not rest
    index = len(parent) if step == "-" and inserts else int(step) if _INDEX.fullmatch(step) else -1
    if not 0 <= index < len(parent) + inserts:
        raise _failure(operation, "does not exist")
    if inserts:
        parent.insert(index, operation.value)
    elif operation.op == "remove" and not rest:
        del parent[index]
    else:
        parent[index] = _set(parent[index], rest, operation)
    return parent


def _failure(operation: Operation, reason: str) -> PatchError:
    return PatchError(f"cannot {operation.op} {operation.path!r}: it {reason}")
