"""Objects of ours: which version is in force, and what their authors are told."""

from datetime import UTC
from datetime import datetime
from functools import partial
from typing import Any

from webhook.controller.changes import Changes
from webhook.controller.documents import Documents
from webhook.controller.kinds import VERSIONS
from webhook.domain import api
from webhook.domain.raw import JsonObject
from webhook.sources.policy_object import faults

NOW = datetime(2026, 11, 30, 3, 0, 0, tzinfo=UTC)
GOOD = {"governs": "accelerators"}
BETTER = {"governs": "inference"}
BAD = {"governs": "everything"}


def policies(*objects: dict[str, Any], earlier: dict[str, JsonObject] | None = None) -> Documents:
    """Answer policies that have met these objects, one after the other."""
    made = Documents(
        api.POLICY, VERSIONS[api.POLICY][0], check=partial(faults, own_namespace="ours"), changes=Changes()
    )
    made.adopt(earlier or {})
    for one in objects:
        made.put(one["metadata"]["name"], one)
    return made


def policy(spec: JsonObject, *, generation: int = 1, status: JsonObject | None = None) -> dict[str, Any]:
    """Write a policy object."""
    return {"metadata": {"name": "default", "generation": generation}, "spec": spec, "status": status or {}}


def specs(made: Documents) -> list[object]:
    """Answer the specs in force."""
    return [one["spec"] for one in made.in_force()]


def accepted(made: Documents, now: datetime = NOW) -> dict[str, Any]:
    """Answer the condition that the only object should get."""
    ((_, status),) = made.verdicts(now)
    conditions: Any = status["conditions"]
    first: dict[str, Any] = conditions[0]
    return first


def test_a_good_object_is_in_force_and_is_told_so() -> None:
    made = policies(policy(GOOD))

    assert made.in_force() == ({"metadata": {"name": "default"}, "spec": GOOD},)
    assert made.verdicts(NOW) == [
        (
            "default",
            {
                "observedGeneration": 1,
                "conditions": [
                    {
                        "type": "Accepted",
                        "status": "True",
                        "reason": "Valid",
                        "message": "in force",
                        "observedGeneration": 1,
                        "lastTransitionTime": "2026-11-30T03:00:00Z",
                    }
                ],
            },
        )
    ]


def test_a_bad_object_from_the_start_is_not_in_force() -> None:
    made = policies(policy(BAD))
    condition = accepted(made)

    assert (specs(made), made.invalid(), condition["status"]) == ([], 1, "False")
    assert condition["message"].startswith('spec.governs: "everything" is not known')
    assert condition["message"].endswith("; it is not in force")


def test_a_bad_version_leaves_the_last_good_one_in_force() -> None:
    made = policies(policy(GOOD), policy(BAD, generation=2))

    assert specs(made) == [GOOD]
    assert accepted(made)["message"].endswith("; the last good version stays in force")
    assert accepted(made)["observedGeneration"] == 2


def test_a_version_that_is_good_again_is_in_force() -> None:
    made = policies(policy(GOOD), policy(BAD, generation=2), policy(BETTER, generation=3))

    assert (specs(made), made.invalid()) == ([BETTER], 0)


def test_what_was_bad_before_we_started_goes_on_as_the_last_snapshot_has_it() -> None:
    assert specs(policies(policy(BAD), earlier={"default": GOOD})) == [GOOD]

    late = policies(policy(BAD))
    late.adopt({"default": GOOD, "deleted": GOOD})
    assert specs(late) == [GOOD]


def test_what_the_last_snapshot_has_and_no_replica_of_today_could_read_is_not_in_force() -> None:
    assert specs(policies(policy(BAD), earlier={"default": BAD})) == []

    late = policies(policy(BAD))
    late.adopt({"default": BAD})
    assert specs(late) == []


def test_a_deleted_object_does_not_come_back_under_a_new_one_of_its_name() -> None:
    made = policies(policy(GOOD), earlier={"default": GOOD})
    made.drop("default")
    made.put("default", policy(BAD))

    assert specs(made) == []


def test_a_status_that_is_right_is_left_alone() -> None:
    made = policies(policy(GOOD))
    ((name, status),) = made.verdicts(NOW)
    made.told(name, status)

    assert made.verdicts(datetime.now(UTC)) == []
    assert policies(policy(GOOD, status=status)).verdicts(datetime.now(UTC)) == []


def test_the_time_of_a_condition_is_that_of_its_last_turn() -> None:
    since = {"type": "Accepted", "status": "True", "reason": "Valid", "message": "", "lastTransitionTime": "then"}
    other = {"type": "Other", "status": "True"}
    status = {"conditions": [other, since]}

    assert accepted(policies(policy(GOOD, generation=2, status=status)))["lastTransitionTime"] == "then"
    assert accepted(policies(policy(BAD, status=status)))["lastTransitionTime"] == "2026-11-30T03:00:00Z"
    ((_, wanted),) = policies(policy(GOOD, status=status)).verdicts(NOW)
    assert other in wanted["conditions"]  # type: ignore[operator]  # a list


def test_a_profile_says_how_many_nodes_it_has() -> None:
    made = Documents(
        api.PROFILE, VERSIONS[api.PROFILE][0], check=partial(faults, own_namespace="ours"), changes=Changes()
    )
    made.put("mine", {"metadata": {"name": "mine"}, "spec": {"machine": "generic-2x4"}})
    made.count({"mine": 7})

    assert made.verdicts(NOW)[0][1]["nodes"] == 7


def test_a_deleted_object_is_not_in_force() -> None:
    made = policies(policy(GOOD))
    made.keep(set())

    assert (specs(made), len(made)) == ([], 0)
