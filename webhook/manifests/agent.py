"""The agent: a DaemonSet that looks at its node from a namespace of its own, with as little in hand as that takes.

It must see other pods' processes, and so is privileged in the words of the pod security standards (host processes, host
folders); it is not a privileged container, and it has two capabilities.
"""

from webhook.domain.api import WORLD_MAP
from webhook.manifests import objects
from webhook.manifests import pods
from webhook.manifests.settings import AGENT
from webhook.manifests.settings import Manifest
from webhook.manifests.settings import Settings
from webhook.manifests.settings import metadata

LABELS = {"app.kubernetes.io/name": AGENT}
PRIORITY = "system-node-critical"
ROOT = "/host"
"""Where the host's folders are mounted."""

CAPABILITIES = ("DAC_READ_SEARCH", "SYS_PTRACE")
"""To read what belongs to other users, and numa_maps of processes that are not ours (ptrace_may_access)."""
_GRACE_SECONDS = 15
_MOST_PODS = 50_000
_UNAVAILABLE = "10%"


def agent(settings: Settings) -> list[Manifest]:
    """Make the DaemonSet and what surrounds it, but for its rights."""
    return [
        namespace(settings),
        _quota(settings),
        objects.service_account(settings, AGENT, settings.agent_namespace),
        objects.network_policy(
            settings, AGENT, LABELS, egress=True, namespace=settings.agent_namespace, ports=(pods.PROBE_PORT,)
        ),
        daemon_set(settings),
    ]


def namespace(settings: Settings) -> Manifest:
    """Make its namespace: what runs there may see hosts, so nobody else's pods belong into it."""
    return objects.namespace(settings, settings.agent_namespace, level="privileged")


def daemon_set(settings: Settings) -> Manifest:
    """Make the DaemonSet: on every node with Linux, unless told otherwise, tainted or not."""
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": metadata(AGENT, settings.agent_namespace),
        "spec": {
            "revisionHistoryLimit": 5,
            "minReadySeconds": 5,
            # A node whose agent is replaced is not verified for some seconds, and what was told stays.
            "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": _UNAVAILABLE}},
            "selector": {"matchLabels": dict(LABELS)},
            "template": {"metadata": {"labels": dict(LABELS), "annotations": pods.scrape()}, "spec": _pod(settings)},
        },
    }


def _pod(settings: Settings) -> Manifest:
    mounts = [pods.token(), *(_host(path) for path in ("/proc", "/sys"))]
    kubelet = {"name": "kubelet", "hostPath": {"path": settings.kubelet_dir, "type": "Directory"}}
    volumes = [*(volume for volume, _ in mounts), kubelet, pods.TMP]
    mounted = [*(pods.mount(*mount) for mount in mounts), _KUBELET_MOUNT, pods.TMP_MOUNT]
    return {
        "serviceAccountName": AGENT,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "priorityClassName": PRIORITY,
        "terminationGracePeriodSeconds": _GRACE_SECONDS,
        "hostPID": True,
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "tolerations": [{"operator": "Exists"}],
        "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [_container(settings) | {"volumeMounts": mounted}],
        "volumes": volumes,
    }


def _container(settings: Settings) -> Manifest:
    return {
        "name": AGENT,
        "image": settings.image,
        "imagePullPolicy": "IfNotPresent",
        "args": [
            "verify",
            "--watch",
            "--node=$(NODE_NAME)",
            f"--root={ROOT}",
            f"--world-object={settings.namespace}/{WORLD_MAP}",
        ],
        "env": [{"name": "NODE_NAME", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "spec.nodeName"}}}],
        "ports": [{"name": "probes", "containerPort": pods.PROBE_PORT, "protocol": "TCP"}],
        # Burstable on purpose: a Guaranteed pod with whole CPUs would take cores from those that it watches, and one
        # with a limit of CPU would take longer to look than it has between two looks.
        "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "256Mi"}},
        "startupProbe": pods.probe("/healthz", period=2, failures=30),
        "livenessProbe": pods.probe("/healthz", period=30, failures=3),
        "readinessProbe": pods.probe("/readyz", period=10, failures=3),
        "securityContext": {
            # A capability that is added counts for root only: other users have it in no effective set.
            "runAsUser": 0,
            "runAsGroup": 0,
            "privileged": False,
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"], "add": list(CAPABILITIES)},
        },
        "terminationMessagePolicy": "FallbackToLogsOnError",
    }


def _host(path: str) -> pods.Mount:
    name = path.strip("/").replace("/", "-")
    return {"name": name, "hostPath": {"path": path, "type": "Directory"}}, f"{ROOT}{path}"


# Volumes of other pods lie below it: when the host unmounts one, it must not stay mounted here, and so be busy.
_KUBELET_MOUNT: Manifest = {
    "name": "kubelet",
    "mountPath": f"{ROOT}/var/lib/kubelet",
    "readOnly": True,
    "mountPropagation": "HostToContainer",
}


def _quota(settings: Settings) -> Manifest:
    """Allow the pods their priority class: some clusters admit it outside kube-system only under a quota."""
    return objects.priority_quota(settings, settings.agent_namespace, priority=PRIORITY, pods=_MOST_PODS)
