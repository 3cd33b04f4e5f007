"""The rule for the level labels of namespaces, held by the API server itself: legal values, and who may go down.

Setting a label counts as going down where it says `none`, or less than the label said before; taking one away does
unless it said `none`. Whether a label beside the policy's own level may do anything at all is the policy's to say.
"""

from webhook.domain import keys
from webhook.domain.levels import Level
from webhook.manifests.guard import allowed
from webhook.manifests.guard import binding
from webhook.manifests.guard import changes_of_namespaces
from webhook.manifests.guard import role
from webhook.manifests.match import text
from webhook.manifests.settings import Manifest
from webhook.manifests.settings import metadata

POLICY = "levels.numagate.io"
ROLE = "numagate-lower"
VERB = "lower"

_WORDS = [str(level) for level in Level]
_LEGAL = f"{', '.join(_WORDS[:-1])} or {_WORDS[-1]}"
_KEYS = f"[{', '.join(map(text, keys.MODES))}]"


def level_guard() -> list[Manifest]:
    """Make the policy, its binding, and a role to bind for those who may lower levels."""
    return [_policy(), binding(POLICY), role(ROLE, VERB)]


def _policy() -> Manifest:
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": metadata(POLICY),
        "spec": {
            "failurePolicy": "Fail",
            "matchConstraints": changes_of_namespaces(),
            "matchConditions": [{"name": "label-changed", "expression": _changed()}],
            "variables": [{"name": name, "expression": expression} for name, expression in _variables().items()],
            "validations": [_legal(), _lowered()],
        },
    }


def _changed() -> str:
    new = "object.metadata.?labels[?k]"
    old = "oldObject.metadata.?labels[?k]"
    return f"{_KEYS}.exists(k,\n  oldObject == null ? {new}.hasValue() : {new} != {old})"


def _variables() -> dict[str, str]:
    ranks = ", ".join(f"{text(str(level))}: {level.value}" for level in Level)
    return {
        "labels": "object.metadata.?labels.orValue({})",
        "before": "oldObject == null ? {} : oldObject.metadata.?labels.orValue({})",
        "ranks": f"{{{ranks}}}",
        "changed": f"{_KEYS}.filter(k, variables.labels[?k] != variables.before[?k])",
        "wrong": "variables.changed.filter(k, k in variables.labels && !(variables.labels[k] in variables.ranks))",
        "lowered": (
            "variables.changed.filter(k,\n"
            f"  variables.labels[?k].orValue('') == {text(str(Level.NONE))} ||\n"
            "  variables.ranks[?variables.labels[?k].orValue('')].orValue(0) <\n"
            "  variables.ranks[?variables.before[?k].orValue('')].orValue(0))"
        ),
    }


def _legal() -> Manifest:
    return {
        "expression": "size(variables.wrong) == 0",
        "message": f"labels {', '.join(keys.MODES)} must be {_LEGAL}",
        "messageExpression": (
            f"'label ' + variables.wrong[0] + ' must be {_LEGAL}, not \"' + variables.labels[variables.wrong[0]] + '\"'"
        ),
        "reason": "Invalid",
    }


def _lowered() -> Manifest:
    needs = f"lowers what numagate asks of this namespace: that needs the verb {VERB} on namespaces.{keys.DOMAIN[:-1]}"
    return {
        "expression": f"size(variables.lowered) == 0 ||\n{allowed(VERB)}",
        "message": f"a label of {', '.join(keys.MODES)} {needs} (ClusterRole {ROLE})",
        "messageExpression": (f"'label ' + variables.lowered[0] + ' {needs} (ClusterRole {ROLE})'"),
        "reason": "Forbidden",
    }
