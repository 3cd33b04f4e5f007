"""Makes the test cluster's certificates, users and kubeconfig files."""

import json
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import trustme
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

ADMIN = "admin"
"""A cluster administrator: group system:masters."""

ORDINARY = "ml-engineer"
"""A person who may do what the ClusterRole `edit` allows, and nothing more."""

CONTROLLER_MANAGER = "system:kube-controller-manager"
SCHEDULER = "system:kube-scheduler"

SERVING = "system:serviceaccount:numagate-system:numagate"
CONTROLLER = "system:serviceaccount:numagate-system:numagate-controller"
"""numagate's own service accounts, known by static tokens."""

SERVICE_ACCOUNTS = "system:serviceaccounts"

NODE = "node-1"
KUBELET = f"system:node:{NODE}"
"""The kubelet of the test node, where there is one."""

GROUPS = {
    ADMIN: "system:masters",
    KUBELET: "system:nodes",
    ORDINARY: "ml-engineers",
    CONTROLLER_MANAGER: "",
    SCHEDULER: "",
    SERVING: SERVICE_ACCOUNTS,
    CONTROLLER: SERVICE_ACCOUNTS,
}

ORDINARY_MAY_EDIT = tuple(
    {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": f"ml-engineers-{role}"},
        "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io",
            "kind": "ClusterRole",
            "name": f"system:aggregate-to-{role}",
        },
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": GROUPS[ORDINARY]}],
    }
    for role in ("view", "edit")  # the parts of `edit`, which a controller would first have to put together
)


@dataclass(frozen=True, slots=True)
class Identity:
    """Files and tokens by which the cluster's parts know each other."""

    ca: Path
    certificate: Path
    key: Path
    service_account_key: Path
    token_file: Path
    tokens: dict[str, str]


def make(folder: Path, names: Iterable[str] = ()) -> Identity:
    """Write a CA, the API server's certificate, the service account key and the token file into `folder`.

    `names` are names and addresses of the API server beside those on loopback.
    """
    identity = Identity(
        ca=folder / "ca.crt",
        certificate=folder / "apiserver.crt",
        key=folder / "apiserver.key",
        service_account_key=folder / "service-account.key",
        token_file=folder / "tokens.csv",
        tokens={user: secrets.token_hex(16) for user in GROUPS},
    )
    authority = trustme.CA()
    leaf = authority.issue_cert("127.0.0.1", "localhost", "kubernetes.default.svc", *names)
    authority.cert_pem.write_to_path(str(identity.ca))
    leaf.private_key_pem.write_to_path(str(identity.key))
    for index, blob in enumerate(leaf.cert_chain_pems):
        blob.write_to_path(str(identity.certificate), append=index > 0)
    identity.service_account_key.write_bytes(
        ec.generate_private_key(ec.SECP256R1()).private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.TraditionalOpenSSL,
            serialization.NoEncryption(),
        )
    )
    rows = [f'{token},{user},{user},"{GROUPS[user]}"\n' for user, token in identity.tokens.items()]
    identity.token_file.write_text("".join(rows), "utf-8")
    return identity


def write_kubeconfig(path: Path, *, server: str, ca: Path, token: str) -> Path:
    """Write a kubeconfig for one user; JSON is YAML."""
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "test", "cluster": {"server": server, "certificate-authority": str(ca)}}],
        "users": [{"name": "user", "user": {"token": token}}],
        "contexts": [{"name": "test", "context": {"cluster": "test", "user": "user"}}],
        "current-context": "test",
    }
    path.write_text(json.dumps(config), "utf-8")
    return path
