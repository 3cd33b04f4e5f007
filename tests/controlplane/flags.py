"""Writes the command lines of the test cluster's daemons: loopback only, small, fast to start."""

import json
from collections.abc import Mapping
from pathlib import Path

from controlplane.identity import Identity

CONTROLLERS = (
    "clusterrole-aggregation-controller",
    "cronjob-controller",
    "daemonset-controller",
    "deployment-controller",
    "disruption-controller",
    "garbage-collector-controller",
    "job-controller",
    "namespace-controller",
    "replicaset-controller",
    "replicationcontroller-controller",
    "resourcequota-controller",
    "root-ca-certificate-publisher-controller",
    "serviceaccount-controller",
    "statefulset-controller",
)

NEW_NODES_ARE_READY = "--disable-admission-plugins=TaintNodesByCondition"
"""Where no controller takes away the taint that new nodes get, no node would ever be ready for pods."""

FOR_KUBELETS = (NEW_NODES_ARE_READY, "--authorization-mode=Node", "--enable-admission-plugins=NodeRestriction")
"""What an API server has where a real kubelet registers: a kubelet may do what concerns its own node, no more."""

AUDIT_POLICY = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "rules": [
        {"level": "None", "verbs": ["get", "list", "watch"]},
        {
            "level": "Request",  # from this level on the API server notes the patches of webhooks
            "resources": [
                {"group": "", "resources": ["pods", "pods/*", "podtemplates", "replicationcontrollers"]},
                {"group": "apps"},
                {"group": "batch"},
            ],
        },
        {"level": "Metadata"},
    ],
}


def etcd(program: Path, *, folder: Path, client_port: int, peer_port: int) -> list[str]:
    """Answer the command of a single etcd that does not wait for the disk."""
    client, peer = f"http://127.0.0.1:{client_port}", f"http://127.0.0.1:{peer_port}"
    return [
        str(program),
        f"--data-dir={folder / 'etcd'}",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=default={peer}",
        "--unsafe-no-fsync",
    ]


def api_server(
    program: Path,
    *,
    folder: Path,
    etcd_port: int,
    port: int,
    identity: Identity,
    service_accounts: bool,
    feature_gates: Mapping[str, bool],
) -> list[str]:
    """Answer the command of the API server: RBAC, static tokens, an audit log.

    Without a controller manager nobody makes service accounts, and the plug-in would refuse every pod.
    """
    policy = folder / "audit-policy.json"
    policy.write_text(json.dumps(AUDIT_POLICY), "utf-8")
    command = [
        str(program),
        f"--etcd-servers=http://127.0.0.1:{etcd_port}",
        "--bind-address=127.0.0.1",
        "--advertise-address=127.0.0.1",
        "--endpoint-reconciler-type=none",
        f"--secure-port={port}",
        f"--cert-dir={folder}",
        f"--tls-cert-file={identity.certificate}",
        f"--tls-private-key-file={identity.key}",
        f"--token-auth-file={identity.token_file}",
        "--authorization-mode=RBAC",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={identity.service_account_key}",
        f"--service-account-signing-key-file={identity.service_account_key}",
        "--service-cluster-ip-range=10.0.0.0/24",
        "--allow-privileged=true",
        f"--audit-policy-file={policy}",
        f"--audit-log-path={folder / 'audit.log'}",
    ]
    if not service_accounts:
        command.append("--disable-admission-plugins=ServiceAccount")
    return command + gates(feature_gates)


def controller_manager(
    program: Path, *, kubeconfig: Path, identity: Identity, feature_gates: Mapping[str, bool]
) -> list[str]:
    """Answer the command of a controller manager whose controllers act as the users they are in a real cluster."""
    return [
        str(program),
        f"--kubeconfig={kubeconfig}",
        f"--controllers={','.join(CONTROLLERS)}",
        f"--service-account-private-key-file={identity.service_account_key}",
        f"--root-ca-file={identity.ca}",
        "--use-service-account-credentials=true",
        "--leader-elect=false",
        "--secure-port=0",
        "--kube-api-qps=200",
        "--kube-api-burst=400",
        *gates(feature_gates),
    ]


def gates(feature_gates: Mapping[str, bool]) -> list[str]:
    """Answer the flag for `feature_gates`, none where the defaults hold.

    >>> gates({"A": True, "B": False}), gates({})
    (['--feature-gates=A=true,B=false'], [])
    """
    pairs = [f"{name}={str(on).lower()}" for name, on in feature_gates.items()]
    return [f"--feature-gates={','.join(pairs)}"] if pairs else []
