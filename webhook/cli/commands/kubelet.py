"""`numagate kubelet`: judges a kubelet's configuration, or writes one that aligns pods on a given machine."""

import argparse

from webhook.cli.command import Command

_FOLDER = "/var/lib/kubelet"

_EPILOG = """\
examples:
  numagate kubelet check config.yaml --node dgx-h100
  kubectl get --raw /api/v1/nodes/NAME/proxy/configz | numagate kubelet check - --version 1.36
  numagate kubelet check new.yaml --was old.yaml --node profile.yaml
  numagate kubelet generate --node two-socket-32c > config.yaml
"""
_CHECK_EPILOG = """\
exit codes:
  0  the kubelet starts, once the state files that are named are gone (without --node: nothing says that it does not)
  1  it does not start (--strict: or there are warnings, or state files that have to go)
  2  a file, folder, machine or version cannot be read
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    actions = parser.add_subparsers(title="actions", metavar="check|generate", dest="action", required=True)
    check = actions.add_parser("check", help="say whether a kubelet starts with it, and whether it aligns pods")
    check.formatter_class = argparse.RawDescriptionHelpFormatter
    check.epilog = _CHECK_EPILOG
    add = check.add_argument
    add(
        "file",
        metavar="FILE",
        help="a KubeletConfiguration, the answer of /configz, kubeadm's ConfigMap, or - for stdin",
    )
    add("--node", metavar="NAME|FILE", help="the machine: a name of the library, or a file with one NodeProfile")
    add("--was", metavar="FILE", help="the configuration until now: says which state files have to go")
    add("--state-dir", metavar="DIR", help=f"look at the state files there ({_FOLDER} on a node)")
    add("--strict", action="store_true", help="exit 1 on warnings and state files too")
    add("--output", choices=("json", "text"), default="text", help="output format (default: text)")
    generate = actions.add_parser("generate", help="write one that starts and aligns pods, with comments why")
    add = generate.add_argument
    add("--node", metavar="NAME|FILE", required=True, help="the machine: a name of the library, or a NodeProfile")
    policies = ("single-numa-node", "restricted", "best-effort")
    add("--policy", choices=policies, default=policies[0], help=f"topology manager policy (default: {policies[0]})")
    add("--scope", choices=("container", "pod"), default="pod", help="topology manager scope (default: pod)")
    add("--system-cpus", type=_number, metavar="N", help="CPUs for the system (default: a core of each NUMA node)")
    add("--system-memory", metavar="SIZE", help="memory for the system (default: 1/16 of each NUMA node, at most 16Gi)")
    add("--option", action="append", default=[], metavar="NAME=VALUE", help="a policy option; repeatable")
    for action in (check, generate):
        action.add_argument(
            "--version", metavar="1.N", help="the kubelet's version (default: the profile's, else 1.37)"
        )


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text[:9]) > 0):
        message = f"{text} is no number of CPUs: write 1 or more"
        raise argparse.ArgumentTypeError(message)
    return int(text[:9])


def _run(arguments: argparse.Namespace) -> int:
    if arguments.action == "generate":
        from webhook.cli.kubelet.produce import produce  # noqa: PLC0415 - help and other commands need not pay for it

        return produce(arguments)
    from webhook.cli.kubelet.report import report  # noqa: PLC0415 - as above

    return report(arguments)


COMMAND = Command(
    name="kubelet",
    help="judge a kubelet's configuration, or write one that aligns pods",
    configure=_configure,
    run=_run,
)
