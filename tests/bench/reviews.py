"""The AdmissionReview that every server of the comparison is sent: a 2-GPU pod as a ReplicaSet makes it."""

import json
from typing import Any

GPUS = "2"
NAME = "llama-7d4b9c6f5d-x2x7k"
VARIED = str(64 << 20)
"""The KiB of memory of the pod: where pods shall differ, a load generator counts on from there."""


def resources(memory: str = f"{VARIED}Ki", cpu: str = "16", gpus: str = GPUS) -> dict[str, dict[str, str]]:
    """Answer requests and limits that are equal: Guaranteed."""
    wanted = {"cpu": cpu, "memory": memory, "nvidia.com/gpu": gpus}
    return {"requests": dict(wanted), "limits": dict(wanted)}


def bench_pod(**changes: str) -> dict[str, Any]:
    """Answer the pod as the API server shows it to webhooks: defaults, token volume and managed fields are in it."""
    probe = {"httpGet": {"path": "/health", "port": 8000, "scheme": "HTTP"}, "initialDelaySeconds": 60}
    probe |= {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}
    server = {
        "name": "server",
        "image": "registry.example/vllm/vllm-openai:v0.11.0",
        "args": ["--model", "meta-llama/Llama-3.3-70B-Instruct", "--tensor-parallel-size", GPUS],
        "ports": [{"name": "http", "containerPort": 8000, "protocol": "TCP"}],
        "env": [
            {"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": {"name": "hugging-face", "key": "token"}}},
            {"name": "POD_IP", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "status.podIP"}}},
        ],
        "resources": resources(**changes),
        "volumeMounts": [
            {"name": "shm", "mountPath": "/dev/shm"},  # noqa: S108  # the path of every model server
            {"name": "token", "readOnly": True, "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"},
        ],
        "readinessProbe": probe,
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "imagePullPolicy": "IfNotPresent",
    }
    return {
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": {
            "name": NAME,
            "generateName": "llama-7d4b9c6f5d-",
            "uid": "5c0c4a55-8f4e-4a7e-9c53-2ad6a0a34c6b",
            "creationTimestamp": "2026-11-30T06:00:00Z",
            "labels": {"app": "llama", "pod-template-hash": "7d4b9c6f5d"},
            "ownerReferences": [
                {
                    "apiVersion": "apps/v1",
                    "kind": "ReplicaSet",
                    "name": "llama-7d4b9c6f5d",
                    "uid": "f6a1f9bb-6f5c-4a8e-8d2f-0b1d8a3c3f0e",
                    "controller": True,
                    "blockOwnerDeletion": True,
                }
            ],
            "managedFields": [_managed(server)],
        },
        "spec": {
            "volumes": [
                {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "8Gi"}},
                {"name": "token", "projected": {"sources": _token(), "defaultMode": 420}},
            ],
            "containers": [server],
            "restartPolicy": "Always",
            "terminationGracePeriodSeconds": 30,
            "dnsPolicy": "ClusterFirst",
            "serviceAccountName": "default",
            "serviceAccount": "default",
            "securityContext": {},
            "schedulerName": "default-scheduler",
            "tolerations": [
                {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
                *(
                    {
                        "key": f"node.kubernetes.io/{why}",
                        "operator": "Exists",
                        "effect": "NoExecute",
                        "tolerationSeconds": 300,
                    }
                    for why in ("not-ready", "unreachable")
                ),
            ],
            "priority": 0,
            "enableServiceLinks": True,
            "preemptionPolicy": "PreemptLowerPriority",
        },
        "status": {"phase": "Pending", "qosClass": "Guaranteed"},
    }


def bench_review(namespace: str, obj: dict[str, Any] | None = None) -> bytes:
    """Write the review of the creation of a pod."""
    pod = obj or bench_pod()
    pod["metadata"]["namespace"] = namespace
    kind = {"group": "", "version": "v1", "kind": "Pod"}
    resource = {"group": "", "version": "v1", "resource": "pods"}
    user = {"username": "system:serviceaccount:kube-system:replicaset-controller"}
    user |= {"uid": "0f5f8a1b-3e0b-4b7c-9a57-1f2f3f4d5e6f"}
    groups = ["system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"]
    request = {
        "uid": "705ab4f5-6393-11e8-b7cc-42010a800002",
        "kind": kind,
        "resource": resource,
        "requestKind": kind,
        "requestResource": resource,
        "name": NAME,
        "namespace": namespace,
        "operation": "CREATE",
        "userInfo": {**user, "groups": groups},
        "object": pod,
        "oldObject": None,
        "dryRun": False,
        "options": {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1"},
    }
    review = {"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": request}
    return json.dumps(review, separators=(",", ":")).encode()


def _token() -> list[dict[str, Any]]:
    items = [{"key": "ca.crt", "path": "ca.crt"}]
    names = [{"path": "namespace", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}}]
    return [
        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
        {"configMap": {"name": "kube-root-ca.crt", "items": items}},
        {"downwardAPI": {"items": names}},
    ]


def _managed(container: dict[str, Any]) -> dict[str, Any]:
    named = f'k:{{"name":"{container["name"]}"}}'
    spec = {"f:containers": {named: {".": {}, **_fields(container)}}}
    spec |= {f"f:{name}": {} for name in ("dnsPolicy", "enableServiceLinks", "restartPolicy", "schedulerName")}
    metadata = {"f:generateName": {}, "f:labels": {".": {}, "f:app": {}, "f:pod-template-hash": {}}}
    return {
        "manager": "kube-controller-manager",
        "operation": "Update",
        "apiVersion": "v1",
        "time": "2026-11-30T06:00:00Z",
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:metadata": metadata, "f:spec": spec},
    }


def _fields(value: dict[str, Any]) -> dict[str, Any]:
    return {f"f:{key}": _fields(inner) if isinstance(inner, dict) else {} for key, inner in value.items()}
