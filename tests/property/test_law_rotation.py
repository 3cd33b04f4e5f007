"""Whatever happens to leaders, clocks and objects: what is served is trusted, and everything comes right again."""

from collections.abc import Callable
from collections.abc import Mapping
from datetime import UTC
from datetime import datetime
from datetime import timedelta

from hypothesis import example
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
from managedworld import ManagedWorld

from webhook.tls.rotation import Phase

SECONDS = (1, 20, 45, 130, 400, 1000)
JUMPS = (timedelta(hours=-1), timedelta(minutes=3), timedelta(days=21), timedelta(days=40), timedelta(days=400))

EVENTS: Mapping[str, Callable[[ManagedWorld], None]] = {
    **{f"wait {seconds}": lambda world, seconds=seconds: world.wait(seconds) for seconds in SECONDS},
    **{f"jump {jump}": lambda world, jump=jump: world.jump(jump) for jump in JUMPS},
    **{
        f"spoil {key} with {value!r}": lambda world, key=key, value=value: world.spoil(key, value)
        for key in ("tls.crt", "tls.key", "ca.crt", "ca.key")
        for value in (None, b"garbage")
    },
    "live until the CA is due": ManagedWorld.live,
    "delete the Secret": ManagedWorld.delete,
    "blank a bundle": lambda world: world.vandalise(b""),
    "spoil a bundle": lambda world: world.vandalise(b"garbage"),
    "kill the leader": ManagedWorld.kill,
    "kill it before its next write": lambda world: world.die_at(after=False),
    "kill it after its next write": lambda world: world.die_at(after=True),
    "another writes first": ManagedWorld.collide,
    "elect the other": ManagedWorld.elect,
}


@settings(max_examples=20)
@given(st.lists(st.sampled_from(sorted(EVENTS)), max_size=15))
@example(["wait 400", "wait 45", "wait 45", "wait 45"])
@example(["wait 20", "kill it after its next write", "wait 400", "wait 400"])
def test_what_is_served_is_trusted_and_all_comes_right_again(events: list[str]) -> None:
    world = ManagedWorld(datetime(2026, 12, 1, tzinfo=UTC))
    world.wait(60)
    world.live()
    assert world.phase is Phase.ANNOUNCED

    for event in events:
        EVENTS[event](world)
        world.wait(1)
        assert world.broken == [], f"after {event}"
    world.come_right()

    assert (world.faults, world.phase, world.published, world.broken) == ((), Phase.STEADY, True, [])
