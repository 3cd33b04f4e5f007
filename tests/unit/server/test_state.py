"""The state: the world it gives, and what makes a replica ready."""

from datetime import UTC
from datetime import datetime
from datetime import timedelta

from webhook.server.state import State
from webhook.sources.policy_file import load_policy

NOW = datetime(2030, 1, 1, tzinfo=UTC)


def failed(state: State) -> dict[str, str]:
    """Answer the failed checks of `state` with what they say."""
    return {check.name: check.detail for check in state.readiness(NOW) if not check.ok}


def ready() -> State:
    """Answer the state of a ready replica."""
    return State(own_namespace="ours", loaded=load_policy(), certificate_expiry=NOW + timedelta(days=1))


def test_there_is_no_world_without_a_policy() -> None:
    assert State(own_namespace="ours").world(NOW) is None


def test_the_world_is_of_one_load_and_one_instant() -> None:
    state = ready()

    world = state.world(NOW)

    assert world is not None
    assert state.loaded is not None
    assert (world.policies, world.classes) == (state.loaded.policies, state.loaded.classes)
    assert (world.own_namespace, world.instant) == ("ours", NOW)


def test_a_replica_with_policy_and_certificate_is_ready() -> None:
    assert failed(ready()) == {}


def test_a_replica_without_policy_says_why() -> None:
    state = State(own_namespace="ours", refused="policy.yaml:3: spec.modes: no such mode")

    assert failed(state) == {"policy": "no policy is in force: policy.yaml:3: spec.modes: no such mode"}


def test_the_last_hour_of_the_certificate_is_too_late() -> None:
    state = ready()
    state.certificate_expiry = NOW + timedelta(minutes=59)

    assert set(failed(state)) == {"certificate"}


def test_a_draining_replica_is_not_ready() -> None:
    state = ready()
    state.draining = True

    assert set(failed(state)) == {"drain"}


def test_a_loop_that_has_not_turned_for_a_minute_is_dead() -> None:
    state = State(own_namespace="ours", heartbeat=100.0)

    assert (state.alive(159.0), state.alive(161.0)) == (True, False)
