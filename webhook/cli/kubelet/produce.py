"""Writes a configuration for a machine, after judging it: what would not start is not written."""

import argparse
import sys

from webhook.cli.kubelet import write
from webhook.cli.kubelet.examine import examine
from webhook.cli.kubelet.target import machine
from webhook.cli.kubelet.target import version_of
from webhook.config.amounts import read_bytes
from webhook.domain.errors import InputError
from webhook.domain.kubelet_configuration.draft import Wish
from webhook.domain.kubelet_configuration.draft import draft
from webhook.domain.visible import visible

_BAD_INPUT = 2


def produce(arguments: argparse.Namespace) -> int:
    """Answer 0 where the text was written, 2 where what is wished does not start; stderr says why.

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
            memory=read_bytes(arguments.system_memory) if arguments.system_memory else None,
            options=dict(pair.partition("=")[::2] for pair in arguments.option),
        )
        entries = draft(node, wish)
    except ValueError as error:
        raise InputError(str(error), file=node.name) from None
    text = write.document(entries, node=node.name, version=".".join(map(str, version)))
    [made] = examine(text, node.name, version=version, node=node)
    if made.starts:
        sys.stdout.write(text)
        return 0
    for told in made.findings:
        if told.fatal:
            line = f"{told.field}: {told.message}; {told.remedy}"
            sys.stderr.write(f"numagate: {visible(line)}\n")
    return _BAD_INPUT
