"""Reads what the models say about their fields: the text below each, as `kubectl explain` shows it."""

import ast
import inspect
from collections.abc import Iterator
from collections.abc import Mapping
from functools import cache
from types import ModuleType

from webhook.config.schema import Model


def field_docs(model: type[Model]) -> dict[str, dict[str, str]]:
    """Answer, by the name of each model, the texts of its fields by the names that documents use.

    Of two models with the same name the one beside `model` is meant.
    """
    nearest_last = sorted(_all(Model), key=lambda one: one.__module__ == model.__module__)
    return {one.__name__: _texts(one) for one in nearest_last}


def _all(model: type[Model]) -> Iterator[type[Model]]:
    yield model
    for below in model.__subclasses__():
        yield from _all(below)


def _texts(model: type[Model]) -> dict[str, str]:
    found: dict[str, str] = {}
    for base in reversed(model.__mro__):
        module = inspect.getmodule(base)
        if issubclass(base, Model) and module is not None:
            found |= _by_class(module).get(base.__name__, {})
    fields = model.model_fields
    return {fields[name].alias or name: text for name, text in found.items() if name in fields}


@cache
def _by_class(module: ModuleType) -> Mapping[str, Mapping[str, str]]:
    """Read a module's source: a string that stands below an annotated name is about it."""
    classes = [node for node in ast.parse(inspect.getsource(module)).body if isinstance(node, ast.ClassDef)]
    return {node.name: dict(_below(node)) for node in classes}


def _below(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for field, text in zip(node.body, node.body[1:], strict=False):
        if not (isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)):
            continue
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant) and isinstance(text.value.value, str):
            yield field.target.id, " ".join(text.value.value.split())
