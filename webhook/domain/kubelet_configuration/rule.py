"""A rule: what its module in `webhook.domain.kubelet_configuration.rules` exports as `RULE`."""

from collections.abc import Callable
from collections.abc import Iterator
from dataclasses import dataclass

from webhook.domain.kubelet_configuration.finding import Finding
from webhook.domain.kubelet_configuration.subject import Subject


@dataclass(frozen=True, slots=True)
class Rule:
    """A question to a configuration: it yields what it finds, returns early where it does not apply, never raises.

    `as_written` is one that looks at `raw` only, and so can be asked where other values cannot be read.
    """

    name: str
    find: Callable[[Subject], Iterator[Finding]]
    as_written: bool = False
