"""Shows what was found in configurations, as text of one line a finding, and as JSON."""

from collections.abc import Iterator
from collections.abc import Sequence
from typing import Final

from webhook.cli.kubelet.examine import Examined
from webhook.cli.kubelet.examine import Told
from webhook.domain.kubelet_configuration.state_files import Stale
from webhook.domain.versions import Version
from webhook.domain.visible import visible
from webhook.sources.kubelet_versions import judged_as

SCHEMA: Final = "numagate.io/kubelet-check/v1"


def as_text(examined: Sequence[Examined], stale: Sequence[Stale] | None, steps: Sequence[str]) -> Iterator[str]:
    """Yield the lines: findings by their place, then what they add up to, then what to do with state files."""
    for one in examined:
        yield from (visible(_line(one, told)) for told in one.findings)
        yield visible(_verdict(one))
    if stale is None:
        return
    yield from (visible(f"{one.name} has to go: {one.reason}") for one in stale)
    if not stale:
        yield "no state file has to be removed"
    yield from (visible(f"  {number}. {step}") for number, step in enumerate(steps, start=1))


def as_json(examined: Sequence[Examined], stale: Sequence[Stale] | None, steps: Sequence[str]) -> dict[str, object]:
    """Make the document; `stateFiles` is null where nobody asked for them."""
    return {
        "schema": SCHEMA,
        "configurations": [_configuration(one) for one in examined],
        "stateFiles": None if stale is None else [{"name": one.name, "reason": one.reason} for one in stale],
        "steps": list(steps),
    }


def _configuration(one: Examined) -> dict[str, object]:
    return {
        "source": one.source,
        "version": _shown(one.version),
        "judgedAs": _shown(judged_as(one.version)),
        "node": one.node,
        "starts": one.starts,
        "findings": [
            {
                "code": told.code,
                "severity": _severity(told),
                "field": told.field,
                "line": told.line or None,
                "value": told.value,
                "message": told.message,
                "remedy": told.remedy or None,
            }
            for told in one.findings
        ],
    }


def _line(one: Examined, told: Told) -> str:
    place = f"{one.source}:{told.line}" if told.line else one.source
    value = "" if told.value is None else f" ({_short(told.value)})"
    field = f"{told.field}{value}: " if told.field else ""
    remedy = f"; {told.remedy}" if told.remedy else ""
    return f"{place}: {_severity(told)}: {field}{told.message}{remedy} [{told.code}]"


def _verdict(one: Examined) -> str:
    fatal = sum(told.fatal for told in one.findings)
    warned = len(one.findings) - fatal
    counts = f"{fatal} {'error' if fatal == 1 else 'errors'}, {warned} {'warning' if warned == 1 else 'warnings'}"
    where = f"kubelet {_shown(one.version)}"
    if judged_as(one.version) != one.version:
        where += f" (judged as {_shown(judged_as(one.version))})"
    if one.node:
        where += f" on {one.node}"
    match one.starts:
        case True:
            said = "starts"
        case False:
            said = "does not start"
        case None:
            said = "may start: name a machine with --node to check CPUs, sums and NUMA nodes"
    rest = "" if one.is_readable else " (the rest is judged once these can be read)"
    return f"{one.source}: {where} {said} ({counts}){rest}"


def _shown(version: Version) -> str:
    return ".".join(map(str, version))


def _severity(told: Told) -> str:
    return "error" if told.fatal else "warning"


def _short(value: str) -> str:
    return value if len(value) <= 60 else value[:57] + "..."  # noqa: PLR2004 - a line
