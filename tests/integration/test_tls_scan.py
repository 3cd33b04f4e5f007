"""What the TLS port agrees to, tried with everything that OpenSSL can offer."""

import socket
import ssl
from collections.abc import Iterator
from datetime import UTC
from datetime import datetime
from datetime import timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.hazmat.primitives.serialization import NoEncryption
from cryptography.hazmat.primitives.serialization import PrivateFormat
from cryptography.x509.oid import NameOID
from serving import Running
from serving import running

SUITES = ("AES128-GCM-SHA256", "AES256-GCM-SHA384", "CHACHA20-POLY1305")


@pytest.fixture(scope="module", params=["ECDSA", "RSA"])
def scanned(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Running]]:
    """Run a service with a certificate of each kind of key."""
    folder = tmp_path_factory.mktemp("certs")
    key = ec.generate_private_key(ec.SECP256R1()) if request.param == "ECDSA" else rsa.generate_private_key(65537, 2048)
    name, now = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "numagate")]), datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("numagate.numagate-system.svc")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    (folder / "tls.crt").write_bytes(certificate.public_bytes(Encoding.PEM))
    (folder / "tls.key").touch(0o600)
    (folder / "tls.key").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    with running(folder) as service:
        yield request.param, service


def client(version: ssl.TLSVersion, ciphers: str = "ALL:COMPLEMENTOFALL:@SECLEVEL=0") -> ssl.SSLContext:
    """Answer a client that speaks one version only, and minds nothing."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_ciphers(ciphers)
    context.options &= ~ssl.OP_NO_COMPRESSION
    context.minimum_version = context.maximum_version = version
    return context


def shake_hands(service: Running, context: ssl.SSLContext) -> ssl.SSLSocket | None:
    """Connect, and answer None where the handshake is refused."""
    plain = socket.create_connection(("127.0.0.1", service.service.port), 10)
    try:
        return context.wrap_socket(plain)
    except (ssl.SSLError, ConnectionError):
        plain.close()
        return None


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1])
def test_old_versions_are_refused_with_every_cipher(scanned: tuple[str, Running], version: ssl.TLSVersion) -> None:
    assert shake_hands(scanned[1], client(version)) is None


def test_tls_1_2_is_spoken_with_forward_secret_authenticated_ciphers_only(scanned: tuple[str, Running]) -> None:
    kind, service = scanned
    offered = [one["name"] for one in client(ssl.TLSVersion.TLSv1_2).get_ciphers() if one["protocol"] != "TLSv1.3"]
    accepted = []
    for name in offered:
        connection = shake_hands(service, client(ssl.TLSVersion.TLSv1_2, f"{name}:@SECLEVEL=0"))
        if connection is not None:
            accepted.append(name)
            connection.close()

    assert len(offered) > 3 * len(SUITES)
    assert sorted(accepted) == sorted(f"ECDHE-{kind}-{suite}" for suite in SUITES)


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_nothing_is_compressed_and_no_ticket_is_given(scanned: tuple[str, Running], version: ssl.TLSVersion) -> None:
    connection = shake_hands(scanned[1], client(version))
    assert connection is not None
    connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    while connection.recv(65536):
        pass

    session = connection.session
    assert (connection.compression(), session is not None and session.has_ticket) == (None, False)
    connection.close()


def test_a_connection_is_never_negotiated_anew(scanned: tuple[str, Running]) -> None:
    # Python's client cannot ask for it; the option is what makes OpenSSL refuse.
    options = scanned[1].service._store.context.options  # noqa: SLF001  # there is no other way to it

    assert options & ssl.OP_NO_RENEGOTIATION
