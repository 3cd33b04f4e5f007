"""The folder `manifests/`: CRDs, a kustomize base with components and overlays, monitoring, and a Helm chart."""

from collections.abc import Iterable
from collections.abc import Mapping
from pathlib import Path

from webhook.manifests import client_auth
from webhook.manifests.certificates import Certificates
from webhook.manifests.certificates import bundle_map
from webhook.manifests.certificates import chosen
from webhook.manifests.certificates import component
from webhook.manifests.certificates import issuers
from webhook.manifests.chart.files import HEADER
from webhook.manifests.chart.files import files as chart_files
from webhook.manifests.crds import crds
from webhook.manifests.monitoring import dashboard
from webhook.manifests.monitoring.rules import prometheus_rule
from webhook.manifests.monitoring.rules import rules
from webhook.manifests.monitoring.scrape import pod_monitor
from webhook.manifests.overlays import AGENTS
from webhook.manifests.overlays import CRDS
from webhook.manifests.overlays import MONITORING
from webhook.manifests.overlays import OVERLAYS
from webhook.manifests.overlays import Overlay
from webhook.manifests.overlays import agents
from webhook.manifests.overlays import base
from webhook.manifests.overlays import policy
from webhook.manifests.overlays import source_objects
from webhook.manifests.overlays import webhooks
from webhook.manifests.rbac import issuing_rights
from webhook.manifests.settings import NAME
from webhook.manifests.settings import Manifest
from webhook.manifests.settings import Mode
from webhook.manifests.settings import Settings
from webhook.manifests.settings import Source
from webhook.manifests.text import dump

CHART = f"helm/{NAME}"
FOLDERS = (CRDS, "base", "components", "overlays", AGENTS, MONITORING, CHART)
"""What the rendering owns inside the folder; whatever else lies there is not ours to judge."""

_INDEX = "kustomization.yaml"


def files(settings: Settings) -> dict[str, str]:
    """Answer the text of every file by its path in the folder, with `/` between the parts."""
    return kustomization(settings) | {f"{CHART}/{name}": text for name, text in chart_files(settings).items()}


def kustomization(settings: Settings) -> dict[str, str]:
    """Answer those of kustomize, which take a tenth of the time."""
    answer = _resources(CRDS, {"crds.yaml": crds()}) | _resources("base", base(settings))
    for source in Source:
        answer |= _component(_source_folder(source), source_objects(settings, source))
        for mode in Mode:
            answer |= _policy(settings, mode, source)
            answer |= _component(_mode_folder(mode, source), {"webhooks.yaml": webhooks(settings, mode, None, source)})
    for certificates in Certificates:
        answer |= _under(f"components/{certificates.value}", _certificates(settings, certificates))
    answer |= _under(f"components/{client_auth.COMPONENT}", {_INDEX: [client_auth.component(settings)]})
    for name, overlay in OVERLAYS.items():
        answer |= _under(f"overlays/{name}", {_INDEX: [_overlay(settings, overlay)]})
    return answer | _resources(AGENTS, agents(settings)) | _monitoring(settings)


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


def _resources(folder: str, made: Mapping[str, Iterable[Manifest]]) -> dict[str, str]:
    index: Manifest = {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": list(made),
    }
    return _under(folder, {_INDEX: [index], **made})


def _component(name: str, made: Mapping[str, Iterable[Manifest]], field: str = "resources") -> dict[str, str]:
    listed = list(made) if field == "resources" else [{"path": file} for file in made]
    index: Manifest = {"apiVersion": "kustomize.config.k8s.io/v1alpha1", "kind": "Component", field: listed}
    return _under(f"components/{name}", {_INDEX: [index], **made})


def _policy(settings: Settings, mode: Mode, source: Source) -> dict[str, str]:
    """Write the policy of a mode; that of a file is a patch of the one that the server starts with."""
    name = _policy_folder(mode, source)
    field = "resources" if source is Source.OBJECTS else "patches"
    return _component(name, {"policy.yaml": policy(settings, mode, source)}, field)


def _source_folder(source: Source) -> str:
    return f"policy-{source.value}"


def _policy_folder(mode: Mode, source: Source) -> str:
    return f"{_source_folder(source)}-{'observing' if mode is Mode.OBSERVE else 'acting'}"


def _mode_folder(mode: Mode, source: Source) -> str:
    return mode.value if source is Source.OBJECTS else f"{mode.value}-{source.value}"


def _certificates(settings: Settings, certificates: Certificates) -> dict[str, list[Manifest]]:
    made = {_INDEX: [component(settings, certificates)]}
    if certificates is Certificates.CERT_MANAGER:
        made["certificates.yaml"] = issuers(settings)
    elif certificates is Certificates.MANAGED:
        made["rbac.yaml"] = issuing_rights(settings)
    elif settings.ca_bundle is not None:
        made["ca-bundle.yaml"] = [bundle_map(settings)]
    return made


def _overlay(settings: Settings, overlay: Overlay) -> Manifest:
    parts = [_source_folder(overlay.source)]
    if overlay.mode is not None:
        parts += [_policy_folder(overlay.mode, overlay.source), _mode_folder(overlay.mode, overlay.source)]
    certificates = chosen(settings, overlay.certificates)
    return {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": ["../../base"],
        "components": [f"../../components/{part}" for part in (*parts, certificates.value)],
    }


def _monitoring(settings: Settings) -> dict[str, str]:
    """Write what is applied, and beside it the rules and the dashboard for who has no operator and no sidecar."""
    objects = {"podmonitor.yaml": [pod_monitor(settings)], "prometheusrule.yaml": [prometheus_rule(settings)]}
    index: Manifest = {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": list(objects),
        "configMapGenerator": [dashboard.generator(settings)],
    }
    made = _under(MONITORING, {_INDEX: [index], **objects, "rules.yaml": [rules()]})
    return made | {f"{MONITORING}/{dashboard.FILE}": dashboard.text()}


def _under(folder: str, made: Mapping[str, Iterable[Manifest]]) -> dict[str, str]:
    return {f"{folder}/{name}": f"# {HEADER}\n{dump(manifests)}" for name, manifests in made.items()}
