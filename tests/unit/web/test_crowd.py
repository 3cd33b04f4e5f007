"""Which connection goes when there are too many."""

from dataclasses import dataclass
from dataclasses import field

from webhook.web.crowd import Crowd


@dataclass(eq=False)
class Connection:
    """A connection that only knows whether it was sent away."""

    address: str = "10.0.0.1"
    busy: bool = False
    left: list[bool] = field(default_factory=list)

    def leave(self) -> None:
        """Note it."""
        self.left.append(True)


def crowd(*, known: list[Connection] | None = None, strangers: list[Connection] | None = None) -> Crowd:
    """Fill a crowd to its limit."""
    made = Crowd(len(known or []) + len(strangers or []))
    for connection in known or []:
        assert made.enter(connection)
        made.meet(connection)
    for connection in strangers or []:
        assert made.enter(connection)
    return made


def test_the_oldest_that_never_sent_a_request_goes_first() -> None:
    known, first, second, newcomer = (Connection() for _ in range(4))
    full = crowd(known=[known], strangers=[first, second])

    assert full.enter(newcomer)

    assert [one in full for one in (known, first, second, newcomer)] == [True, False, True, True]
    assert (first.left, second.left, known.left) == ([True], [], [])
    assert len(full) == full.limit


def test_a_flood_of_strangers_never_costs_a_known_connection() -> None:
    known = [Connection() for _ in range(3)]
    full = crowd(known=known, strangers=[Connection()])

    assert all(full.enter(Connection(address=f"10.0.1.{turn}")) for turn in range(100))

    assert all(one in full for one in known)


def test_among_known_ones_the_longest_idle_of_the_most_frequent_address_goes() -> None:
    api_server = [Connection() for _ in range(2)]
    crowding = [Connection(address="10.0.9.9") for _ in range(3)]
    full = crowd(known=[*api_server, *crowding])
    full.meet(crowding[0])  # used again

    assert full.enter(Connection())

    assert [one in full for one in crowding] == [True, False, True]
    assert all(one in full for one in api_server)


def test_a_connection_with_a_request_in_flight_stays_and_the_newcomer_goes() -> None:
    full = crowd(known=[Connection(busy=True), Connection(busy=True)])

    assert not full.enter(Connection())
    assert len(full) == 2


def test_one_that_was_sent_away_is_forgotten_for_good() -> None:
    stranger = Connection()
    full = crowd(strangers=[stranger])
    assert full.make_room()

    full.meet(stranger)
    full.forget(stranger)

    assert (len(full), stranger in full) == (0, False)
