"""The waits: they double, have a bound and chance in them, and start again after a quiet time."""

from webhook.kube.backoff import Backoff


def test_waits_double_up_to_the_bound() -> None:
    backoff = Backoff(clock=lambda: 0.0, chance=lambda: 0.0)

    assert [backoff.next() for _ in range(8)] == [0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30.0, 30.0]


def test_chance_adds_at_most_as_much_again() -> None:
    assert Backoff(chance=lambda: 1.0).next() == 1.6


def test_a_quiet_time_makes_the_waits_short_again() -> None:
    now = 0.0
    backoff = Backoff(clock=lambda: now, chance=lambda: 0.0)
    first = [backoff.next(), backoff.next()]
    now = 121.0

    assert (first, backoff.next()) == ([0.8, 1.6], 0.8)
