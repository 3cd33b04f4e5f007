"""The objects around the Deployment."""

from dataclasses import replace

from webhook.manifests import objects
from webhook.manifests.deployment import deployment
from webhook.manifests.settings import Settings
from webhook.manifests.settings import Source


def test_the_namespace_holds_its_pods_to_the_restricted_standard(settings: Settings) -> None:
    labels = objects.namespace(settings)["metadata"]["labels"]

    assert {labels[f"pod-security.kubernetes.io/{mode}"] for mode in ("enforce", "audit", "warn")} == {"restricted"}


def test_the_service_account_has_no_token(settings: Settings) -> None:
    assert objects.service_account(settings)["automountServiceAccountToken"] is False


def test_service_budget_and_network_policy_select_the_pods(settings: Settings) -> None:
    labels = deployment(settings)["spec"]["template"]["metadata"]["labels"]

    assert objects.service(settings)["spec"]["selector"] == labels
    assert objects.disruption_budget(settings)["spec"]["selector"]["matchLabels"] == labels
    assert objects.network_policy(settings)["spec"]["podSelector"]["matchLabels"] == labels


def test_the_service_leads_to_the_serving_port(settings: Settings) -> None:
    (port,) = objects.service(settings)["spec"]["ports"]

    assert (port["port"], port["targetPort"]) == (443, "https")


def test_a_drain_takes_one_pod_and_never_waits_for_a_sick_one(settings: Settings) -> None:
    spec = objects.disruption_budget(settings)["spec"]

    assert (spec["maxUnavailable"], spec["unhealthyPodEvictionPolicy"]) == (1, "AlwaysAllow")


def test_nothing_leaves_pods_that_call_nobody(settings: Settings) -> None:
    spec = objects.network_policy(settings)["spec"]

    assert (spec["egress"], spec["policyTypes"]) == ([], ["Ingress", "Egress"])


def test_pods_that_watch_reach_the_ports_of_api_servers_only(settings: Settings) -> None:
    (rule,) = objects.network_policy(settings, egress=True)["spec"]["egress"]

    assert rule == {"ports": [{"protocol": "TCP", "port": port} for port in (443, 6443, 8443)]}


def test_where_the_api_servers_are_known_nothing_else_is_reached(settings: Settings) -> None:
    known = replace(settings, api_servers=("10.0.0.1/32", "10.96.0.1/32"))
    (rule,) = objects.network_policy(known, egress=True)["spec"]["egress"]

    assert rule == {"to": [{"ipBlock": {"cidr": "10.0.0.1/32"}}, {"ipBlock": {"cidr": "10.96.0.1/32"}}]}


def test_only_the_two_ports_can_be_reached(settings: Settings) -> None:
    (rule,) = objects.network_policy(settings)["spec"]["ingress"]

    assert [port["port"] for port in rule["ports"]] == [8443, 8081]


def test_the_quota_allows_the_priority_class_of_the_pods(settings: Settings) -> None:
    (scope,) = objects.priority_quota(settings)["spec"]["scopeSelector"]["matchExpressions"]

    assert scope["values"] == [deployment(settings)["spec"]["template"]["spec"]["priorityClassName"]]


def test_the_policy_is_mounted_from_the_map_that_holds_it(settings: Settings) -> None:
    made = objects.policy_map(settings, "text")
    volumes = deployment(settings, Source.FILE)["spec"]["template"]["spec"]["volumes"]

    assert made["data"] == {"policy.yaml": "text"}
    assert {"name": "policy", "configMap": {"name": made["metadata"]["name"]}} in volumes
