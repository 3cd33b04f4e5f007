"""The Deployment: three locked-down replicas, spread over nodes and zones, that end without dropping a request."""

from webhook.manifests.objects import PRIORITY
from webhook.manifests.objects import PROBE_PORT
from webhook.manifests.objects import SERVING_PORT
from webhook.manifests.settings import LABELS
from webhook.manifests.settings import NAME
from webhook.manifests.settings import POLICY_KEY
from webhook.manifests.settings import POLICY_MAP
from webhook.manifests.settings import TLS_SECRET
from webhook.manifests.settings import Manifest
from webhook.manifests.settings import Settings
from webhook.manifests.settings import metadata

USER = 10001
"""User and group of the process; nothing else on a node runs as them."""

_POLICY_FOLDER = "/etc/numagate/policy"
_TLS_FOLDER = "/etc/numagate/tls"


def deployment(settings: Settings) -> Manifest:
    """Make the Deployment."""
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata(NAME, settings.namespace),
        "spec": {
            "replicas": 3,
            "revisionHistoryLimit": 5,
            # A new pod that cannot read its policy or certificate never gets ready, and so stops the rollout.
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
            "minReadySeconds": 5,
            "selector": {"matchLabels": dict(LABELS)},
            "template": {
                "metadata": {"labels": dict(LABELS), "annotations": _scrape()},
                "spec": _pod(settings),
            },
        },
    }


def _scrape() -> Manifest:
    return {
        "prometheus.io/scrape": "true",
        "prometheus.io/port": str(PROBE_PORT),
        "prometheus.io/path": "/metrics",
    }


def _pod(settings: Settings) -> Manifest:
    return {
        "serviceAccountName": NAME,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "priorityClassName": PRIORITY,
        # 5 s before SIGTERM, then up to 15 s of lame duck and 10 s for what is in flight.
        "terminationGracePeriodSeconds": 45,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": USER,
            "runAsGroup": USER,
            "fsGroup": USER,
            "fsGroupChangePolicy": "OnRootMismatch",
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "affinity": {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [_apart()]}},
        "topologySpreadConstraints": [
            _spread("kubernetes.io/hostname", "DoNotSchedule"),
            _spread("topology.kubernetes.io/zone", "ScheduleAnyway"),
        ],
        "containers": [_container(settings)],
        "volumes": _volumes(),
    }


def _apart() -> Manifest:
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": dict(LABELS)}}
    return {"weight": 100, "podAffinityTerm": term}


def _spread(key: str, unsatisfiable: str) -> Manifest:
    """Spread the pods of one revision; nodes they do not tolerate (GPU pools, cordoned ones) are not counted."""
    return {
        "maxSkew": 1,
        "topologyKey": key,
        "whenUnsatisfiable": unsatisfiable,
        "nodeTaintsPolicy": "Honor",
        "labelSelector": {"matchLabels": dict(LABELS)},
        "matchLabelKeys": ["pod-template-hash"],
    }


def _container(settings: Settings) -> Manifest:
    return {
        "name": NAME,
        "image": settings.image,
        "imagePullPolicy": "IfNotPresent",
        "args": [
            "serve",
            f"--policy={_POLICY_FOLDER}/{POLICY_KEY}",
            f"--cert-dir={_TLS_FOLDER}",
            f"--namespace={settings.namespace}",
        ],
        "ports": [
            {"name": "https", "containerPort": SERVING_PORT, "protocol": "TCP"},
            {"name": "probes", "containerPort": PROBE_PORT, "protocol": "TCP"},
        ],
        # No CPU limit: a throttled webhook delays every pod of the cluster.
        "resources": {"requests": {"cpu": "1", "memory": "128Mi"}, "limits": {"memory": "384Mi"}},
        "startupProbe": _probe("/healthz", period=2, failures=30),
        "livenessProbe": _probe("/healthz", period=10, failures=3),
        "readinessProbe": _probe("/readyz", period=2, failures=2),
        # The pod leaves the Service's endpoints while it still answers; then SIGTERM starts the drain.
        "lifecycle": {"preStop": {"sleep": {"seconds": 5}}},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [
            {"name": "policy", "mountPath": _POLICY_FOLDER, "readOnly": True},
            {"name": "tls", "mountPath": _TLS_FOLDER, "readOnly": True},
            {"name": "tmp", "mountPath": "/tmp"},  # noqa: S108 - a volume of the pod's own
        ],
    }


def _probe(path: str, *, period: int, failures: int) -> Manifest:
    return {
        "httpGet": {"path": path, "port": "probes"},
        "periodSeconds": period,
        "timeoutSeconds": 1,
        "failureThreshold": failures,
    }


def _volumes() -> list[Manifest]:
    return [
        # Whole folders, no subPath: only so do changes reach the running pod.
        {"name": "policy", "configMap": {"name": POLICY_MAP}},
        {"name": "tls", "secret": {"secretName": TLS_SECRET, "defaultMode": 0o400}},
        {"name": "tmp", "emptyDir": {"medium": "Memory", "sizeLimit": "16Mi"}},
    ]
