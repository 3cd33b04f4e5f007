"""What an installation chooses is checked before it is rendered."""

from pathlib import Path

import pytest
import trustme

from webhook.domain.errors import InputError
from webhook.domain.errors import PolicyError
from webhook.manifests.choices import read_settings


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    """Make a CA for the tests of this file."""
    return trustme.CA()


def test_nothing_chosen_is_a_whole_installation() -> None:
    settings = read_settings()

    assert (settings.namespace, settings.url, settings.ca_bundle) == ("numagate-system", None, None)


@pytest.mark.parametrize("namespace", ["", "Team", "a_b", "-a", "a" * 64, "a\n", "kube/x"])
def test_a_namespace_that_no_api_server_takes_is_refused(namespace: str) -> None:
    with pytest.raises(InputError, match=r"^--namespace: .* is no namespace name: write small letters"):
        read_settings(namespace=namespace)


def test_the_namespace_where_people_work_is_refused_as_the_chart_refuses_it() -> None:
    with pytest.raises(InputError, match=r"^--namespace: 'default' would never be judged"):
        read_settings(namespace="default")


@pytest.mark.parametrize("image", ["", " ", "a b", "-x", "a\nb"])
def test_an_image_that_is_none_is_refused(image: str) -> None:
    with pytest.raises(InputError, match=r"^--image: .* is no image: write REGISTRY/NAME:TAG"):
        read_settings(image=image)


@pytest.mark.parametrize("url", ["https://127.0.0.1:9443", "https://127.0.0.1:9443/", "https://[::1]:9443"])
def test_an_address_loses_its_last_slash(url: str) -> None:
    assert read_settings(url=url).url == url.rstrip("/")


@pytest.mark.parametrize(
    "url",
    [
        "",
        "http://127.0.0.1",
        "127.0.0.1:9443",
        "https://",
        "https://h/mutate",
        "https://h?x=1",
        "https://h#x",
        "https://u@h",
        "https://h:x",
        "https://[::1",
    ],
)
def test_an_address_that_cannot_be_called_is_refused(url: str) -> None:
    with pytest.raises(InputError, match=r"^--url: .* cannot be called: write https://HOST:PORT"):
        read_settings(url=url)


@pytest.mark.parametrize("block", ["10.0.0.1/32", "fd00::/64"])
def test_the_addresses_of_api_servers_are_kept(block: str) -> None:
    assert read_settings(api_servers=(block,)).api_servers == (block,)


@pytest.mark.parametrize("block", ["", "kubernetes", "10.0.0.1/8", "10.0.0.1/33"])
def test_a_block_that_is_none_is_refused(block: str) -> None:
    with pytest.raises(InputError, match=r"^--api-server: .* is no address block: write one like 10\.0\.0\.1/32"):
        read_settings(api_servers=(block,))


def test_a_bundle_is_kept_byte_for_byte(authority: trustme.CA, tmp_path: Path) -> None:
    path = tmp_path / "ca.crt"
    authority.cert_pem.write_to_path(path)

    assert read_settings(ca_bundle=path).ca_bundle == path.read_bytes()


def test_a_bundle_may_hold_an_old_and_a_new_authority(authority: trustme.CA, tmp_path: Path) -> None:
    path = tmp_path / "ca.crt"
    path.write_bytes(authority.cert_pem.bytes() + trustme.CA().cert_pem.bytes())

    assert read_settings(ca_bundle=path).ca_bundle == path.read_bytes()


def test_a_private_key_is_never_published(authority: trustme.CA, tmp_path: Path) -> None:
    path = tmp_path / "both.pem"
    path.write_bytes(authority.cert_pem.bytes() + authority.private_key_pem.bytes())

    with pytest.raises(InputError, match=r"both\.pem: holds a private key"):
        read_settings(ca_bundle=path)


def test_a_serving_certificate_is_no_authority(authority: trustme.CA, tmp_path: Path) -> None:
    path = tmp_path / "tls.crt"
    authority.issue_cert("localhost").cert_chain_pems[0].write_to_path(path)

    with pytest.raises(InputError, match=r"tls\.crt: holds a certificate that is no CA"):
        read_settings(ca_bundle=path)


@pytest.mark.parametrize(
    "content", [b"", b"not PEM", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"]
)
def test_a_bundle_without_certificates_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "ca.crt"
    path.write_bytes(content)

    with pytest.raises(InputError, match=r"ca\.crt: holds no certificate in PEM: run numagate certs issue"):
        read_settings(ca_bundle=path)


def test_a_bundle_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"ca\.crt: cannot be read: No such file or directory"):
        read_settings(ca_bundle=tmp_path / "ca.crt")


def test_a_policy_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"policy\.yaml: cannot be read: No such file or directory"):
        read_settings(policy=tmp_path / "policy.yaml")


def test_a_wrong_policy_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text("apiVersion: numagate.io/v1alpha1\nkind: AlignmentPolicy\nmetadata: {name: a}\nspec: {modes: 1}\n")

    with pytest.raises(PolicyError, match=r"policy\.yaml:4: spec\.modes"):
        read_settings(policy=path)


def test_a_policy_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_bytes(b"# caf\xe9\n")

    with pytest.raises(InputError, match=r"policy\.yaml: cannot be read: not UTF-8 at byte 5"):
        read_settings(policy=path)


def test_the_text_of_a_policy_is_kept_with_its_comments(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    text = "# ours\napiVersion: numagate.io/v1alpha1\nkind: AlignmentPolicy\nmetadata: {name: a}\n"
    path.write_text(text)

    assert read_settings(policy=path).policy_text == text
