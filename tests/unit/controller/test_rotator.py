"""The leader looks after the certificates; another one takes over wherever it ends."""

import base64
import logging
from collections.abc import Iterator
from datetime import UTC
from datetime import datetime
from datetime import timedelta

import pytest
from managedworld import ManagedWorld
from managedworld import configuration

from webhook.tls.issue import issue_ca
from webhook.tls.issue import issue_leaf
from webhook.tls.issue import service_names
from webhook.tls.rotation import Phase
from webhook.tls.rotation import Rhythm
from webhook.tls.rotation import Step

NOW = datetime(2026, 12, 1, tzinfo=UTC)
ROTATION = [Step.ANNOUNCE, Step.SWITCH, Step.DROP]


@pytest.fixture
def world() -> ManagedWorld:
    """Answer a world that was just installed, and is well."""
    made = ManagedWorld(NOW)
    made.wait(10)
    assert made.right
    return made


def rotation(world: ManagedWorld) -> Iterator[None]:
    """Go through a rotation, with a stop now and then, shorter than any lag."""
    world.live()
    for _ in range(28):
        yield
        world.wait(90)


def test_a_fresh_install_takes_two_steps(world: ManagedWorld) -> None:
    assert world.meters.steps == [Step.ANNOUNCE, Step.SWITCH]
    assert set(world.data or {}) == {"ca.crt", "ca.key", "tls.crt", "tls.key"}


def test_where_nothing_is_due_nothing_is_written(world: ManagedWorld) -> None:
    version = world.version
    world.wait(3600)

    assert world.version == version


def test_a_leaf_of_one_hour_is_renewed_at_two_thirds_of_it_all_day_long() -> None:
    world = ManagedWorld(NOW, rhythm=Rhythm(leaf_life=timedelta(hours=1)))
    for _ in range(24 * 6):
        world.wait(600)
        leaf = world.holdings.leaf
        assert world.broken == []
        assert leaf is None or leaf.certificate.not_valid_after_utc - world.wall >= timedelta(minutes=15)

    assert world.right
    assert world.meters.steps.count(Step.RENEW) in range(34, 37)


def test_a_ca_is_replaced_in_three_steps_and_every_pair_agrees_all_the_time(world: ManagedWorld) -> None:
    for _ in rotation(world):
        assert world.broken == []

    assert (world.right, world.meters.steps[-3:]) == (True, ROTATION)


@pytest.mark.parametrize("after", [False, True], ids=["before the write", "after the write"])
@pytest.mark.parametrize("step", [*ROTATION, Step.RENEW])
def test_a_leader_that_is_killed_in_a_step_is_continued_by_the_next(
    world: ManagedWorld, step: Step, *, after: bool
) -> None:
    world.die_at(after=after, step=step)
    for _ in rotation(world):
        assert world.broken == []

    assert (world.armed, world.right) == (False, True)


@pytest.mark.parametrize("after", [False, True], ids=["before the write", "after the write"])
@pytest.mark.parametrize("writes", [0, 1])
def test_a_leader_that_is_killed_while_installing_is_continued_too(writes: int, *, after: bool) -> None:
    world = ManagedWorld(NOW)
    world.wait(writes)
    world.die_at(after=after)
    world.wait(10)

    assert (world.right, len(world.members)) == (True, 2)


def test_a_write_that_comes_second_overwrites_nothing_and_the_next_look_goes_on(
    world: ManagedWorld, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    world.live()
    world.collide()
    world.come_right()

    assert (world.data or {})["note"] == b"of somebody else"
    assert world.meters.failures == 1
    assert "written by somebody else meanwhile" in caplog.text
    assert world.right


@pytest.mark.parametrize("memory", [True, False], ids=["with memory", "after a restart of all"])
def test_a_clock_that_jumps_forty_days_renews_at_the_next_look(world: ManagedWorld, *, memory: bool) -> None:
    if not memory:
        world.kill()
        world.kill()
    ca = world.holdings.authorities
    world.jump(timedelta(days=40))
    world.wait(1)

    leaf = world.holdings.leaf
    assert leaf is not None
    assert leaf.certificate.not_valid_after_utc > world.wall + timedelta(days=29)
    assert world.holdings.authorities == ca


@pytest.mark.parametrize(("days", "step"), [(40, Step.RENEW), (300, Step.RENEW), (4000, None)])
def test_where_configurations_cannot_be_read_the_leaf_is_renewed_and_nothing_else(
    world: ManagedWorld, days: int, step: Step | None
) -> None:
    before = list(world.meters.steps)
    world.hidden = True
    world.jump(timedelta(days=days))
    world.wait(1)

    assert world.meters.steps == [*before, *([step] if step else [])]


def test_a_clock_that_jumps_years_renews_everything_within_seconds(world: ManagedWorld) -> None:
    world.jump(timedelta(days=4000))
    world.wait(4)

    assert world.works


def test_a_secret_that_is_deleted_comes_back_as_it_was(world: ManagedWorld) -> None:
    before = world.data
    world.delete()
    world.wait(2)

    assert world.data == before


def test_where_nobody_remembers_it_what_was_trusted_stays_so_until_the_next_is_served(world: ManagedWorld) -> None:
    old = world.holdings.bundle
    world.delete()
    world.kill()
    world.kill()
    for _ in range(40):
        world.wait(60)
        assert world.broken == []

    assert world.right
    assert old not in world.bundles


def by_hand(world: ManagedWorld) -> bytes:
    """Leave what `numagate certs issue` installs; answer its CA."""
    ca = issue_ca(now=NOW)
    leaf = issue_leaf(ca, service_names("numagate", "numagate-system"), now=NOW)
    world.data = {"tls.crt": leaf.certificate_pem, "tls.key": leaf.key_pem}
    for found in world.configurations.values():
        for entry in found["webhooks"]:
            entry["clientConfig"]["caBundle"] = base64.b64encode(ca.certificate_pem).decode()
    return ca.certificate_pem


def test_certificates_made_by_hand_are_taken_over_without_a_gap() -> None:
    world = ManagedWorld(NOW)
    ca = by_hand(world)
    leaf = world.holdings.leaf
    world.wait(4)

    assert world.holdings.leaf == leaf
    assert {ca in bundle for bundle in world.bundles} == {True}
    for _ in range(30):
        world.wait(60)
        assert world.broken == []
    assert world.right
    assert ca not in world.bundles


def test_bundles_that_belong_to_another_are_waited_for_and_never_written() -> None:
    world = ManagedWorld(NOW)
    world.configurations["validating"] = configuration(managed=False)
    ca = by_hand(world)
    leaf = world.holdings.leaf
    for _ in range(30):
        world.wait(60)

    assert world.holdings.leaf == leaf
    assert set(world.bundles[2:]) == {ca}
    assert world.phase is Phase.ANNOUNCED
    assert "to be trusted everywhere first" in world.members[0][0].note


def test_a_secret_of_cert_manager_is_left_alone(world: ManagedWorld, caplog: pytest.LogCaptureFixture) -> None:
    world.owner = "numagate-serving"
    version = world.version
    world.jump(timedelta(days=40))
    world.wait(10)

    assert world.version == version
    assert "left to cert-manager: the Secret is of its Certificate numagate-serving" in caplog.text


def test_who_leads_no_more_forgets_what_it_saw_and_the_next_waits_again(world: ManagedWorld) -> None:
    world.live()
    for _ in range(4):
        world.wait(60)
    world.elect()
    world.wait(61)
    assert world.phase is Phase.ANNOUNCED

    world.elect()
    world.wait(1)
    world.wait(240)
    assert world.phase is Phase.ANNOUNCED
    world.wait(60)
    assert world.phase is Phase.OVERLAPPING
