"""The choices that change which objects there are and what they say, and conditions that tell them apart."""

from collections.abc import Iterable
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from itertools import product
from typing import TypeAlias

from webhook.manifests.certificates import Certificates
from webhook.manifests.settings import Mode
from webhook.manifests.settings import Source

Combination: TypeAlias = tuple[str, ...]
"""One option of each choice, in the order of CHOICES."""
Some: TypeAlias = frozenset[Combination]

SET = "set"
UNSET = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """A value of the chart with few options; SET and UNSET are those of a value that may be anything or empty."""

    value: str
    options: tuple[str, ...]

    def test(self, wanted: Iterable[str], possible: Iterable[str]) -> str:
        """Say in Helm's language that the value is one of `wanted`, where it is one of `possible`."""
        wanted = [option for option in self.options if option in set(wanted)]
        others = [option for option in self.options if option in set(possible) and option not in wanted]
        if self.options == (UNSET, SET):
            return self.value if wanted == [SET] else f"not {self.value}"
        if len(others) == 1 and len(wanted) > 1:
            return f'ne {self.value} "{others[0]}"'
        return " ".join([f"eq {self.value}", *(f'"{option}"' for option in wanted)])


CHOICES = (
    Choice(".Values.mode", tuple(one.value for one in Mode)),
    Choice(".Values.policy.source", tuple(one.value for one in Source)),
    Choice(".Values.certificates.mode", tuple(one.value for one in Certificates)),
    Choice(".Values.certificates.caBundle", (UNSET, SET)),
    Choice(".Values.webhooks.url", (UNSET, SET)),
    Choice(".Values.webhooks.controllerUrl", (UNSET, SET)),
    Choice(".Values.networkPolicy.apiServers", (UNSET, SET)),
    Choice(".Values.clientAuth.enabled", (UNSET, SET)),
)


def _is_rendered(combination: Combination) -> bool:
    """Leave out what the schema of the values refuses, and what tells nothing new.

    Bundle, addresses, address blocks and client certificates change fields of their own, so they are set one at a time.
    """
    _, source, certificates, bundle, url, controller_url, api_servers, client_auth = combination
    if source == Source.FILE.value and certificates == Certificates.MANAGED.value:
        return False  # without a controller there is nobody to issue
    if bundle == SET and certificates != Certificates.SELF_SIGNED.value:
        return False
    if url == UNSET and controller_url == SET:
        return False
    return (bundle, url, api_servers, client_auth).count(SET) <= 1


COMBINATIONS: Some = frozenset(filter(_is_rendered, product(*(choice.options for choice in CHOICES))))
"""What is rendered and laid over each other."""


def condition(wanted: Some, among: Some) -> str | None:
    """Answer a condition that is true for `wanted` and false for the others of `among`, None for none.

    It is a conjunction, or one with a last part that excludes one: what needs more is better told apart by a chain.
    """
    box = _box(wanted, among)
    if box is not None:
        return _joined("and", _tests(box, wanted, among))
    restricted = [index for index in range(len(CHOICES)) if _seen(index, wanted) != _seen(index, among)]
    narrow = _within(restricted, wanted, among)
    excluded = narrow - wanted
    box = _box(excluded, narrow)
    if box is None:
        return None
    others = [CHOICES[index].test(_seen(index, narrow) - _seen(index, excluded), _seen(index, narrow)) for index in box]
    return _joined("and", [*_tests(restricted, wanted, among), _joined("or", others)])


def _box(wanted: Some, among: Some) -> tuple[int, ...] | None:
    """Answer the fewest choices whose options in `wanted` tell it from the rest of `among`."""
    for size in range(1, len(CHOICES) + 1):
        for used in combinations(range(len(CHOICES)), size):
            if wanted == _within(used, wanted, among):
                return used
    return None


def _within(used: Iterable[int], wanted: Some, among: Some) -> Some:
    options = {index: _seen(index, wanted) for index in used}
    return frozenset(one for one in among if all(one[index] in options[index] for index in options))


def _seen(index: int, some: Some) -> set[str]:
    return {one[index] for one in some}


def _tests(used: Iterable[int], wanted: Some, among: Some) -> list[str]:
    return [CHOICES[index].test(_seen(index, wanted), _seen(index, among)) for index in used]


def _joined(word: str, tests: Sequence[str]) -> str:
    operands = [f"({test})" if " " in test else test for test in tests]
    return tests[0] if len(tests) == 1 else " ".join([word, *operands])


def chain(sets: Iterable[Some], among: Some) -> list[tuple[str, Some]] | None:
    """Order disjoint `sets` of `among` so that each can be told from those behind it; answer openings with their set.

    None where no order does it.
    """
    left = list(sets)
    openings: list[tuple[str, Some]] = []
    while left:
        if len(left) == 1 and left[0] == among and openings:
            return [*openings, ("else", left[0])]
        found = [(text, some) for some in left if (text := condition(some, among)) is not None]
        if not found:
            return None
        text, some = min(found, key=_plain)
        openings.append((f"{'else ' if openings else ''}if {text}", some))
        left.remove(some)
        among -= some
    return openings


def _plain(found: tuple[str, Some]) -> tuple[bool, int, str]:
    """Prefer what is said without a negation, then what is short."""
    text, _ = found
    return "not " in text or "ne " in text, len(text), text
