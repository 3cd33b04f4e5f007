"""The context: handshakes in memory, certificates that change between them."""

import ssl
from collections.abc import Callable
from datetime import UTC
from datetime import datetime
from datetime import timedelta
from pathlib import Path

import pytest
from cryptography import x509
from serving import issue

from webhook.tls.context import CertificateStore
from webhook.tls.issue import issue_leaf
from webhook.tls.issue import service_names
from webhook.tls.pair import CertificateError
from webhook.tls.pair import read_pair


def now() -> datetime:
    """Read the clock: a test late in a long run must not see certificates from the future."""
    return datetime.now(UTC)


def store_of(folder: Path, **options: ssl.TLSVersion) -> CertificateStore:
    """Answer a store over `folder`."""
    return CertificateStore(folder, clock=now, **options)


def client(folder: Path, version: ssl.TLSVersion | None = None) -> ssl.SSLContext:
    """Answer a client that trusts the CA of `folder`, for one TLS version only if given."""
    context = ssl.create_default_context(cafile=folder / "ca.crt")
    if version is not None:
        context.minimum_version = context.maximum_version = version
        context.set_ciphers("ALL:@SECLEVEL=0")
    return context


def shake_hands(store: CertificateStore, context: ssl.SSLContext, name: str | None = "localhost") -> ssl.SSLObject:
    """Shake hands in memory and answer the client's side."""
    up, down = ssl.MemoryBIO(), ssl.MemoryBIO()
    here = context.wrap_bio(down, up, server_hostname=name)
    there = store.context.wrap_bio(up, down, server_side=True)
    pending: list[Callable[[], None]] = [here.do_handshake, there.do_handshake]
    while pending:
        for step in list(pending):
            try:
                step()
            except ssl.SSLWantReadError:
                continue
            pending.remove(step)
    return here


def served_serial(store: CertificateStore, context: ssl.SSLContext) -> int:
    """Answer the serial number that a new client sees."""
    der = shake_hands(store, context).getpeercert(binary_form=True)
    assert der is not None
    return x509.load_der_x509_certificate(der).serial_number


def serial_of(folder: Path) -> int:
    """Answer the serial number of the certificate file."""
    return read_pair(folder / "tls.crt", folder / "tls.key").certificate.serial_number


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Answer a folder with a CA and a certificate for localhost."""
    issue(tmp_path)
    return tmp_path


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_modern_clients_shake_hands(folder: Path, version: ssl.TLSVersion) -> None:
    assert shake_hands(store_of(folder), client(folder, version)).version() == version.name.replace("_", ".")


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1])
def test_old_clients_are_refused(folder: Path, version: ssl.TLSVersion) -> None:
    with pytest.raises(ssl.SSLError):
        shake_hands(store_of(folder), client(folder, version))


def test_tls_1_2_can_be_switched_off(folder: Path) -> None:
    store = store_of(folder, minimum=ssl.TLSVersion.TLSv1_3)

    with pytest.raises(ssl.SSLError):
        shake_hands(store, client(folder, ssl.TLSVersion.TLSv1_2))
    assert shake_hands(store, client(folder)).version() == "TLSv1.3"


@pytest.mark.parametrize("cipher", ["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"])
def test_forward_secret_authenticated_ciphers_are_spoken(folder: Path, cipher: str) -> None:
    context = client(folder, ssl.TLSVersion.TLSv1_2)
    context.set_ciphers(cipher)

    found = shake_hands(store_of(folder), context).cipher()

    assert found is not None
    assert found[0] == cipher


@pytest.mark.parametrize("cipher", ["ECDHE-ECDSA-AES128-SHA256", "ECDHE-ECDSA-AES256-SHA", "AES128-GCM-SHA256"])
def test_other_ciphers_are_refused(folder: Path, cipher: str) -> None:
    context = client(folder, ssl.TLSVersion.TLSv1_2)
    context.set_ciphers(cipher)

    with pytest.raises(ssl.SSLError):
        shake_hands(store_of(folder), context)


def test_http_1_1_is_the_only_protocol_offered(folder: Path) -> None:
    context = client(folder)
    context.set_alpn_protocols(["h2", "http/1.1"])

    assert shake_hands(store_of(folder), context).selected_alpn_protocol() == "http/1.1"


def test_a_swapped_certificate_is_seen_by_the_next_handshake(folder: Path) -> None:
    store, trust = store_of(folder), client(folder)
    first = served_serial(store, trust)

    issue(folder)
    fresh = store.load()
    assert served_serial(store, trust) == first

    store.swap(fresh)
    assert served_serial(store, trust) == serial_of(folder) != first


def test_a_client_without_sni_sees_the_swapped_certificate_too(folder: Path) -> None:
    store, trust = store_of(folder), client(folder)
    trust.check_hostname = False
    issue(folder)
    store.swap(store.load())

    der = shake_hands(store, trust, name=None).getpeercert(binary_form=True)

    assert der is not None
    assert x509.load_der_x509_certificate(der).serial_number == serial_of(folder)


def test_the_minimum_version_survives_a_swap(folder: Path) -> None:
    store = store_of(folder, minimum=ssl.TLSVersion.TLSv1_3)
    store.swap(store.load())

    with pytest.raises(ssl.SSLError):
        shake_hands(store, client(folder, ssl.TLSVersion.TLSv1_2))


def spoil_torn(folder: Path) -> None:
    """Leave half a certificate file."""
    (folder / "tls.crt").write_bytes((folder / "tls.crt").read_bytes()[:300])


def spoil_mismatched(folder: Path) -> None:
    """Leave another certificate's key."""
    key = (folder / "tls.key").read_bytes()
    issue(folder)
    (folder / "tls.key").write_bytes(key)


def spoil_expired(folder: Path) -> None:
    """Leave a certificate that has ended."""
    issue(folder, now=now() - timedelta(days=300), leaf_days=10, force=True)


def spoil_future(folder: Path) -> None:
    """Leave a certificate that has not begun."""
    issue(folder, now=now() + timedelta(days=300), force=True)


def spoil_names(folder: Path) -> None:
    """Leave a certificate for another Service."""
    ca = read_pair(folder / "ca.crt", folder / "ca.key")
    leaf = issue_leaf(ca, service_names("other", "elsewhere"), now=now())
    (folder / "tls.crt").write_bytes(leaf.certificate_pem)
    (folder / "tls.key").write_bytes(leaf.key_pem)


def spoil_missing(folder: Path) -> None:
    """Leave no key."""
    (folder / "tls.key").unlink()


def spoil_secrecy(folder: Path) -> None:
    """Leave a key that everybody can read."""
    issue(folder)
    (folder / "tls.key").chmod(0o644)


SPOILERS = (spoil_secrecy, spoil_torn, spoil_mismatched, spoil_expired, spoil_future, spoil_names, spoil_missing)


@pytest.mark.parametrize("spoil", SPOILERS)
def test_bad_files_never_replace_a_good_certificate(folder: Path, spoil: Callable[[Path], None]) -> None:
    store, trust = store_of(folder), client(folder)
    first = served_serial(store, trust)

    spoil(folder)

    with pytest.raises(CertificateError):
        store.load()
    assert served_serial(store, trust) == first


@pytest.mark.parametrize("spoil", [spoil for spoil in SPOILERS if spoil is not spoil_names])
def test_bad_files_are_refused_at_the_start(folder: Path, spoil: Callable[[Path], None]) -> None:
    spoil(folder)

    with pytest.raises(CertificateError):
        store_of(folder)


def test_a_mounted_secret_is_read_as_one_version(tmp_path: Path) -> None:
    for version in ("..1", "..2"):
        issue(tmp_path / version)
    (tmp_path / "..data").symlink_to("..1")
    for name in ("tls.crt", "tls.key"):
        (tmp_path / name).symlink_to(Path("..data") / name)
    store = store_of(tmp_path)
    first = store.served.serial

    (tmp_path / "..new").symlink_to("..2")
    (tmp_path / "..new").replace(tmp_path / "..data")

    assert store.load().serial == serial_of(tmp_path / "..2") != first


def test_files_that_change_while_they_are_read_are_not_served(folder: Path) -> None:
    def late_issue() -> datetime:
        issue(folder)
        return now()

    with pytest.raises(CertificateError, match="changed while it was read"):
        CertificateStore(folder, clock=late_issue)


def test_a_certificate_that_openssl_refuses_is_an_error_too(folder: Path) -> None:
    content = (folder / "tls.crt").read_bytes()
    (folder / "tls.crt").write_bytes(content + b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")

    with pytest.raises(CertificateError, match="cannot be loaded"):
        store_of(folder)
