"""Resources in an operator's own vocabulary (`gpu: "1"`), in the words of Kubernetes."""

from collections.abc import Iterator
from dataclasses import dataclass

from webhook.domain.pointer import Path
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text

_SIDES = ("requests", "limits")


@dataclass(frozen=True, slots=True)
class OwnWords:
    """How an operator names resources: `devices` holds their number, `resource` beside it the name of the resource.

    `more` is a map of any other resources. If `flat`, one map stands for requests and limits.
    """

    devices: str = "gpu"
    resource: str = "gpuType"
    default: str = "nvidia.com/gpu"
    more: str = "custom"
    flat: bool = False

    def translate(self, written: JsonObject) -> tuple[JsonObject, dict[Path, Path]]:
        """Answer the resources of a container, and where the values lie: paths from the block on, in both words."""
        resources: dict[str, object] = {key: value for key, value in written.items() if key == "claims"}
        places: dict[Path, Path] = {}
        for side in _SIDES:
            block = written if self.flat else get_object(written, side)
            start: Path = () if self.flat else (side,)
            if self.flat or side in written:
                places[(side,)] = start
                resources[side] = {}
            for name, value, place in self._amounts(block):
                resources[side] = {**as_object(resources[side]), name: value}
                places[(side, name)] = (*start, *place)
        return resources, places

    def _amounts(self, block: JsonObject) -> Iterator[tuple[str, object, Path]]:
        for key, value in block.items():
            if key == self.devices:
                yield get_text(block, self.resource) or self.default, value, (key,)
            elif key == self.more:
                yield from ((name, amount, (key, name)) for name, amount in as_object(value).items())
            elif key != self.resource and not isinstance(value, dict | list):
                yield key, value, (key,)
