"""What is said where no node class is known for a pod."""

from dataclasses import replace

from builders import container
from builders import equal
from builders import pod
from builders import ruling

from webhook.engine.judge import judge_pod
from webhook.sources.policy_file import load_profile


def test_what_the_missing_profile_must_have_is_named() -> None:
    known = ruling()
    other = pod(container(**equal("12", "96Gi", None, **{"amd.com/gpu": "8"})))

    found = judge_pod(other, known).findings

    assert [one.message for one in found if one.code == "unknown-topology"] == [
        (
            "no NodeProfile is known for the nodes this pod may run on, so its NUMA fit was not checked: "
            "declare one that has amd.com/gpu"
        )
    ]


def test_a_topology_of_too_few_nodes_warns_and_never_refuses() -> None:
    reported = replace(load_profile("two-socket-32c"), name="new-pool", nodes=1, trusted=False)
    judgement = judge_pod(pod(container(**equal("8", "8Gi", 8))), ruling(reported))

    (told,) = [one.message for one in judgement.findings if one.code == "unknown-topology"]
    assert told.startswith(
        "declare a NodeProfile: what is known of new-pool (1 node) is not sure enough to refuse by, "
    )
    assert (judgement.outcome.value, judgement.remaining, judgement.classes[0].fits) == ("accept", (), "unsure")


def test_a_topology_of_too_few_nodes_may_relax_what_others_refuse() -> None:
    small, large = load_profile("two-socket-32c"), replace(load_profile("dgx-h100"), name="new", trusted=False)
    four = pod(container(**equal("32", "64Gi", 4)))

    assert [judge_pod(four, ruling(*some)).outcome.value for some in ((small,), (small, large))] == ["deny", "accept"]


def test_what_such_a_topology_says_gives_no_shares() -> None:
    reported = replace(load_profile("dgx-h100"), nodes=1, trusted=False)
    bare = pod(container(limits={"nvidia.com/gpu": "1"}))

    assert [judge_pod(bare, ruling(one)).outcome.value for one in (reported, replace(reported, trusted=True))] == [
        "deny",
        "repair",
    ]
