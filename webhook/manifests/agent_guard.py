"""What agents may write, held by the API server itself: their own node's objects, and one condition of its pods.

RBAC knows no nodes: its rules let every agent write the status of every pod. A token that is bound to a pod names the
node of that pod (KEP-4193), and these rules hold the agents to it. They fail closed: a token that names no node writes
nothing.
"""

from webhook.domain import api
from webhook.domain import keys
from webhook.manifests.guard import binding
from webhook.manifests.match import text
from webhook.manifests.settings import AGENT
from webhook.manifests.settings import Manifest
from webhook.manifests.settings import Settings
from webhook.manifests.settings import metadata

PODS = "agents-pods.numagate.io"
EVENTS = "agents-events.numagate.io"
REPORTS = "agents-reports.numagate.io"

_VARIABLES = {
    "nodes": f"request.userInfo.?extra[?{text(keys.NODE_NAME)}].orValue([])",
    "node": "size(variables.nodes) == 1 ? variables.nodes[0] : ''",
}
_FROM_SERVER = "['managedFields', 'resourceVersion']"
"""What the API server itself writes into metadata."""


def agent_guard(settings: Settings) -> list[Manifest]:
    """Make the policies and their bindings."""
    made = (_pods(settings), _events(settings), _reports(settings))
    names = (PODS, EVENTS, REPORTS)
    return [item for name, policy in zip(names, made, strict=True) for item in (policy, binding(name))]


def _pods(settings: Settings) -> Manifest:
    condition = text(keys.ALIGNED)
    return _policy(
        settings,
        PODS,
        _rule("", "v1", "pods/status", "Namespaced", "UPDATE"),
        [
            _validation(
                "oldObject.spec.?nodeName.orValue('') == variables.node", "writes to pods of its own node only"
            ),
            _validation(_unchanged("metadata", _FROM_SERVER), "leaves labels, annotations and other metadata alone"),
            _validation(_unchanged("status", "['conditions']"), "writes conditions of a pod's status and nothing else"),
            _validation(
                f"object.status.?conditions.orValue([]).filter(c, c.type != {condition}) ==\n"
                f"oldObject.status.?conditions.orValue([]).filter(c, c.type != {condition})",
                f"writes the condition {keys.ALIGNED} and no other",
            ),
        ],
    )


def _events(settings: Settings) -> Manifest:
    most = f"size(variables.node) < {api.MOST_INSTANCE} ? size(variables.node) : {api.MOST_INSTANCE}"
    instance = f"variables.node.substring(0, {most})"

    def reported(by: str) -> str:
        return (
            f"{by}.?reportingController.orValue('') == {text(api.REPORTER)} &&\n"
            f"{by}.?reportingInstance.orValue('') == {instance}"
        )

    return _policy(
        settings,
        EVENTS,
        _rule("events.k8s.io", "v1", "events", "Namespaced", "CREATE", "UPDATE"),
        [
            _validation(
                f"{reported('object')} &&\n(oldObject == null || {reported('oldObject')})",
                f"reports as {api.REPORTER} of its own node, and changes events of that only",
            ),
            _validation(
                "object.?regarding.kind.orValue('') == 'Pod' && object.?regarding.apiVersion.orValue('') == 'v1'",
                "reports events about pods only",
            ),
            _validation(
                f"{_kept('finalizers')} &&\n{_kept('ownerReferences')}",
                "sets neither finalizers nor ownerReferences of events",
            ),
        ],
    )


def _reports(settings: Settings) -> Manifest:
    return _policy(
        settings,
        REPORTS,
        _rule(api.GROUP, api.VERSION, api.ALIGNMENTS, "Cluster", "CREATE", "UPDATE"),
        [
            _validation("object.metadata.name == variables.node", "writes the NodeAlignment of its own node only"),
            _validation(_kept("finalizers"), "sets no finalizers of a NodeAlignment"),
            _validation(
                "object.metadata.?ownerReferences.orValue([]).all(o,\n"
                "o.apiVersion == 'v1' && o.kind == 'Node' && o.name == variables.node)",
                "lets its own node own the NodeAlignment and nothing else",
            ),
        ],
    )


def _policy(settings: Settings, name: str, rule: Manifest, validations: list[Manifest]) -> Manifest:
    account = f"system:serviceaccount:{settings.agent_namespace}:{AGENT}"
    bound = {
        "expression": "variables.node != ''",
        "message": "the token of numagate's agent names no node: it must be one that the kubelet mounts into its pod",
        "reason": "Forbidden",
    }
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": metadata(name),
        "spec": {
            "failurePolicy": "Fail",
            "matchConstraints": {
                "matchPolicy": "Equivalent",
                "namespaceSelector": {},
                "objectSelector": {},
                "resourceRules": [rule],
            },
            "matchConditions": [{"name": "is-an-agent", "expression": f"request.userInfo.username == {text(account)}"}],
            "variables": [{"name": key, "expression": expression} for key, expression in _VARIABLES.items()],
            "validations": [bound, *validations],
        },
    }


def _rule(group: str, version: str, resource: str, scope: str, *operations: str) -> Manifest:
    return {
        "apiGroups": [group],
        "apiVersions": [version],
        "operations": list(operations),
        "resources": [resource],
        "scope": scope,
    }


def _validation(expression: str, only: str) -> Manifest:
    return {
        "expression": expression,
        "message": f"numagate's agent {only}",
        "messageExpression": f'"numagate\'s agent {only}; this one is of node " + variables.node',
        "reason": "Forbidden",
    }


def _kept(part: str) -> str:
    """Say that a list in the metadata is what it was, and empty in an object that is new."""
    new, old = (f"{whose}.metadata.?{part}.orValue([])" for whose in ("object", "oldObject"))
    return f"{new} == (oldObject == null ? [] : {old})"


def _unchanged(part: str, but: str) -> str:
    """Say that a part of the object is what it was, whatever fields it has, but for some."""
    new, old = f"dyn(object.{part})", f"dyn(oldObject.{part})"
    return (
        f"{new}.all(k, k in {but} || (k in {old} && {new}[k] == {old}[k])) &&\n{old}.all(k, k in {but} || k in {new})"
    )
