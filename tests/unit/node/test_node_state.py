"""How the agent says it is."""

import time
from datetime import UTC
from datetime import datetime

from webhook.node.state import State


def told(state: State) -> dict[str, str]:
    """Answer each line of readiness by its name."""
    return {check.name: check.line for check in state.readiness(datetime.now(UTC))}


def test_an_agent_that_has_not_read_says_what() -> None:
    lines = told(State(missing=lambda: ["pods", "policies"]))

    assert lines["read"] == "[-]read failed: not read yet: pods, policies"
    assert lines["look"] == "[-]look failed: never yet a look at the node went well"


def test_an_agent_that_looks_is_ready_until_it_ends() -> None:
    state = State(missing=list)
    state.looked(time.monotonic())
    well = [check.ok for check in state.readiness(datetime.now(UTC))]
    state.draining = True

    assert well == [True] * 3
    assert told(state)["drain"] == "[-]drain failed: shutting down"


def test_an_agent_that_has_not_looked_for_long_is_not_ready() -> None:
    state = State(missing=list, patience=10)
    state.looked(time.monotonic() - 100)

    assert told(state)["look"] == "[-]look failed: not for 100 s a look at the node went well"


def test_a_loop_that_does_not_turn_is_dead() -> None:
    state = State(missing=list, stuck=10)
    now = state.heartbeat
    late = state.alive(now + 11)
    state.beat()

    assert (late, state.alive(time.monotonic())) == (False, True)
