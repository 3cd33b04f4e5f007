"""`numagate policy`: which policy governs the pods of manifests, and the policies in the order they are asked."""

import argparse
import json
import sys
from collections.abc import Iterator
from datetime import UTC
from datetime import datetime
from typing import TYPE_CHECKING

from webhook.cli import inputs
from webhook.cli.command import Command
from webhook.domain.levels import MODES
from webhook.domain.visible import visible

if TYPE_CHECKING:  # the other commands need not pay for it
    from webhook.domain.levels import Modes
    from webhook.domain.policy import Policy
    from webhook.engine.governance import Governance

SCHEMA = "numagate.io/policy/v1"

_EPILOG = """\
examples:
  numagate policy which deployment.yaml --policy policies.yaml
  numagate policy which deployment.yaml --world world.json --namespace team-a
  numagate policy list --policy policies.yaml
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    actions = parser.add_subparsers(title="actions", metavar="which|list", dest="action", required=True)
    which = actions.add_parser("which", help="the policy that governs each pod template, why, and its modes")
    inputs.add_options(which, policy="choose", governed="count")
    listing = actions.add_parser("list", help="the policies in the order in which they are asked")
    inputs.add_world(listing, policy="list")
    for action in (which, listing):
        action.add_argument("--output", choices=("json", "text"), default="text", help="output format (default: text)")


def _run(arguments: argparse.Namespace) -> int:
    return _which(arguments) if arguments.action == "which" else _list(arguments)


def _which(arguments: argparse.Namespace) -> int:
    from webhook.engine import governance  # noqa: PLC0415 - help and other commands need not pay for it

    given = inputs.read(arguments)
    reading = given.reading
    found = tuple(
        governance.find(
            reading.manifests, world=given.world, workloads=given.workloads, default_namespace=arguments.namespace
        )
    )
    if arguments.output == "json":
        _print({"schema": SCHEMA, "pods": [_as_json(one) for one in found]})
    else:
        sys.stdout.writelines(f"{line}\n" for one in found for line in _lines(one))
    sys.stderr.writelines(f"numagate: {error}\n" for error in reading.errors)
    return 2 if reading.errors else 0


def _lines(one: "Governance") -> Iterator[str]:
    yield f"{visible(one.kind)} {visible(one.name)}  {visible(one.path)}, {visible(one.file)} line {one.line}"
    if one.policy is None or one.modes is None:
        yield f"    no policy matches in namespace {visible(one.namespace)}: neither judged nor repaired"
    else:
        yield f"    policy {visible(one.policy.name)} in namespace {visible(one.namespace)}: {_modes(one.modes)}"
    if one.exemption:
        yield f"    {visible(one.exemption)}"
    yield from (f"    {visible(text)}" for text in one.expired)
    yield from (f"    not {visible(other.name)}: {visible(other.why)}" for other in one.passed_over)


def _as_json(one: "Governance") -> dict[str, object]:
    return {
        "file": one.file,
        "line": one.line,
        "kind": one.kind,
        "name": one.name,
        "namespace": one.namespace,
        "path": one.path,
        "policy": one.policy.name if one.policy else None,
        "modes": _levels(one.modes) if one.modes else None,
        "exemption": one.exemption or None,
        "expired": list(one.expired),
        "passedOver": [{"policy": other.name, "why": other.why} for other in one.passed_over],
    }


def _list(arguments: argparse.Namespace) -> int:
    from webhook.cli import wiring  # noqa: PLC0415 - help and other commands need not pay for it

    now = datetime.now(tz=UTC)
    known = wiring.load_world(policy=arguments.policy, profiles=(), governs=None, instant=now, snapshot=arguments.world)
    if arguments.output == "json":
        _print({"schema": SCHEMA, "policies": [_policy_as_json(one, now) for one in known.policies]})
        return 0
    if not known.policies:
        sys.stdout.write("there is no policy: nothing is judged\n")
    for one in known.policies:
        sys.stdout.write(f"{visible(one.name)}  priority {one.priority}, {_modes(one.modes)}\n")
        sys.stdout.write(f"    for {visible(str(one.match))}\n")
        sys.stdout.writelines(f"    {visible(line)}\n" for line in _exemptions(one, now))
    return 0


def _exemptions(policy: "Policy", now: datetime) -> Iterator[str]:
    for rule in policy.exemptions.rules:
        names = ", ".join((*rule.namespaces, *rule.users, *rule.groups, *rule.runtime_classes))
        state = "" if rule.until is None else f" until {rule.until:%Y-%m-%dT%H:%M:%SZ}"
        over = "" if rule.holds_at(now) else " (over: it no longer holds)"
        yield f"exempt{state}{over}: {names}: {rule.reason}"


def _policy_as_json(policy: "Policy", now: datetime) -> dict[str, object]:
    return {
        "name": policy.name,
        "priority": policy.priority,
        "generation": policy.generation,
        "modes": _levels(policy.modes),
        "exemptions": [
            {
                "reason": rule.reason,
                "until": rule.until.isoformat() if rule.until else None,
                "expired": not rule.holds_at(now),
                "namespaces": list(rule.namespaces),
                "users": list(rule.users),
                "groups": list(rule.groups),
                "runtimeClasses": list(rule.runtime_classes),
            }
            for rule in policy.exemptions.rules
        ],
    }


def _levels(modes: "Modes") -> dict[str, str]:
    return {name: str(getattr(modes, name)) for name in MODES}


def _modes(modes: "Modes") -> str:
    return ", ".join(f"{name} {level}" for name, level in _levels(modes).items())


def _print(document: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=True) + "\n")


COMMAND = Command(
    name="policy",
    help="show which policy governs a pod, and why",
    configure=_configure,
    run=_run,
)
