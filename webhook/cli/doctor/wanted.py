"""What an installation ought to be, by its policies and by the code's own rendering."""

from collections.abc import Iterator
from typing import Final

import orjson

from webhook.cli.doctor.facts import CONTROLLER
from webhook.cli.doctor.facts import NAME
from webhook.cli.doctor.facts import Facts
from webhook.cli.doctor.facts import name_of
from webhook.domain.api import WORLD_KEY
from webhook.domain.policy import widest
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.manifests import in_force
from webhook.manifests.choices import read_settings
from webhook.manifests.rbac import controller_rights
from webhook.manifests.rbac import issuing_rights
from webhook.manifests.rbac import serving_rights
from webhook.manifests.settings import POLICY_KEY
from webhook.manifests.webhooks import configurations
from webhook.sources.policy_file import parse_stream

WORDS: Final = ("mutating", "validating")
"""In the order in which they are rendered."""


def wanted(facts: Facts, word: str, mode: str) -> JsonObject | None:
    """Render a configuration for the policies in force; None where these are not known.

    Raises:
        NumagateError: a policy cannot be read.
        ValueError: `mode` is none.
    """
    if facts.from_file:
        text = get_text(get_object(facts.policy_map.found, "data"), POLICY_KEY)
        if not text:
            return None
        policies = parse_stream(text, "the policy file").policies
        return configurations(widest(policies), namespace=facts.namespace, mode=mode)[WORDS.index(word)]
    documents = _in_force(facts)
    if not documents:
        return None
    return in_force.render(documents, mode, namespace=facts.namespace)[WORDS.index(word)]


def _in_force(facts: Facts) -> list[JsonObject]:
    """Answer the policies of the snapshot; where it cannot be seen, those that are accepted."""
    try:
        world = as_object(orjson.loads(get_text(get_object(facts.world.found, "data"), WORLD_KEY) or "{}"))
    except ValueError:
        world = {}
    documents = [as_object(one) for one in get_list(world, "policies")]
    return documents or [{"metadata": {"name": name_of(one)}, "spec": one.get("spec")} for one in facts.policies.items]


def wanted_rights(namespace: str, *, issues: bool) -> Iterator[tuple[str, JsonObject]]:
    """Answer the attributes of each right that the accounts are to have, with the account.

    Where the controller `issues` certificates, it needs their Secret.
    """
    settings = read_settings(namespace=namespace)
    controllers = [*controller_rights(settings), *(issuing_rights(settings) if issues else ())]
    for account, made in ((NAME, serving_rights(settings)), (CONTROLLER, controllers)):
        for role in made:
            place = namespace if role["kind"] == "Role" else ""
            for rule in map(as_object, get_list(role, "rules")):
                yield from ((account, one) for one in _attributes(rule, place))


def _attributes(rule: JsonObject, namespace: str) -> Iterator[JsonObject]:
    (group,) = get_list(rule, "apiGroups")
    for plural in get_list(rule, "resources"):
        resource, _, subresource = str(plural).partition("/")
        for verb in get_list(rule, "verbs"):
            for name in get_list(rule, "resourceNames") or [""]:
                yield {
                    "namespace": namespace,
                    "verb": verb,
                    "group": group,
                    "resource": resource,
                    "subresource": subresource,
                    "name": name,
                }


def unwanted_rights(namespace: str) -> Iterator[tuple[str, JsonObject]]:
    """Answer the attributes of rights that an account may not have, with the account.

    Whoever had one that neither may have could take the cluster. What everybody on the pod network can reach must not
    look around either.
    """
    neither = (
        ("list", "", "secrets", ""),
        ("list", "", "secrets", namespace),
        ("create", "", "pods", ""),
        ("create", "", "pods", namespace),
        ("create", "", "serviceaccounts/token", namespace),
        ("update", "", "nodes", ""),
        ("update", "apps", "deployments", namespace),
        ("impersonate", "", "users", ""),
        ("create", "rbac.authorization.k8s.io", "clusterrolebindings", ""),
        ("delete", "admissionregistration.k8s.io", "validatingwebhookconfigurations", ""),
        ("*", "*", "*", ""),
    )
    serving = (("list", "", "pods", ""), ("list", "", "configmaps", ""), ("list", "", "nodes", ""))
    for account, table in ((NAME, (*neither, *serving)), (CONTROLLER, neither)):
        for verb, group, plural, place in table:
            resource, _, subresource = plural.partition("/")
            yield (
                account,
                {"namespace": place, "verb": verb, "group": group, "resource": resource, "subresource": subresource},
            )
