"""Compares webhooks on one machine: latency, throughput and memory under the same load, in turns."""

import statistics
from collections.abc import Iterable
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from pathlib import Path

from bench.processes import usage
from bench.reviews import bench_review
from bench.webhooks import BenchError
from bench.webhooks import Webhook
from bench.wrk import Load
from bench.wrk import load

ROUNDS = 3
SECONDS = 3
MANY = 16
"""Connections of the loaded runs."""


@dataclass(slots=True)
class Column:
    """What was measured of one webhook, round by round: one connection, many, and many with pods that all differ."""

    one: list[Load] = field(default_factory=list)
    many: list[Load] = field(default_factory=list)
    unlike: list[Load] = field(default_factory=list)
    resident: float = 0.0


@dataclass(frozen=True, slots=True)
class Figures:
    """The medians of one webhook: milliseconds, requests a second, and MiB after the load."""

    p50: float
    p99: float
    rate: float
    p99_unlike: float
    rate_unlike: float
    resident: float


def compare(webhooks: Sequence[Webhook], folder: Path, *, rounds: int = ROUNDS) -> dict[str, Figures]:
    """Load each of the webhooks, one after the other, in every round in another order; print and answer medians."""
    reviews = {webhook.name: folder / f"review-{webhook.namespace}.json" for webhook in webhooks}
    for webhook in webhooks:
        if why := webhook.why_useless():
            raise BenchError(why)
        reviews[webhook.name].write_bytes(bench_review(webhook.namespace))
        load(webhook, reviews[webhook.name], connections=MANY, seconds=1, unlike=False)  # warm, and not measured
    columns = {webhook.name: Column() for webhook in webhooks}
    for number in range(rounds):
        for webhook in webhooks if number % 2 else reversed(webhooks):
            column, review = columns[webhook.name], reviews[webhook.name]
            column.one.append(load(webhook, review, connections=1, seconds=SECONDS, unlike=False))
            column.many.append(load(webhook, review, connections=MANY, seconds=SECONDS, unlike=False))
            column.unlike.append(load(webhook, review, connections=MANY, seconds=SECONDS, unlike=True))
            column.resident = max(column.resident, usage(webhook.pid).resident)
    found = {name: _medians(column) for name, column in columns.items()}
    _show(found)
    return found


def _medians(column: Column) -> Figures:
    return Figures(
        p50=statistics.median(run.p50 for run in column.one),
        p99=statistics.median(run.p99 for run in column.many),
        rate=statistics.median(run.rate for run in column.many),
        p99_unlike=statistics.median(run.p99 for run in column.unlike),
        rate_unlike=statistics.median(run.rate for run in column.unlike),
        resident=column.resident,
    )


def _show(found: dict[str, Figures]) -> None:
    many = f"{MANY} connections"
    print(f"\n{'webhook over TLS, review of a 2-GPU pod':42}{'1':>10}{many:>24}{'pods unlike':>22}{'RSS':>10}")  # noqa: T201
    print(f"{'':42}{'p50':>10}{'p99':>12}{'a second':>12}{'p99':>10}{'a second':>12}{'':>10}")  # noqa: T201
    for name, one in found.items():
        print(  # noqa: T201
            f"{name:42}{one.p50:>8.2f}ms{one.p99:>10.1f}ms{one.rate:>12,.0f}"
            f"{one.p99_unlike:>8.1f}ms{one.rate_unlike:>12,.0f}{one.resident:>7.0f}MiB",
            flush=True,
        )


@dataclass(frozen=True, slots=True)
class Goal:
    """A figure beside its bound, both of one run; `least` where more is better."""

    name: str
    value: float
    bound: float
    least: bool = False

    @property
    def kept(self) -> bool:
        """Whether the goal is reached."""
        return self.value >= self.bound if self.least else self.value <= self.bound


def show_goals(goals: Iterable[Goal]) -> None:
    """Print what the project promises, marked where it is missed; nothing fails."""
    print(f"\n{'goal':72}{'measured':>12}{'bound':>12}")  # noqa: T201
    for goal in goals:
        verdict = "kept" if goal.kept else "MISSED"
        print(f"{goal.name:72}{goal.value:>12,.2f}{goal.bound:>12,.2f}  {verdict}", flush=True)  # noqa: T201


def kept_figures(found: dict[str, Figures]) -> dict[str, float]:
    """Write figures as they are kept in a file."""
    return {
        f"{name}: {words}": round(value, 2)
        for name, one in found.items()
        for words, value in (
            ("p50 at 1 (ms)", one.p50),
            (f"p99 at {MANY} (ms)", one.p99),
            (f"requests a second at {MANY}", one.rate),
            (f"p99 at {MANY}, pods unlike (ms)", one.p99_unlike),
            (f"requests a second at {MANY}, pods unlike", one.rate_unlike),
            ("RSS (MiB)", one.resident),
        )
    }
