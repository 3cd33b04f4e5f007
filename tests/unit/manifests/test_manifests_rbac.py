"""The rights that are rendered; what an API server makes of them is tested with a real one."""

from webhook.manifests.rbac import agent_rights
from webhook.manifests.rbac import controller_rights
from webhook.manifests.rbac import serving_rights
from webhook.manifests.settings import Settings

READS = {"get", "list", "watch"}


def test_serving_pods_may_read_one_object_by_its_name(settings: Settings) -> None:
    role, binding = serving_rights(settings)

    assert role["kind"] == "Role"
    assert role["rules"] == [
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "watch"], "resourceNames": ["numagate-world"]}
    ]
    assert binding["subjects"] == [{"kind": "ServiceAccount", "name": "numagate", "namespace": "numagate-system"}]


def test_the_controller_writes_named_objects_and_status_only(settings: Settings) -> None:
    rules = [rule for item in controller_rights(settings) for rule in item.get("rules", [])]
    writes = [rule for rule in rules if set(rule["verbs"]) - READS]
    unnamed = [(rule["resources"], rule["verbs"]) for rule in writes if "resourceNames" not in rule]

    assert unnamed == [(["alignmentpolicies/status", "nodeprofiles/status"], ["patch"])]


def test_agents_write_statuses_events_and_reports_only(settings: Settings) -> None:
    rules = [rule for item in agent_rights(settings) for rule in item.get("rules", [])]
    accounts = [subject for item in agent_rights(settings) for subject in item.get("subjects", [])]

    assert [(rule["resources"], rule["verbs"]) for rule in rules if set(rule["verbs"]) - READS] == [
        (["pods/status"], ["patch"]),
        (["events"], ["create", "patch"]),
        (["nodealignments"], ["create", "patch"]),
    ]
    assert accounts == [{"kind": "ServiceAccount", "name": "numagate-agent", "namespace": "numagate-agent"}] * 2


def test_nobody_reads_a_secret_or_has_a_wildcard(settings: Settings) -> None:
    given = (*serving_rights(settings), *controller_rights(settings), *agent_rights(settings))
    rules = [rule for item in given for rule in item.get("rules", [])]
    words = {word for rule in rules for key in ("apiGroups", "resources", "verbs") for word in rule[key]}

    assert words & {"secrets", "*"} == set()
