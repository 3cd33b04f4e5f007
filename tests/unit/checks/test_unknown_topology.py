"""What is said where no node class is known for a pod."""

from builders import container
from builders import equal
from builders import pod
from builders import ruling

from webhook.engine.judge import judge_pod


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
