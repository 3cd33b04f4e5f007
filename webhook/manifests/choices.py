"""Reads what an installation chooses, and refuses what an API server would refuse later."""

import re
from ipaddress import ip_network
from pathlib import Path
from urllib.parse import urlsplit

from cryptography import x509

from webhook.domain.errors import InputError
from webhook.domain.policy import selected_labels
from webhook.domain.policy import widest
from webhook.manifests.policy_text import DEFAULT
from webhook.manifests.settings import IMAGE
from webhook.manifests.settings import NAMESPACE
from webhook.manifests.settings import Settings
from webhook.sources.policy_file import parse_stream
from webhook.tls.certificate import is_authority

_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_CLIENT = re.compile(r"[A-Za-z0-9.:@_-]{1,253}")
_IMAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@-]*")


def read_settings(
    *,
    policy: Path | None = None,
    namespace: str = NAMESPACE,
    image: str = IMAGE,
    url: str | None = None,
    ca_bundle: Path | None = None,
    api_servers: tuple[str, ...] = (),
    controller_url: str | None = None,
    client_auth: bool = False,
    client_names: tuple[str, ...] = (),
) -> Settings:
    """Read the files and check the names.

    Raises:
        InputError: a name, an address or the CA bundle cannot be used.
        PolicyError: the policy file cannot be read or is wrong.
    """
    if not _LABEL.fullmatch(namespace):
        msg = f"{namespace!r} is no namespace name: write small letters, digits and -"
        raise InputError(msg, file="--namespace")
    if namespace == "default":
        msg = "'default' would never be judged, as numagate's own namespace: give it one of its own"
        raise InputError(msg, file="--namespace")
    if not _IMAGE.fullmatch(image):
        msg = f"{image!r} is no image: write REGISTRY/NAME:TAG"
        raise InputError(msg, file="--image")
    text = DEFAULT if policy is None else _text(policy)
    policies = parse_stream(text, "built-in" if policy is None else str(policy)).policies
    return Settings(
        policy=widest(policies),
        policy_text=text,
        namespace=namespace,
        image=image,
        url=None if url is None else _address(url, "--url"),
        ca_bundle=None if ca_bundle is None else _bundle(ca_bundle),
        api_servers=tuple(map(_block, api_servers)),
        selected=selected_labels(policies),
        controller_url=None if controller_url is None else _address(controller_url, "--controller-url"),
        client_auth=client_auth,
        client_names=tuple(map(_client, client_names)),
    )


def _block(text: str) -> str:
    try:
        return str(ip_network(text))
    except ValueError:
        msg = f"{text!r} is no address block: write one like 10.0.0.1/32"
        raise InputError(msg, file="--api-server") from None


def _client(name: str) -> str:
    if not _CLIENT.fullmatch(name):
        msg = f"{name!r} is no name of a certificate: write 1 to 253 letters, digits and .:@_-"
        raise InputError(msg, file="--client-name")
    return name


def _address(url: str, option: str) -> str:
    """Let an address through that the API server accepts; the paths are ours to add."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme == "https" and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc:
        msg = f"{url!r} cannot be called: write https://HOST:PORT"
        raise InputError(msg, file=option)
    return f"https://{parts.netloc}"


def _bundle(path: Path) -> bytes:
    """Read CA certificates and nothing else: whatever is in the file becomes public."""
    pem = _read(path)
    if b"PRIVATE KEY" in pem:
        msg = "holds a private key, which must not be published: name the file of the CA"
        raise InputError(msg, file=str(path))
    try:
        certificates = x509.load_pem_x509_certificates(pem)
    except ValueError:
        msg = "holds no certificate in PEM: run numagate certs issue"
        raise InputError(msg, file=str(path)) from None
    if not all(map(is_authority, certificates)):
        msg = "holds a certificate that is no CA: name the file of the CA (ca.crt)"
        raise InputError(msg, file=str(path))
    return pem


def _text(path: Path) -> str:
    try:
        return _read(path).decode("utf-8")
    except UnicodeDecodeError as error:
        msg = f"cannot be read: not UTF-8 at byte {error.start}"
        raise InputError(msg, file=str(path)) from None


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        msg = f"cannot be read: {error.strerror}"
        raise InputError(msg, file=str(path)) from None
