"""What the pods of both Deployments share, and the agents in part: locked down, spread, ended in good order."""

from collections.abc import Iterable
from collections.abc import Mapping

from webhook.domain.api import TLS_SECRET
from webhook.manifests.settings import Manifest
from webhook.manifests.settings import Settings
from webhook.manifests.settings import metadata

USER = 10001
"""User and group of the process; nothing else on a node runs as them."""

SERVING_PORT = 8443
PROBE_PORT = 8081
LEAVE_SECONDS = 5
"""From the end of readiness to SIGTERM: until the API server has heard of it."""
GRACE_SECONDS = 45
"""From then to SIGKILL; the drain, requests in flight and the end of threads take at most 26 of them."""
PRIORITY = "system-cluster-critical"
TLS_FOLDER = "/etc/numagate/tls"

_TOKEN_FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount"  # noqa: S105 - a folder
_TOKEN_SECONDS = 3600

Mount = tuple[Manifest, str]
"""A volume, and where it is mounted; nothing but /tmp can be written."""


def deployment(settings: Settings, name: str, labels: Mapping[str, str], *, replicas: int, pod: Manifest) -> Manifest:
    """Make a Deployment of pods that are replaced one by one without a gap."""
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata(name, settings.namespace),
        "spec": {
            "replicas": replicas,
            "revisionHistoryLimit": 5,
            # A new pod that cannot read its policy or certificate never gets ready, and so stops the rollout.
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
            "minReadySeconds": 5,
            "selector": {"matchLabels": dict(labels)},
            "template": {"metadata": {"labels": dict(labels), "annotations": scrape()}, "spec": pod},
        },
    }


def pod(name: str, labels: Mapping[str, str], container: Manifest, mounts: Iterable[Mount]) -> Manifest:
    """Make the spec of a pod that runs `container` as the service account `name`, with its `mounts`."""
    mounts = tuple(mounts)
    return {
        "serviceAccountName": name,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "priorityClassName": PRIORITY,
        "terminationGracePeriodSeconds": GRACE_SECONDS,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": USER,
            "runAsGroup": USER,
            "fsGroup": USER,
            "fsGroupChangePolicy": "OnRootMismatch",
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "affinity": {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [_apart(labels)]}},
        "topologySpreadConstraints": [
            _spread(labels, "kubernetes.io/hostname", "DoNotSchedule"),
            _spread(labels, "topology.kubernetes.io/zone", "ScheduleAnyway"),
        ],
        "containers": [container | {"volumeMounts": [*(mount(*one) for one in mounts), TMP_MOUNT]}],
        "volumes": [*(volume for volume, _ in mounts), TMP],
    }


def container(settings: Settings, name: str, arguments: Iterable[str], resources: Manifest) -> Manifest:
    """Make the one container of a pod."""
    return {
        "name": name,
        "image": settings.image,
        "imagePullPolicy": "IfNotPresent",
        "args": list(arguments),
        "ports": [
            {"name": "https", "containerPort": SERVING_PORT, "protocol": "TCP"},
            {"name": "probes", "containerPort": PROBE_PORT, "protocol": "TCP"},
        ],
        "resources": resources,
        "startupProbe": probe("/healthz", period=2, failures=30),
        "livenessProbe": probe("/healthz", period=10, failures=3),
        "readinessProbe": probe("/readyz", period=2, failures=2),
        # The pod leaves the Service's endpoints while it still answers; then SIGTERM starts the drain.
        "lifecycle": {"preStop": {"sleep": {"seconds": LEAVE_SECONDS}}},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
        "terminationMessagePolicy": "FallbackToLogsOnError",
    }


def token() -> Mount:
    """Mount what a client of the API server needs, as the kubelet would: its own token, the CA and the namespace.

    Without an audience the token is for the API server and for nobody else.
    """
    field = {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}}
    sources = [
        {"serviceAccountToken": {"path": "token", "expirationSeconds": _TOKEN_SECONDS}},
        {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
        {"downwardAPI": {"items": [{"path": "namespace", **field}]}},
    ]
    return {"name": "api-access", "projected": {"sources": sources}}, _TOKEN_FOLDER


def certificate() -> Mount:
    """Mount the serving certificate and its key, and no other key of the Secret: it may hold those of CAs.

    A Secret that is not there yet is waited for, and so is one without these keys.
    """
    items = [{"key": key, "path": key} for key in ("tls.crt", "tls.key")]
    secret = {"secretName": TLS_SECRET, "defaultMode": 0o400, "items": items}
    return {"name": "tls", "secret": secret}, TLS_FOLDER


def scrape() -> Manifest:
    """Answer the annotations by which Prometheus finds the plain port."""
    return {
        "prometheus.io/scrape": "true",
        "prometheus.io/port": str(PROBE_PORT),
        "prometheus.io/path": "/metrics",
    }


def _apart(labels: Mapping[str, str]) -> Manifest:
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": dict(labels)}}
    return {"weight": 100, "podAffinityTerm": term}


def _spread(labels: Mapping[str, str], key: str, unsatisfiable: str) -> Manifest:
    """Spread the pods of one revision; nodes they do not tolerate (GPU pools, cordoned ones) are not counted."""
    return {
        "maxSkew": 1,
        "topologyKey": key,
        "whenUnsatisfiable": unsatisfiable,
        "nodeTaintsPolicy": "Honor",
        "labelSelector": {"matchLabels": dict(labels)},
        "matchLabelKeys": ["pod-template-hash"],
    }


def probe(path: str, *, period: int, failures: int) -> Manifest:
    """Make a probe of the plain port."""
    return {
        "httpGet": {"path": path, "port": "probes"},
        "periodSeconds": period,
        "timeoutSeconds": 1,
        "failureThreshold": failures,
    }


def mount(volume: Manifest, folder: str) -> Manifest:
    """Mount a volume, not to be written."""
    # Whole folders, no subPath: only so do changes reach the running pod.
    return {"name": volume["name"], "mountPath": folder, "readOnly": True}


TMP: Manifest = {"name": "tmp", "emptyDir": {"medium": "Memory", "sizeLimit": "16Mi"}}
TMP_MOUNT: Manifest = {"name": "tmp", "mountPath": "/tmp"}  # noqa: S108 - a volume of the pod's own
