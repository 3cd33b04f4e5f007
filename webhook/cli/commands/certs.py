"""`numagate certs`: issues and inspects certificates, the server's and the API server's."""

import argparse
import sys
from datetime import UTC
from datetime import datetime
from pathlib import Path
from pathlib import PurePosixPath

from webhook.cli.command import Command

_MAX_DAYS = 36500


def _configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="issue|inspect|client")
    issue = actions.add_parser(
        "issue", help="issue a serving certificate, and the CA where there is none; print the Secret and the commands"
    )
    inspect = actions.add_parser("inspect", help="say what the folder holds; exit 1 if something is wrong with it")
    for action in (issue, inspect):
        action.add_argument("--dir", type=Path, default=Path("certs"), help="the folder (default: %(default)s)")
    add = issue.add_argument
    _add_issuing(issue)
    add("--dns", action="append", default=[], metavar="NAME", help="one more DNS name; repeatable")
    add("--ip", action="append", default=[], metavar="ADDRESS", help="one more IP address; repeatable")
    _configure_client(
        actions.add_parser(
            "client",
            help="issue a certificate that the API server shows, and its configuration; print the Secret of the CA",
        )
    )


def _configure_client(client: argparse.ArgumentParser) -> None:
    add = client.add_argument
    add("--dir", type=Path, default=Path("certs/client"), help="the folder (default: %(default)s)")
    _add_issuing(client)
    add("--name", default="kube-apiserver", help="common name of the certificate (default: %(default)s)")
    add(
        "--host-dir",
        type=_absolute,
        default=PurePosixPath("/etc/kubernetes/pki/numagate"),
        metavar="DIR",
        help="where the files will lie for the API server (default: %(default)s)",
    )
    add(
        "--target",
        action="append",
        default=[],
        metavar="HOST:PORT",
        help="one more webhook to show it to, one that is called by URL; repeatable",
    )


def _add_issuing(action: argparse.ArgumentParser) -> None:
    add = action.add_argument
    add("--service", default="numagate", help="name of the Service (default: %(default)s)")
    add("--namespace", default="numagate-system", help="its namespace (default: %(default)s)")
    add("--ca-days", type=_days, default=5 * 365, help="life of a new CA (default: %(default)s)")
    add("--days", type=_days, default=365, help="life of the certificate (default: %(default)s)")
    add("--force", action="store_true", help="replace the CA that is there")


def _run(arguments: argparse.Namespace) -> int:
    return {"issue": _issue, "inspect": _inspect, "client": _client}[arguments.action](arguments)


def _issue(arguments: argparse.Namespace) -> int:
    from webhook.tls.folder import issue_into  # noqa: PLC0415  # cryptography is heavy
    from webhook.tls.issue import service_names  # noqa: PLC0415
    from webhook.tls.manifest import render  # noqa: PLC0415

    # The controller has a Service of its own, and the same certificate.
    controller = f"{arguments.service}-controller.{arguments.namespace}.svc"
    names = service_names(arguments.service, arguments.namespace, [*arguments.dns, controller], arguments.ip)
    issued = issue_into(
        arguments.dir,
        names,
        now=datetime.now(UTC),
        ca_days=arguments.ca_days,
        leaf_days=arguments.days,
        force=arguments.force,
    )
    ca = "a new CA and" if issued.new_ca else "from the CA that was there,"
    end = issued.leaf.certificate.not_valid_after_utc
    # Standard output stays a YAML document that kubectl can apply.
    sys.stderr.write(f"{arguments.dir}: {ca} a certificate for {', '.join(names.dns)} until {end:%Y-%m-%d}\n")
    sys.stdout.write(render(issued.leaf, folder=arguments.dir, namespace=arguments.namespace))
    return 0


def _client(arguments: argparse.Namespace) -> int:
    from webhook.tls import api_server  # noqa: PLC0415  # cryptography is heavy
    from webhook.tls.folder import issue_client_into  # noqa: PLC0415

    targets = [*api_server.services(arguments.namespace, arguments.service), *arguments.target]
    issued = issue_client_into(
        arguments.dir,
        arguments.name,
        now=datetime.now(UTC),
        texts=api_server.texts(arguments.host_dir, targets),
        ca_days=arguments.ca_days,
        days=arguments.days,
        force=arguments.force,
    )
    ca = "a new CA and" if issued.new_ca else "from the CA that was there,"
    end = issued.leaf.certificate.not_valid_after_utc
    sys.stderr.write(f"{arguments.dir}: {ca} a certificate for {arguments.name} until {end:%Y-%m-%d}\n")
    sys.stdout.write(api_server.secret(issued.ca, namespace=arguments.namespace))
    return 0


def _inspect(arguments: argparse.Namespace) -> int:
    from webhook.tls.inspect import inspect  # noqa: PLC0415  # cryptography is heavy

    report = inspect(arguments.dir, now=datetime.now(UTC))
    lines = [*report.lines, *(f"problem: {problem}" for problem in report.problems)]
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 1 if report.problems else 0


def _absolute(text: str) -> PurePosixPath:
    path = PurePosixPath(text)
    if not path.is_absolute():
        msg = f"{text!r} is no absolute path: the API server takes no other"
        raise argparse.ArgumentTypeError(msg)
    return path


def _days(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= _MAX_DAYS):
        msg = f"{text!r} is no number of days: use 1 to {_MAX_DAYS}"
        raise argparse.ArgumentTypeError(msg)
    return int(text)


COMMAND = Command(name="certs", help="issue and inspect the webhook's certificates", configure=_configure, run=_run)
