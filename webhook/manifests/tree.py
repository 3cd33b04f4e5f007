"""The folder `manifests/`: a kustomize base, components for modes and certificates, and overlays that combine them."""

from collections.abc import Iterable
from collections.abc import Mapping
from pathlib import Path

from webhook.manifests import objects
from webhook.manifests.certificates import Certificates
from webhook.manifests.certificates import bundle_map
from webhook.manifests.certificates import component
from webhook.manifests.certificates import issuers
from webhook.manifests.overlays import OVERLAYS
from webhook.manifests.overlays import Overlay
from webhook.manifests.overlays import base
from webhook.manifests.overlays import webhooks
from webhook.manifests.settings import Manifest
from webhook.manifests.settings import Mode
from webhook.manifests.settings import Settings
from webhook.manifests.text import dump

FOLDERS = ("base", "components", "overlays")
"""What the rendering owns inside the folder; whatever else lies there is not ours to judge."""

_HEADER = "# Rendered by `numagate manifests`: change the code or the policy, not this file.\n"
_INDEX = "kustomization.yaml"


def files(settings: Settings) -> dict[str, str]:
    """Answer the text of every file by its path in the folder, with `/` between the parts."""
    answer = _base(settings)
    for mode in Mode:
        answer |= _under(f"components/{mode.value}", _mode(settings, mode))
    for certificates in Certificates:
        answer |= _under(f"components/{certificates.value}", _certificates(settings, certificates))
    for name, overlay in OVERLAYS.items():
        if overlay.certificates is not None:
            answer |= _under(f"overlays/{name}", {_INDEX: [_overlay(overlay)]})
    return answer


def differences(folder: Path, rendered: Mapping[str, str]) -> list[str]:
    """Say in one line each how `folder` differs from the rendering.

    Raises:
        OSError: a file cannot be read.
    """
    there = {
        path.relative_to(folder).as_posix(): path
        for part in FOLDERS
        for path in sorted((folder / part).rglob("*"))
        if path.is_file()
    }
    missing = [f"{name}: missing" for name in rendered if name not in there]
    extra = [f"{name}: not part of the rendering" for name in there if name not in rendered]
    changed = [
        f"{name}: differs"
        for name, text in rendered.items()
        if name in there and there[name].read_bytes() != text.encode()
    ]
    return sorted(missing + extra + changed)


def write(folder: Path, rendered: Mapping[str, str]) -> None:
    """Write the files into `folder`; others are left alone.

    Raises:
        OSError: a file cannot be written.
    """
    for name, text in rendered.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def _base(settings: Settings) -> dict[str, str]:
    made = base(settings)
    index: Manifest = {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": list(made),
    }
    return _under("base", {_INDEX: [index], **made})


def _mode(settings: Settings, mode: Mode) -> dict[str, list[Manifest]]:
    index: Manifest = {
        "apiVersion": "kustomize.config.k8s.io/v1alpha1",
        "kind": "Component",
        "resources": ["webhooks.yaml"],
    }
    made = {"webhooks.yaml": webhooks(settings, mode, None)}
    if mode is Mode.OBSERVE:
        return {_INDEX: [index], **made}
    policy = objects.policy_map(settings, settings.policy_text)
    return {_INDEX: [index | {"patches": [{"path": "policy.yaml"}]}], "policy.yaml": [policy], **made}


def _certificates(settings: Settings, certificates: Certificates) -> dict[str, list[Manifest]]:
    made = {_INDEX: [component(settings, certificates)]}
    if certificates is Certificates.CERT_MANAGER:
        made["certificates.yaml"] = issuers(settings)
    elif settings.ca_bundle is not None:
        made["ca-bundle.yaml"] = [bundle_map(settings)]
    return made


def _overlay(overlay: Overlay) -> Manifest:
    parts = [part.value for part in (overlay.mode, overlay.certificates) if part is not None]
    return {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": ["../../base"],
        "components": [f"../../components/{part}" for part in parts],
    }


def _under(folder: str, made: Mapping[str, Iterable[Manifest]]) -> dict[str, str]:
    return {f"{folder}/{name}": _HEADER + dump(manifests) for name, manifests in made.items()}
