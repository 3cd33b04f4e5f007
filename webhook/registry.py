"""Loads the plug-ins of a package: one module, one constant, no second list."""

import importlib
import pkgutil
from types import ModuleType
from typing import TypeVar

from webhook.domain.errors import NumagateError

Plugin = TypeVar("Plugin")


def load(package: ModuleType, constant: str, kind: type[Plugin]) -> tuple[Plugin, ...]:
    """Answer `constant` of every module in `package`, in the order of the module names.

    A module whose name starts with `_` is a helper of its neighbours and is left out.

    Raises:
        NumagateError: a module lacks the constant or has another type in it, or two carry the same name.
    """
    found: list[Plugin] = []
    names: dict[object, str] = {}
    for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda info: info.name):
        if info.name.startswith("_"):
            continue
        module = importlib.import_module(f"{package.__name__}.{info.name}")
        plugin = getattr(module, constant, None)
        if not isinstance(plugin, kind):
            msg = f"{module.__name__} has no {constant} of type {kind.__name__}"
            raise NumagateError(msg)
        name = getattr(plugin, "name", info.name)
        if name in names:
            msg = f"{module.__name__} and {names[name]} are both named {name!r}"
            raise NumagateError(msg)
        names[name] = module.__name__
        found.append(plugin)
    return tuple(found)
