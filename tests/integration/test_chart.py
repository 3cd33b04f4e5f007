"""The Helm chart says what the other renderings say, for every choice, and refuses values that mean nothing."""

import base64
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trustme
import yaml
from controlplane.chart import CHART
from controlplane.chart import Helm

from webhook.manifests.certificates import Certificates
from webhook.manifests.chart.choice import COMBINATIONS
from webhook.manifests.chart.values import values
from webhook.manifests.choices import read_settings
from webhook.manifests.overlays import Overlay
from webhook.manifests.overlays import agents
from webhook.manifests.overlays import flat
from webhook.manifests.overlays import monitoring
from webhook.manifests.overlays import parts
from webhook.manifests.settings import POLICY_KEY
from webhook.manifests.settings import Mode
from webhook.manifests.settings import Settings
from webhook.manifests.settings import Source

POLICY = """\
apiVersion: numagate.io/v1alpha1
kind: AlignmentPolicy
metadata: {name: production, labels: {team: ml}}
spec:
  modes: {enforce: guaranteed, warn: aligned}
  recognition: {labels: {ray.io/serve: null}}
  namespaces:
    - match: [team-a]
      modes: {enforce: aligned, repair: aligned}
    - match: [team-b]
      modes: {warn: none}
---
apiVersion: numagate.io/v1alpha1
kind: AlignmentPolicy
metadata: {name: rest}
---
apiVersion: numagate.io/v1alpha1
kind: NodeProfile
metadata: {name: small}
spec:
  selector: {matchLabels: {pool: small}}
  numa:
    - {id: 0, cpus: 0-15, threadsPerCore: 1, memory: 64Gi}
    - {id: 1, cpus: 16-31, threadsPerCore: 1, memory: 68719476736}
  devices: {nvidia.com/gpu: {"0": 1, "1": 1}}
"""


@pytest.fixture(scope="module")
def helm(helm_program: Path, tmp_path_factory: pytest.TempPathFactory) -> Helm:
    """Run helm without a cluster."""
    return Helm(helm_program, tmp_path_factory.mktemp("helm"))


@pytest.fixture(scope="module")
def ca(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the certificate of a CA that nobody uses."""
    path = tmp_path_factory.mktemp("ca") / "ca.crt"
    trustme.CA().cert_pem.write_to_path(path)
    return path


def by_name(objects: list[dict[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
    """Tell objects apart, with the text of a policy read: Helm writes the fields in another order."""
    found = {}
    for one in objects:
        data = one.get("data", {})
        read = {POLICY_KEY: list(yaml.safe_load_all(data[POLICY_KEY]))} if POLICY_KEY in data else {}
        found[one["kind"], one["metadata"]["name"]] = {**one, "data": data | read} if data else one
    assert len(found) == len(objects)
    return found


def sorted_names(objects: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sort the names of namespaces in selectors: the templates sort before they know that of the release."""
    for one in objects:
        for entry in one.get("webhooks", []):
            entry["namespaceSelector"]["matchExpressions"][0]["values"].sort()
    return objects


def rendered(settings: Settings, mode: Mode, certificates: Certificates, source: Source) -> list[Any]:
    """Answer what belongs into a release: all but the namespace, which Helm makes."""
    made = parts(settings, Overlay(mode, certificates, source))
    return [one for objects in made.values() for one in objects if one["kind"] != "Namespace"]


POSSIBLE = sorted({combination[:3] for combination in COMBINATIONS})


@pytest.mark.parametrize(("mode", "source", "certificates"), POSSIBLE)
def test_a_release_holds_what_is_rendered_for_the_same_choice(
    helm: Helm, mode: str, source: str, certificates: str
) -> None:
    release = helm.template({"mode": mode, "policy": {"source": source}, "certificates": {"mode": certificates}})

    made = rendered(read_settings(), Mode(mode), Certificates(certificates), Source(source))
    assert by_name(release) == by_name(made)


def test_the_default_release_is_the_overlay_to_start_with(helm: Helm) -> None:
    made = [one for one in flat(read_settings(), "observe") if one["kind"] != "Namespace"]

    assert by_name(helm.template({})) == by_name(made)


@pytest.mark.parametrize("source", ["objects", "file"])
@pytest.mark.parametrize("mode", ["observe", "enforce"])
def test_documents_in_the_values_are_installed_as_those_of_a_file_are(
    helm: Helm, tmp_path: Path, mode: str, source: str
) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(POLICY, "utf-8")
    policy = {"source": source, "documents": list(yaml.safe_load_all(POLICY))}

    release = helm.template({"mode": mode, "policy": policy, "certificates": {"mode": "cert-manager"}})

    made = rendered(read_settings(policy=file), Mode(mode), Certificates.CERT_MANAGER, Source(source))
    kinds = {"AlignmentPolicy", "NodeProfile", "ConfigMap"}
    assert by_name([one for one in release if one["kind"] in kinds]) == by_name(
        [one for one in made if one["kind"] in kinds]
    )


@pytest.mark.parametrize("controller_url", [None, "https://127.0.0.1:8444"])
def test_addresses_bundle_and_address_blocks_go_where_the_options_of_manifests_put_them(
    helm: Helm, ca: Path, controller_url: str | None
) -> None:
    settings = read_settings(
        namespace="own",
        image="registry.example:5000/team/numagate:1.2",
        url="https://127.0.0.1:8443",
        ca_bundle=ca,
        api_servers=("10.0.0.1/32", "fd00::1/128"),
        controller_url=controller_url,
        client_auth=True,
        client_names=("front-proxy", "api"),
    )
    release = helm.template(
        {
            "mode": "enforce",
            "image": {"repository": "registry.example:5000/team/numagate", "tag": "1.2"},
            "certificates": {"mode": "self-signed", "caBundle": ca.read_text()},
            "webhooks": {"url": "https://127.0.0.1:8443", "controllerUrl": controller_url or ""},
            "networkPolicy": {"apiServers": ["10.0.0.1/32", "fd00::1/128"]},
            "clientAuth": {"enabled": True, "names": ["front-proxy", "api"]},
        },
        namespace="own",
    )

    made = rendered(settings, Mode.ENFORCE, Certificates.SELF_SIGNED, Source.OBJECTS)
    assert by_name(sorted_names(release)) == by_name(sorted_names(made))
    bundle = base64.b64encode(ca.read_bytes()).decode()
    (configuration,) = (one for one in release if one["kind"] == "MutatingWebhookConfiguration")
    assert [entry["clientConfig"]["caBundle"] for entry in configuration["webhooks"]] == [bundle]


@pytest.mark.parametrize("source", ["objects", "file"])
@pytest.mark.parametrize("names", [(), ("one", "two.example")])
def test_client_certificates_are_asked_for_as_the_overlays_do(helm: Helm, source: str, names: tuple[str, ...]) -> None:
    settings = read_settings(client_auth=True, client_names=names)
    chosen = {"policy": {"source": source}, "certificates": {"mode": "self-signed"}}

    release = helm.template(chosen | {"clientAuth": {"enabled": True, "names": list(names)}})
    without = helm.template(chosen | {"clientAuth": {"enabled": False, "names": []}})

    made, others = (
        rendered(one, Mode.OBSERVE, Certificates.SELF_SIGNED, Source(source)) for one in (settings, read_settings())
    )
    assert by_name(release) == by_name(made)
    assert by_name(without) == by_name(others)


@pytest.mark.parametrize(
    ("url", "controller_url"),
    [
        ("https://hook.example:8443", "https://10.0.0.1:8444"),
        ("https://[fd00::1]:8443", "https://hook.example"),
        ("https://127.0.0.1:8443", "https://127.0.0.1:8444"),
    ],
)
def test_cert_manager_is_asked_for_the_hosts_of_the_addresses(helm: Helm, url: str, controller_url: str) -> None:
    release = helm.template(
        {"certificates": {"mode": "cert-manager"}, "webhooks": {"url": url, "controllerUrl": controller_url}}
    )

    settings = read_settings(url=url, controller_url=controller_url)
    made = rendered(settings, Mode.OBSERVE, Certificates.CERT_MANAGER, Source.OBJECTS)
    assert by_name(release) == by_name(made)


@pytest.mark.parametrize("api_servers", [(), ("10.0.0.1/32",)])
def test_agents_are_there_where_they_are_wanted_as_they_are_rendered(helm: Helm, api_servers: tuple[str, ...]) -> None:
    chosen = {"networkPolicy": {"apiServers": list(api_servers)}}
    agent = {"enabled": True, "namespace": "nodes", "kubeletDir": "/data/kubelet"}

    release = helm.template(chosen | {"agent": agent})
    without = by_name(helm.template(chosen))

    settings = read_settings(api_servers=api_servers)
    made = agents(replace(settings, agent_namespace="nodes", kubelet_dir="/data/kubelet"))
    # Both namespaces have a ResourceQuota of this name.
    own = [one for one in release if one["metadata"].get("namespace", "") == "nodes" or is_new(one, without)]
    assert by_name(own) == by_name([one for objects in made.values() for one in objects])
    assert len(release) == len(without) + len(own)


def is_new(one: dict[str, Any], known: Mapping[tuple[str, str], Any]) -> bool:
    """Tell whether an object is none of those that are known."""
    place = one["metadata"].get("namespace")
    found = known.get((one["kind"], one["metadata"]["name"]))
    return found is None or found["metadata"].get("namespace") != place


def test_agents_without_a_priority_class_need_no_quota_for_it(helm: Helm) -> None:
    release = helm.template({"agent": {"enabled": True, "priorityClassName": ""}})

    assert {one["metadata"]["namespace"] for one in release if one["kind"] == "ResourceQuota"} == {"numagate-system"}


def test_there_are_no_agents_without_policies_in_objects(helm: Helm) -> None:
    wrong = {"agent": {"enabled": True}, "policy": {"source": "file"}, "certificates": {"mode": "cert-manager"}}
    done = helm.run("template", "numagate", str(CHART), values=wrong, check=False)

    assert done.returncode != 0
    assert "/policy/source" in done.stderr


def test_monitoring_holds_what_is_rendered_apart_from_the_overlays(helm: Helm) -> None:
    names = ("podMonitor", "prometheusRule", "dashboard")
    release = by_name(helm.template({"monitoring": dict.fromkeys(names, True)}))
    made = by_name(monitoring(read_settings()))

    assert {name: release[name] for name in made} == made


SERVERS = ("serving", "controller")
OTHER: Mapping[str, tuple[object, str]] = {
    "image.repository": ("registry.example/numagate", "image: registry.example/numagate@sha256:0000"),
    "image.tag": ("other", ""),
    "image.digest": ("sha256:" + "0" * 64, "numagate@sha256:0000"),
    "image.pullPolicy": ("Always", "imagePullPolicy: Always"),
    "image.pullSecrets": ([{"name": "pull-secret"}], "imagePullSecrets:\n        - name: pull-secret"),
    "priorityClassName": ("urgent", "priorityClassName: urgent"),
    "monitoring.podMonitorLabels": ({"release": "monitor"}, "    release: monitor"),
    "monitoring.prometheusRuleLabels": ({"release": "rule"}, "    release: rule"),
    "commonLabels": ({"team": "labels"}, "    team: labels"),
    "commonAnnotations": ({"team": "annotations"}, "    team: annotations"),
    **{
        f"{server}.{name}": value
        for number, server in enumerate(SERVERS, 5)
        for name, value in {
            "replicas": (number, f"replicas: {number}"),
            "resources": ({"requests": {"cpu": number}}, f"            cpu: {number}\n"),
            "podLabels": ({"pod": f"label-{server}"}, f"        pod: label-{server}"),
            "podAnnotations": ({"pod": f"annotation-{server}"}, f"        pod: annotation-{server}"),
            "nodeSelector": ({"pool": server}, f"nodeSelector:\n        pool: {server}"),
            "tolerations": ([{"key": server}], f"tolerations:\n        - key: {server}"),
            "affinity": ({"nodeAffinity": {server: {}}}, f"affinity:\n        nodeAffinity:\n          {server}: {{}}"),
            "topologySpreadConstraints": ([{"topologyKey": server}], f"- topologyKey: {server}\n"),
        }.items()
    },
    "agent.namespace": ("nodes", "kind: Namespace\nmetadata:\n  name: nodes\n"),
    "agent.nodeSelector": ({"pool": "agent"}, "        pool: agent"),
    "agent.tolerations": ([{"key": "agent"}], "tolerations:\n        - key: agent"),
    "agent.kubeletDir": ("/data/kubelet", "path: /data/kubelet"),
    "agent.resources": ({"requests": {"cpu": "7m"}}, "            cpu: 7m\n"),
    "agent.priorityClassName": ("of-agents", "priorityClassName: of-agents"),
    "agent.logLevel": ("warning", "- --log-level=warning"),
    "agent.podLabels": ({"pod": "label-agent"}, "        pod: label-agent"),
    "agent.podAnnotations": ({"pod": "annotation-agent"}, "        pod: annotation-agent"),
    "serving.logLevel": ("debug", "- --log-level=debug"),
    "controller.logLevel": ("error", "- --log-level=error"),
}
"""Another value for each that goes into the objects as it is, and what stands there then."""

ELSEWHERE = {
    "mode": "a choice",
    "policy.source": "a choice",
    "policy.documents": "documents",
    "certificates.mode": "a choice",
    "certificates.caBundle": "addresses",
    "clientAuth.enabled": "client certificates",
    "clientAuth.names": "client certificates",
    "webhooks.url": "addresses",
    "webhooks.controllerUrl": "addresses",
    "networkPolicy.apiServers": "addresses",
    "agent.enabled": "agents",
    "monitoring.podMonitor": "monitoring",
    "monitoring.prometheusRule": "monitoring",
    "monitoring.dashboard": "monitoring",
}
"""Values of which other tests show what they do."""


def nested(name: str, value: object, beside: dict[str, Any]) -> dict[str, Any]:
    """Add one value by its dotted name."""
    section, dot, rest = name.partition(".")
    return {**beside, section: nested(rest, value, beside.get(section, {})) if dot else value}


def test_every_value_is_tried() -> None:
    assert sorted(value.name for value in values(read_settings())) == sorted([*OTHER, *ELSEWHERE])


def test_every_value_comes_to_its_place(helm: Helm) -> None:
    given: dict[str, Any] = {"monitoring": {"podMonitor": True, "prometheusRule": True}, "agent": {"enabled": True}}
    for name, (value, _) in OTHER.items():
        given = nested(name, value, given)
    done = helm.run("template", "numagate", str(CHART), values=given)

    assert [name for name, (_, text) in OTHER.items() if text not in done.stdout] == []


def test_a_tag_is_taken_where_there_is_no_digest(helm: Helm) -> None:
    release = helm.template({"image": {"tag": "other"}})
    images = {
        container["image"]
        for one in release
        if one["kind"] == "Deployment"
        for container in one["spec"]["template"]["spec"]["containers"]
    }

    assert images == {"numagate:other"}


def test_without_a_priority_class_there_is_no_quota_for_it(helm: Helm) -> None:
    release = helm.template({"priorityClassName": ""})

    assert "ResourceQuota" not in {one["kind"] for one in release}
    assert "priorityClassName" not in str(release)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"mod": "enforce"}, "additional properties 'mod' not allowed"),
        ({"mode": "Enforce"}, "at '/mode': value must be one of 'observe', 'trial', 'enforce'"),
        ({"serving": {"replica": 2}}, "at '/serving': additional properties 'replica' not allowed"),
        ({"serving": {"replicas": "3"}}, "at '/serving/replicas': got string, want integer"),
        ({"mode": "enforce", "serving": {"replicas": 1}}, "at '/serving/replicas': minimum: got 1, want 2"),
        ({"policy": {"source": "file"}}, "at '/certificates/mode': value must be one of 'cert-manager', 'self-signed'"),
        ({"webhooks": {"url": "http://x"}}, "at '/webhooks/url': 'http://x' does not match pattern"),
        ({"webhooks": {"controllerUrl": "https://x"}}, "at '/webhooks/url': minLength"),
        ({"clientAuth": {"names": ["kube-apiserver"]}}, "at '/clientAuth/enabled': value must be true"),
        ({"certificates": {"caBundle": "PEM"}}, "at '/certificates/caBundle': 'PEM' does not match pattern"),
        ({"commonLabels": {"app.kubernetes.io/name": "x"}}, "at '/commonLabels/app.kubernetes.io~1name'"),
        ({"networkPolicy": {"apiServers": ["api"]}}, "at '/networkPolicy/apiServers/0': 'api' does not match pattern"),
        ({"image": {"digest": "sha256:1"}}, "at '/image/digest': 'sha256:1' does not match pattern"),
        (
            {"policy": {"documents": [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}}]}},
            "at '/policy/documents/0/kind': value must be one of 'AlignmentPolicy', 'NodeProfile'",
        ),
        (
            {
                "policy": {
                    "documents": [
                        {
                            "apiVersion": "numagate.io/v1alpha1",
                            "kind": "AlignmentPolicy",
                            "metadata": {"name": "x"},
                            "spec": {"mode": {}},
                        }
                    ]
                }
            },
            "additional properties 'mode' not allowed",
        ),
    ],
)
def test_a_wrong_value_is_refused_by_its_name(helm: Helm, given: dict[str, Any], told: str) -> None:
    done = helm.run("template", "numagate", str(CHART), values=given, check=False)

    assert done.returncode != 0
    assert told in done.stderr


def test_a_file_without_a_policy_is_refused_for_the_built_in_one_would_enforce(helm: Helm) -> None:
    given = {"policy": {"source": "file", "documents": []}, "certificates": {"mode": "cert-manager"}}
    done = helm.run("template", "numagate", str(CHART), values=given, check=False)

    assert "policy.source file needs an AlignmentPolicy in policy.documents" in done.stderr


def test_lint_finds_nothing(helm: Helm) -> None:
    done = helm.run("lint", "--strict", str(CHART))

    assert "1 chart(s) linted, 0 chart(s) failed" in done.stdout
    assert "[WARNING]" not in done.stdout + done.stderr


def test_it_can_be_a_part_of_another_chart(helm: Helm, tmp_path: Path) -> None:
    (tmp_path / "Chart.yaml").write_text("apiVersion: v2\nname: whole\nversion: 1.0.0\n")
    (tmp_path / "charts").mkdir()
    (tmp_path / "charts" / "numagate").symlink_to(CHART)
    given = {"global": {"region": "x"}, "numagate": {"enabled": True, "mode": "trial"}}

    release = helm.template(given, chart=tmp_path)

    assert by_name(release) == by_name(helm.template({"mode": "trial"}))
