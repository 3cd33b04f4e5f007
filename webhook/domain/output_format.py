"""An output format: what its module in `webhook.formats` exports as `FORMAT`."""

from collections.abc import Callable
from dataclasses import dataclass

from webhook.domain.report import Report


@dataclass(frozen=True, slots=True)
class OutputFormat:
    """One way to write a report; `name` is unique and what `--output` takes, `write` answers the whole text."""

    name: str
    write: Callable[[Report], str]
