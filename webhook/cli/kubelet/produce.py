"""Writes a configuration for a machine, after judging it: what does not start, or reserves too much, is not written."""

import argparse
import sys
from typing import Final

from webhook.cli.kubelet import write
from webhook.cli.kubelet.examine import Told
from webhook.cli.kubelet.examine import examine
from webhook.cli.kubelet.target import machine
from webhook.cli.kubelet.target import version_of
from webhook.config.amounts import read_bytes
from webhook.domain.errors import InputError
from webhook.domain.kubelet_configuration.draft import Wish
from webhook.domain.kubelet_configuration.draft import draft
from webhook.domain.visible import visible

_BAD_INPUT = 2


_SYSTEM_CPUS: Final = "--system-cpus"
_SYSTEM_MEMORY: Final = "--system-memory"
_RESERVATIONS: Final = {
    "reservedSystemCPUs": _SYSTEM_CPUS,
    "systemReserved": _SYSTEM_MEMORY,
    "evictionHard": _SYSTEM_MEMORY,
    "reservedMemory": _SYSTEM_MEMORY,
}
"""The fields that hold reservations, and the options that decide them."""


def produce(arguments: argparse.Namespace) -> int:
    """Answer 0 where the text was written, 2 where it does not start or a reservation is no good; stderr says why.

    What else the check warns of was chosen by name, with --policy or --option: it is told, and written.

    Raises:
        NumagateError: a wish cannot be read, or no machine has that name.
    """
    node = machine(arguments.node)
    version = version_of(arguments.version, node)
    try:
        wish = Wish(
            version=version,
            policy=arguments.policy,
            scope=arguments.scope,
            cpus=arguments.system_cpus,
            memory=_memory(arguments.system_memory),
            options=dict(map(_option, arguments.option)),
        )
        entries = draft(node, wish)
    except ValueError as error:
        raise InputError(str(error), file=node.name) from None
    text = write.document(entries, node=node.name, version=".".join(map(str, version)))
    [made] = examine(text, node.name, version=version, node=node)
    refused = [told for told in made.findings if told.fatal or _reservation(told)]
    for told in refused or made.findings:
        level = "" if refused else "warning: "
        line = f"{level}{_wished(told, arguments)}{told.field}: {told.message}; {told.remedy}"
        sys.stderr.write(f"numagate: {visible(line)}\n")
    if refused:
        return _BAD_INPUT
    sys.stdout.write(text)
    return 0


def _memory(text: str | None) -> int | None:
    if text is None:
        return None
    try:
        return read_bytes(text)
    except ValueError as error:
        raise InputError(str(error), file=_SYSTEM_MEMORY) from None


def _option(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    if not (name and value):
        message = f'"{text}" has no value: write NAME=VALUE, such as full-pcpus-only=true'
        raise InputError(message, file="--option")
    return name, value


def _reservation(told: Told) -> str:
    """Answer the option that decides the field, or "" where it holds no reservation."""
    return _RESERVATIONS.get(told.field.partition(".")[0].partition("[")[0], "")


def _wished(told: Told, arguments: argparse.Namespace) -> str:
    """Name the option that was given for the field, if one was."""
    option = _reservation(told)
    value = {_SYSTEM_CPUS: arguments.system_cpus, _SYSTEM_MEMORY: arguments.system_memory}.get(option)
    return f"{option} {value}: " if value is not None else ""
