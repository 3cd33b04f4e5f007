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
    return [_policy(), binding(POLICY), role(ROLE, VERB)]


def _policy() -> Manifest:
    label = text(keys.ADMISSION)
    value = f"object.metadata.?labels[?{label}]"
    before = f"oldObject.metadata.?labels[?{label}]"
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": metadata(POLICY),
        "spec": {
            "failurePolicy": "Fail",
            "matchConstraints": changes_of_namespaces(),
            "matchConditions": [{"name": "has-the-label", "expression": f"{value}.hasValue()"}],
            "validations": [
                {
                    "expression": f"{value}.orValue('') == {text(DISABLED)}",
                    "message": f"label {keys.ADMISSION} must be {DISABLED}, or left out",
                    "reason": "Invalid",
                },
                {
                    "expression": f"oldObject != null && {before} == {value} ||\n{allowed(VERB)}",
                    "message": (
                        f"label {keys.ADMISSION} switches numagate off in this namespace: "
                        f"that needs the verb {VERB} on namespaces.{_GROUP} (ClusterRole {ROLE})"
                    ),
                    "reason": "Forbidden",
                },
            ],
        },
    }


def changes_of_namespaces() -> Manifest:
    """Name every request that can change a label of a namespace: those to its subresources can, too."""
    rule = {
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "operations": ["CREATE", "UPDATE"],
        "resources": ["namespaces", "namespaces/status", "namespaces/finalize"],
        "scope": "Cluster",
    }
    # In server-side apply the whole block has one owner: with the defaults left out, two managers would fight.
    return {
        "matchPolicy": "Equivalent",
        "namespaceSelector": {},
        "objectSelector": {},
        "resourceRules": [rule],
    }


def allowed(verb: str) -> str:
    """Say that the requester may do `verb`, one of ours, to the namespace."""
    asked = f"authorizer.group({text(_GROUP)}).resource('namespaces').name(object.metadata.name).check({text(verb)})"
    return f"{asked}.allowed()"


def binding(policy: str) -> Manifest:
    """Make a ValidatingAdmissionPolicy called `policy` refuse."""
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": metadata(policy),
        "spec": {"policyName": policy, "validationActions": ["Deny"]},
    }


def role(name: str, verb: str) -> Manifest:
    """Make a role to bind for those who may do `verb` to namespaces."""
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": name, "labels": dict(LABELS)},
        "rules": [{"apiGroups": [_GROUP], "resources": ["namespaces"], "verbs": [verb]}],
    }
