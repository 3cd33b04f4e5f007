"""The policy in the ConfigMap, as written and observing."""

import yaml

from webhook.domain.levels import Level
from webhook.domain.policy import Override
from webhook.manifests.policy_text import DEFAULT
from webhook.manifests.policy_text import fragile
from webhook.manifests.policy_text import objects
from webhook.manifests.policy_text import observing
from webhook.sources.policy_file import load_policy
from webhook.sources.policy_file import parse_stream

OWN = """\
# A comment.
apiVersion: numagate.io/v1alpha1
kind: AlignmentPolicy
metadata: {name: own}
spec:
  governs: accelerators
  modes: {enforce: exclusive, warn: guaranteed}
  namespaces:
    - match: [team-a]
      modes: {enforce: aligned, repair: aligned, audit: exclusive}
"""

PROFILE = """\
apiVersion: numagate.io/v1alpha1
kind: NodeProfile
metadata: {name: pool}
spec: {machine: generic-2x4}
"""


def test_the_default_text_says_what_is_built_in() -> None:
    assert parse_stream(DEFAULT, "default").policy == load_policy().policy


def test_observing_switches_enforce_and_repair_off_everywhere() -> None:
    policy = parse_stream(observing(OWN), "observing").policy

    for modes in (policy.modes, policy.namespaces[0].modes):
        assert (modes.enforce, modes.repair) == (Level.NONE, Level.NONE)


def test_observing_lets_no_label_switch_them_on_again() -> None:
    overrides = parse_stream(observing(OWN), "observing").policy.overrides

    assert (overrides.enforce, overrides.repair, overrides.warn) == (Override.NONE, Override.NONE, Override.RAISE)


def test_observing_keeps_everything_else() -> None:
    policy = parse_stream(observing(OWN), "observing").policy

    assert policy.name == "own"
    assert policy.governs == parse_stream(OWN, "own").policy.governs
    assert policy.modes.warn is Level.GUARANTEED
    assert policy.namespaces[0].modes.audit is Level.EXCLUSIVE


def test_observing_keeps_node_profiles_and_writes_out_the_missing_policy() -> None:
    kinds = [document["kind"] for document in yaml.safe_load_all(observing(PROFILE))]

    assert kinds == ["AlignmentPolicy", "NodeProfile"]
    assert parse_stream(observing(PROFILE), "observing").policy.modes.enforce is Level.NONE


def test_a_policy_that_says_something_by_a_null_is_named() -> None:
    labelled = OWN.replace("  governs: accelerators\n", "  recognition: {labels: {a: null}}\n")

    assert (fragile(OWN), fragile(PROFILE), fragile(labelled)) == ([], [], ["own"])


def test_observing_twice_is_observing_once() -> None:
    assert observing(observing(OWN)) == observing(OWN)


def test_a_policy_without_a_spec_can_be_observed() -> None:
    text = "apiVersion: numagate.io/v1alpha1\nkind: AlignmentPolicy\nmetadata: {name: empty}\n"

    assert parse_stream(observing(text), "observing").policy.modes.repair is Level.NONE


def test_what_a_server_wrote_into_an_object_is_left_out() -> None:
    fetched = """\
apiVersion: numagate.io/v1alpha1
kind: AlignmentPolicy
metadata:
  name: own
  labels: {team: ml}
  annotations: {kubectl.kubernetes.io/last-applied-configuration: "{}", example.com/why: asked for}
  creationTimestamp: "2026-11-30T03:57:56Z"
  generation: 2
  resourceVersion: "331"
  uid: 2d9e1dc9-aed6-4fe8-9d1e-f9d7ab9a9704
spec: {governs: accelerators}
status: {observedGeneration: 1}
"""

    assert objects(fetched) == [
        {
            "apiVersion": "numagate.io/v1alpha1",
            "kind": "AlignmentPolicy",
            "metadata": {"name": "own", "labels": {"team": "ml"}, "annotations": {"example.com/why": "asked for"}},
            "spec": {"governs": "accelerators"},
        }
    ]
