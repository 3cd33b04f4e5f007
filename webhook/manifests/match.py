"""CEL conditions that keep everything numagate has no say in away from it.

A condition may let through more than the policy asks for (the service judges exactly), never less.
Optional selection (`.?`) guards every field: a condition that fails would refuse the object under failurePolicy Fail.
"""

import json
import re
import textwrap
from collections.abc import Iterable
from collections.abc import Sequence

from webhook.domain import keys
from webhook.domain.pod_path import EACH
from webhook.domain.pointer import Path
from webhook.domain.policy import IMPLICIT
from webhook.domain.policy import Accelerators

_MAGIC = re.compile(r"[*?\[]")
_WIDTH = 90
_PLAIN = re.compile(r"[A-Za-z0-9._/*() +:-]*")


def pod(variable: str, accelerators: Accelerators) -> str:
    """Say that the pod in `variable` asks for an accelerator or carries a key of ours."""
    return f"{carries_key(variable)} ||\n{requests_accelerator(variable, accelerators)}"


def requests_accelerator(variable: str, accelerators: Accelerators) -> str:
    """Say that a container or init container of the pod in `variable` names an accelerator in limits or requests."""
    containers = f"{variable}.?spec.?containers.orValue([]) + {variable}.?spec.?initContainers.orValue([])"
    return (
        f"({containers}).exists(c,\n"
        "  [c.?resources.?limits.orValue({}), c.?resources.?requests.orValue({})].exists(r, r.exists(k,\n"
        f"{_indent(accelerator('k', accelerators), 4)})))"
    )


def carries_key(variable: str) -> str:
    """Say that the object in `variable` has a label or an annotation of numagate's domain."""
    maps = ", ".join(f"{variable}.?metadata.?{field}.orValue({{}})" for field in ("labels", "annotations"))
    return f"[{maps}].exists(m,\n  m.exists(k, k.startsWith({text(keys.DOMAIN)})))"


def key_changed() -> str:
    """Say that a label or an annotation of numagate's domain was added, changed or removed."""
    new = {field: f"object.?metadata.?{field}.orValue({{}})" for field in ("labels", "annotations")}
    old = {field: value.replace("object", "oldObject") for field, value in new.items()}
    pairs = [pair for field in new for pair in ((new[field], old[field]), (old[field], new[field]))]
    listed = ",\n ".join(f"[{left}, {right}]" for left, right in pairs)
    return (
        f"[{listed}].exists(p,\n"
        f"  p[0].exists(k, k.startsWith({text(keys.DOMAIN)}) && !(k in p[1] && p[1][k] == p[0][k])))"
    )


def label_changed(selected: Iterable[str]) -> str:
    """Say that a label of numagate's domain, or one of those `selected`, was added, changed or removed."""
    new, old = "object.?metadata.?labels.orValue({})", "oldObject.?metadata.?labels.orValue({})"
    watched = any_of("k", (*selected, f"{keys.DOMAIN}*"))
    return (
        f"[[{new}, {old}],\n [{old}, {new}]].exists(p,\n"
        f"  p[0].exists(k, (\n{_indent(watched, 4)}) &&\n    !(k in p[1] && p[1][k] == p[0][k])))"
    )


def placement_changed() -> str:
    """Say that an update changed which nodes the pod may run on."""
    fields = ("nodeSelector", "affinity")
    return " || ".join(
        f"object.?spec.?{field}.orValue({{}}) != oldObject.?spec.?{field}.orValue({{}})" for field in fields
    )


def claims() -> str:
    """Say that the pod refers to resource claims."""
    return "size(object.?spec.?resourceClaims.orValue([])) > 0"


def namespace_is_none_of(patterns: Iterable[str], variable: str) -> str:
    """Say that the name in `variable`, that of the request's namespace, matches none of `patterns`.

    Objects of the whole cluster are in no namespace: reading it would be an error, and the webhook would be left out.
    """
    other = f"!({any_of(variable, _exact(patterns))})"
    return f"!has({variable}) || {other}" if variable.startswith("request.") else other


def templates(paths: Iterable[Path], accelerators: Accelerators) -> str:
    """Say that a pod template at one of `paths` asks for an accelerator or carries a key of ours."""
    plain: list[str] = []
    nested: list[str] = []
    for path in sorted(set(paths), key=str):
        if EACH in path:
            nested.append(_somewhere("object", path, accelerators, depth=0))
        else:
            plain.append(f"{_select('object', path)}.orValue({{}})")
    first = [f"[{', '.join(plain)}].exists(t,\n{_indent(pod('t', accelerators))})"] if plain else []
    return " ||\n".join([*first, *nested]) or "false"


def created_or_respecified() -> str:
    """Say that an object is new, or that an update changed more than its metadata and status."""
    new, old = (f"{variable}.?metadata.?generation.orValue(0)" for variable in ("object", "oldObject"))
    return f"request.operation != 'UPDATE' || {new} != {old}"


def accelerator(variable: str, accelerators: Accelerators) -> str:
    """Say that the resource name in `variable` is an accelerator of the policy."""
    names = tuple(name for name in accelerators.count if not _MAGIC.search(name) and accelerators.includes(name))
    globs = tuple(pattern for pattern in accelerators.count if _MAGIC.search(pattern))
    parts = [any_of(variable, names)] if names else []
    if globs:
        never = tuple(
            pattern for pattern in _exact(accelerators.never) if any(_overlap(pattern, glob) for glob in globs)
        )
        matched = any_of(variable, globs)
        parts.append(f"({matched}) &&\n!({any_of(variable, never)})" if never else matched)
    if accelerators.device_classes:  # hardly any pod names a class: which one is not worth a longer condition
        parts.append(f"{variable}.startsWith({text(IMPLICIT)})")
    wanted = " ||\n".join(parts) or "false"
    # cpu and memory have no slash: the usual container costs the API server next to nothing.
    slashed = all("/" in pattern for pattern in (*names, *globs))
    return f"{variable}.contains('/') && (\n{_indent(wanted)})" if slashed and parts else wanted


def any_of(variable: str, patterns: Sequence[str]) -> str:
    """Say that the text in `variable` matches one of `patterns`, in which `*` stands for any text."""
    names = sorted(pattern for pattern in patterns if not _MAGIC.search(pattern))
    globs = [_glob(variable, pattern) for pattern in sorted(patterns) if _MAGIC.search(pattern)]
    parts = [f"{variable} in [{_filled([text(name) for name in names], ',')}]"] if names else []
    parts += [_filled(globs, " ||")] if globs else []
    return " ||\n".join(parts) or "false"


def is_pattern(value: str) -> bool:
    """Tell whether `value` stands for more than itself."""
    return bool(_MAGIC.search(value))


def text(value: str) -> str:
    """Write `value` as a CEL string."""
    return f"'{value}'" if _PLAIN.fullmatch(value) else json.dumps(value, ensure_ascii=False)


def _glob(variable: str, pattern: str) -> str:
    start, star, end = pattern.partition("*")
    if star and not _MAGIC.search(start) and not _MAGIC.search(end):
        parts = [
            f"{variable}.{test}({text(part)})" for test, part in (("startsWith", start), ("endsWith", end)) if part
        ]
        return f"({' && '.join(parts)})" if len(parts) > 1 else "".join(parts) or "true"
    return f"{variable}.matches({text(_expression(pattern))})"


def _expression(pattern: str) -> str:
    """Translate a pattern to RE2; a set of characters is widened to any character."""
    widened = re.sub(r"\[!?\]?[^\]]*\]", "?", pattern)
    return "^" + "".join({"*": ".*", "?": "."}.get(char, re.escape(char)) for char in widened) + "$"


def _exact(patterns: Iterable[str]) -> tuple[str, ...]:
    """Leave out what `_expression` widens: where a pattern excludes, wider would be less."""
    return tuple(pattern for pattern in patterns if "[" not in pattern)


def _overlap(left: str, right: str) -> bool:
    """Tell whether two patterns may match the same text, judged by what stands before their first wildcard."""
    first, second = _MAGIC.split(left)[0], _MAGIC.split(right)[0]
    return first.startswith(second) or second.startswith(first)


def _somewhere(variable: str, path: Path, accelerators: Accelerators, *, depth: int) -> str:
    if EACH not in path:
        found = f"{_select(variable, path)}.orValue({{}})" if path else variable
        return f"[{found}].exists(t,\n{_indent(pod('t', accelerators))})"
    place = path.index(EACH)
    every = _select(variable, path[:place])
    member = f"e{depth}"
    rest = _somewhere(member, path[place + 1 :], accelerators, depth=depth + 1)
    # A list offers its members, a map its keys: both become a list of members first.
    members = f"[{every}.orValue([])].map(x, type(x) == list ? x : x.map(k, x[k]))[0]"
    return f"{members}.exists({member},\n{_indent(rest)})"


def _select(variable: str, path: Path) -> str:
    return variable + "".join(f".?{step}" for step in path)


def _indent(expression: str, width: int = 2) -> str:
    return textwrap.indent(expression, " " * width)


def _filled(parts: Sequence[str], separator: str) -> str:
    """Join `parts` into lines that a person can read and review."""
    lines = [""]
    for index, part in enumerate(parts):
        written = part + separator * (index < len(parts) - 1)
        if lines[-1] and len(lines[-1]) + len(written) > _WIDTH:
            lines.append("  " + written)
        else:
            lines[-1] += " " * bool(lines[-1]) + written
    return "\n".join(lines)
