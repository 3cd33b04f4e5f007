"""The rule for the opt-out label of namespaces, held by the API server itself, whether numagate runs or not.

Namespaces never go through our webhook: a ValidatingAdmissionPolicy asks the authorizer for a verb of its own.
"""

from webhook.domain import keys
from webhook.manifests.match import text
from webhook.manifests.settings import LABELS
from webhook.manifests.settings import Manifest
from webhook.manifests.settings import metadata
from webhook.manifests.webhooks import DISABLED

POLICY = "namespaces.numagate.io"
ROLE = "numagate-opt-out"
VERB = "opt-out"

_GROUP = keys.DOMAIN.rstrip("/")


def guard() -> list[Manifest]:
    """Make the policy, its binding, and a role to bind for those who may opt namespaces out."""
    return [_policy(), _binding(), _role()]


def _policy() -> Manifest:
    label = text(keys.ADMISSION)
    value = f"object.metadata.?labels[?{label}]"
    before = f"oldObject.metadata.?labels[?{label}]"
    asked = f"authorizer.group({text(_GROUP)}).resource('namespaces').name(object.metadata.name).check({text(VERB)})"
    rule = {
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "operations": ["CREATE", "UPDATE"],
        "resources": ["namespaces"],
        "scope": "Cluster",
    }
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": metadata(POLICY),
        "spec": {
            "failurePolicy": "Fail",
            # In server-side apply the whole block has one owner: with the defaults left out, two managers would fight.
            "matchConstraints": {
                "matchPolicy": "Equivalent",
                "namespaceSelector": {},
                "objectSelector": {},
                "resourceRules": [rule],
            },
            "matchConditions": [{"name": "has-the-label", "expression": f"{value}.hasValue()"}],
            "validations": [
                {
                    "expression": f"{value}.orValue('') == {text(DISABLED)}",
                    "message": f"label {keys.ADMISSION} must be {DISABLED}, or left out",
                    "reason": "Invalid",
                },
                {
                    "expression": f"oldObject != null && {before} == {value} ||\n{asked}.allowed()",
                    "message": (
                        f"label {keys.ADMISSION} switches numagate off in this namespace: "
                        f"that needs the verb {VERB} on namespaces.{_GROUP} (ClusterRole {ROLE})"
                    ),
                    "reason": "Forbidden",
                },
            ],
        },
    }


def _binding() -> Manifest:
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": metadata(POLICY),
        "spec": {"policyName": POLICY, "validationActions": ["Deny"]},
    }


def _role() -> Manifest:
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": ROLE, "labels": dict(LABELS)},
        "rules": [{"apiGroups": [_GROUP], "resources": ["namespaces"], "verbs": [VERB]}],
    }
