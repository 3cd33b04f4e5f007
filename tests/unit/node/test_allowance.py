"""How much may be said at once."""

from webhook.node.allowance import Allowance


def test_a_few_things_at_once_and_then_one_now_and_then() -> None:
    now = [0.0]
    allowance = Allowance(burst=3, per_second=0.5, clock=lambda: now[0])

    at_once = [allowance.take() for _ in range(5)]
    now[0] = 1.9
    too_early = allowance.take()
    now[0] = 2.0

    assert at_once == [True, True, True, False, False]
    assert (too_early, allowance.take(), allowance.take()) == (False, True, False)


def test_silence_earns_no_more_than_the_burst() -> None:
    now = [0.0]
    allowance = Allowance(burst=2, per_second=1.0, clock=lambda: now[0])
    now[0] = 1000.0

    assert [allowance.take() for _ in range(3)] == [True, True, False]
