"""Names a place in a JSON object: as a path, as an RFC 6901 pointer, as the API server writes it.

>>> path = ("spec", "containers", 0, "resources", "limits", "nvidia.com/gpu")
>>> pointer(path)
'/spec/containers/0/resources/limits/nvidia.com~1gpu'
>>> field_path(path)
'spec.containers[0].resources.limits[nvidia.com/gpu]'
"""

from typing import TypeAlias

Path: TypeAlias = tuple[str | int, ...]
"""Keys and list positions from the root of an object."""

_MAPS = frozenset({"annotations", "labels", "limits", "requests", "nodeSelector", "matchLabels", "overhead"})


def pointer(path: Path) -> str:
    """Write `path` as an RFC 6901 JSON pointer."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def field_path(path: Path) -> str:
    """Write `path` as the API server does: map keys in brackets, fields behind dots."""
    parts: list[str] = []
    in_map = False
    for step in path:
        if isinstance(step, int) or in_map or "/" in step:
            parts.append(f"[{step}]")
        else:
            parts.append(f".{step}" if parts else step)
        in_map = isinstance(step, str) and not in_map and step in _MAPS
    return "".join(parts)
