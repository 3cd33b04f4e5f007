"""Issued certificates: names, lives, uses."""

from datetime import UTC
from datetime import datetime
from datetime import timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID
from cryptography.x509.verification import PolicyBuilder
from cryptography.x509.verification import Store

from webhook.tls.issue import issue_ca
from webhook.tls.issue import issue_client
from webhook.tls.issue import issue_leaf
from webhook.tls.issue import service_names
from webhook.tls.pair import CertificateError
from webhook.tls.pair import belongs

NOW = datetime(2030, 1, 1, tzinfo=UTC)
NAMES = service_names("numagate", "numagate-system", ["localhost"], ["127.0.0.1", "::1"])
CA = issue_ca(now=NOW)
LEAF = issue_leaf(CA, NAMES, now=NOW)


def test_a_service_has_three_names_and_the_extra_ones_once() -> None:
    names = service_names("a", "b", ["x.example", "a.b"], ["10.0.0.1", "10.0.0.1"])

    assert names.dns == ("a", "a.b", "a.b.svc", "x.example")
    assert [str(address) for address in names.addresses] == ["10.0.0.1"]


@pytest.mark.parametrize("name", ["", "A", "a_b", "-a", "a-", "a..b", ".a", "a.", "*.a", "ä", "a b", "a\n", "a" * 64])
def test_what_is_no_dns_name_is_refused(name: str) -> None:
    with pytest.raises(CertificateError, match="is no DNS name"):
        service_names("numagate", "numagate-system", [name])


@pytest.mark.parametrize("address", ["", "1.2.3", "1.2.3.256", "localhost", "::g"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(CertificateError, match="is no IP address"):
        service_names("numagate", "numagate-system", [], [address])


def test_the_ca_signs_certificates_but_no_further_ca() -> None:
    constraints = CA.certificate.extensions.get_extension_for_class(x509.BasicConstraints)
    usage = CA.certificate.extensions.get_extension_for_class(x509.KeyUsage)

    assert (constraints.critical, constraints.value.ca, constraints.value.path_length) == (True, True, 0)
    assert (usage.critical, usage.value.key_cert_sign, usage.value.digital_signature) == (True, True, False)


def test_the_leaf_is_for_servers_only() -> None:
    extensions = LEAF.certificate.extensions
    uses = extensions.get_extension_for_class(x509.ExtendedKeyUsage).value

    assert list(uses) == [ExtendedKeyUsageOID.SERVER_AUTH]
    assert not extensions.get_extension_for_class(x509.BasicConstraints).value.ca


def test_both_keys_are_ecdsa_p256_and_belong_to_their_certificates() -> None:
    for pair in (CA, LEAF):
        assert isinstance(pair.key, ec.EllipticCurvePrivateKey)
        assert pair.key.curve.name == "secp256r1"
        assert belongs(pair.key, pair.certificate)


@pytest.mark.parametrize("name", NAMES.dns)
def test_a_strict_client_accepts_the_leaf_under_every_name(name: str) -> None:
    store = Store([CA.certificate])
    verifier = PolicyBuilder().store(store).time(NOW).build_server_verifier(x509.DNSName(name))

    assert verifier.verify(LEAF.certificate, []) == [LEAF.certificate, CA.certificate]


def test_the_addresses_are_in_the_leaf() -> None:
    assert LEAF.names >= {"127.0.0.1", "::1"}


def test_the_lives_are_five_years_and_one_from_a_little_earlier_than_now() -> None:
    lives = {pair.certificate.not_valid_after_utc - NOW for pair in (CA, LEAF)}

    assert lives == {timedelta(days=5 * 365), timedelta(days=365)}
    assert LEAF.certificate.not_valid_before_utc == NOW - timedelta(minutes=5)


def test_a_leaf_never_outlives_its_ca() -> None:
    short = issue_ca(now=NOW, days=10)

    leaf = issue_leaf(short, NAMES, now=NOW, days=365)

    assert leaf.certificate.not_valid_after_utc == short.certificate.not_valid_after_utc


def test_every_serial_number_is_new() -> None:
    assert issue_leaf(CA, NAMES, now=NOW).certificate.serial_number != LEAF.certificate.serial_number


def test_a_long_service_name_is_cut_in_the_common_name_only() -> None:
    names = service_names("s" * 63, "n" * 63)

    leaf = issue_leaf(CA, names, now=NOW)

    assert leaf.certificate.subject.rfc4514_string() == "CN=" + names.dns[2][:64]
    assert leaf.names == set(names.dns)


def test_a_client_certificate_is_for_clients_only_and_has_the_name_given() -> None:
    client = issue_client(CA, "kube-apiserver", now=NOW).certificate

    client.verify_directly_issued_by(CA.certificate)
    usage = client.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert list(usage) == [ExtendedKeyUsageOID.CLIENT_AUTH]
    assert client.subject.rfc4514_string() == "CN=kube-apiserver"
    assert not client.extensions.get_extension_for_class(x509.BasicConstraints).value.ca


def test_a_client_certificate_never_outlives_its_ca() -> None:
    client = issue_client(CA, "kube-apiserver", now=NOW, days=36500).certificate

    assert client.not_valid_after_utc == CA.certificate.not_valid_after_utc


@pytest.mark.parametrize("name", ["", "a" * 65])
def test_what_fits_in_no_certificate_is_no_name_of_a_client(name: str) -> None:
    with pytest.raises(CertificateError, match="is no name for a client: use 1 to 64 characters"):
        issue_client(CA, name, now=NOW)
