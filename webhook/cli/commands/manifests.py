"""`numagate manifests`: renders what is installed on a cluster."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from webhook import __version__
from webhook.cli.command import Command
from webhook.domain.api import POLICY
from webhook.domain.errors import InputError

if TYPE_CHECKING:  # the other commands need not pay for it
    from webhook.manifests.settings import Settings

_STDOUT = "-"
_FOLDER = "manifests"
_FROM_FILE = "-file"
"""Ends the names of the overlays whose policy is a file."""
_BY_CERT_MANAGER = "cert-manager"
"""Ends the names of the overlays whose certificates are cert-manager's."""

_DESCRIPTION = """\
Renders the folder manifests/ (kustomize, and a Helm chart of the same objects) from the code's own registry and a
policy, or, with --overlay, one combination as a flat YAML stream that can be piped into `kubectl apply -f -`.
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    add = parser.add_argument
    add("--policy", type=Path, metavar="FILE", help="policy to install, and to render the conditions from")
    add("--output", metavar="PATH", help=f"folder (default {_FOLDER}); with --overlay a file, or - (default)")
    add(
        "--overlay",
        metavar="NAME",
        help="write one overlay: crds; observe, trial or enforce, each with -cert-manager or -file behind it, too; "
        "self-signed, self-signed-file or cert-manager (the server alone, which is asked nothing); agent; monitoring",
    )
    add("--namespace", default="numagate-system", help="namespace of the installation (default %(default)s)")
    add("--image", default=f"numagate:{__version__}", help="image of the service (default %(default)s)")
    add(
        "--ca-bundle",
        type=Path,
        metavar="FILE",
        help="CA certificate, PEM, that the API server shall trust; certificates are yours to issue then",
    )
    add(
        "--api-server",
        action="append",
        default=[],
        metavar="CIDR",
        help="address block that the pods may call: the API servers; repeatable (default: their usual ports, anywhere)",
    )
    add("--url", help="https://HOST:PORT to call instead of the Service, where there is no cluster network")
    add("--controller-url", metavar="URL", help="with --url: the same for the controller, which warns about namespaces")
    add("--client-auth", action="store_true", help="ask the API server for a certificate (see numagate certs client)")
    add(
        "--client-name",
        action="append",
        default=[],
        metavar="NAME",
        help="name that such a certificate may have; repeatable (default kube-apiserver)",
    )
    add("--check", action="store_true", help="write nothing; exit 1 if the folder differs")


def _run(arguments: argparse.Namespace) -> int:
    from webhook.manifests.tree import differences  # noqa: PLC0415 - loaded for this command only
    from webhook.manifests.tree import files  # noqa: PLC0415
    from webhook.manifests.tree import write  # noqa: PLC0415

    if arguments.overlay is not None:
        return _print(arguments)
    if arguments.output == _STDOUT:
        msg = "a folder of files cannot be printed: add --overlay NAME"
        raise InputError(msg, file="--output -")
    folder = Path(arguments.output or _FOLDER)
    rendered = files(_settings(arguments))
    try:
        if not arguments.check:
            write(folder, rendered)
        found = differences(folder, rendered)
    except OSError as error:
        raise _unusable(folder, error) from None
    sys.stderr.writelines(f"{folder}/{line}\n" for line in found)
    return 1 if found and arguments.check else 0


def _print(arguments: argparse.Namespace) -> int:
    from webhook.manifests.overlays import NAMES  # noqa: PLC0415
    from webhook.manifests.overlays import flat  # noqa: PLC0415
    from webhook.manifests.policy_text import fragile  # noqa: PLC0415
    from webhook.manifests.policy_text import selecting  # noqa: PLC0415
    from webhook.manifests.text import dump  # noqa: PLC0415

    if arguments.overlay not in NAMES:
        message = f"{arguments.overlay!r} is no overlay: write one of {', '.join(NAMES)}"
        raise InputError(message, file="--overlay")
    if arguments.check:
        msg = "compares the folder, not one overlay: leave out --overlay"
        raise InputError(msg, file="--check")
    if arguments.ca_bundle and arguments.overlay.endswith(_BY_CERT_MANAGER):
        msg = "cert-manager fills in caBundle: leave it out, or take the overlay without -cert-manager"
        raise InputError(msg, file="--ca-bundle")
    settings = _settings(arguments)
    text = dump(flat(settings, arguments.overlay))
    for name in fragile(settings.policy_text) if f"kind: {POLICY}" in text.splitlines() else ():
        # Standard output is for kubectl.
        sys.stderr.write(f"policy {name}: a null in recognition.labels is lost without kubectl apply --server-side\n")
    for name in selecting(settings.policy_text) if arguments.overlay.endswith(_FROM_FILE) else ():
        sys.stderr.write(
            f"policy {name}: its namespaceSelector sees no labels, because with a policy in a file none are known\n"
        )
    if arguments.output in {None, _STDOUT}:
        sys.stdout.write(text)
        return 0
    try:
        Path(arguments.output).write_text(text, encoding="utf-8")
    except OSError as error:
        raise _unusable(Path(arguments.output), error) from None
    return 0


def _settings(arguments: argparse.Namespace) -> "Settings":
    from webhook.manifests.choices import read_settings  # noqa: PLC0415

    return read_settings(
        policy=arguments.policy,
        namespace=arguments.namespace,
        image=arguments.image,
        url=arguments.url,
        ca_bundle=arguments.ca_bundle,
        api_servers=tuple(arguments.api_server),
        controller_url=arguments.controller_url,
        client_auth=arguments.client_auth,
        client_names=tuple(arguments.client_name),
    )


def _unusable(path: Path, error: OSError) -> InputError:
    return InputError(f"cannot be used: {error.strerror}", file=str(error.filename or path))


COMMAND = Command(
    name="manifests",
    help="render what is installed on a cluster",
    configure=_configure,
    run=_run,
)
