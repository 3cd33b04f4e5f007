"""Compares numagate with Kubernetes' own code over any number of questions: the command behind `make differential`."""

import argparse
import sys
import time
from collections.abc import Iterator
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED
from concurrent.futures import Future
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import wait
from itertools import islice

from differential.comparison import LATE_SHARE
from differential.comparison import Comparison
from differential.comparison import Found
from differential.configuration_comparison import Configurations
from differential.kubelet_comparison import Cases
from differential.kubelet_comparison import Scenarios
from differential.older import VERSION
from differential.oracle import KUBELET_ORACLE
from differential.oracle import ORACLE
from differential.oracle import Oracle
from differential.oracle import OracleError
from differential.oracle import build
from differential.oracle import isolated
from differential.patch_comparison import Patches
from differential.pod_comparison import Pods
from differential.quantity_comparison import Quantities

PROCESSES = 2
"""As many programs run at once: the time goes into them, and Python reads what the others wrote."""
PROGRESS_SECONDS = 5
SHOWN = 3
"""So many differences of a kind are shrunk and printed."""


def main(arguments: Sequence[str]) -> int:
    """Run the comparisons that are asked for; 0 if nothing differs, 1 if something does, 2 if they cannot run."""
    asked = parse(arguments)
    found: list[tuple[Comparison, int, Found]] = []
    try:
        for part, count in parts(asked):
            found.append((part, count, compare(part, count)))
            if found[-1][2].asked < count:
                break
    except OracleError as error:
        say(str(error))
        return 2
    except KeyboardInterrupt:  # before anything was compared: while a program is built
        return 130
    say(f"\n{table(found, asked.seed)}")
    return 0 if all(one.proves and one.asked == count for _, count, one in found) else 1


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="make differential", description=__doc__)
    parser.add_argument("--scenarios", type=int, default=3000, help="nodes with the pods that arrive at them")
    parser.add_argument("--configurations", type=int, default=2000, help="machines with a KubeletConfiguration")
    parser.add_argument("--quantities", type=int, default=20_000, help="texts that are quantities, or nearly")
    parser.add_argument("--pods", type=int, default=5000, help="pods, for defaulting, QoS class and requests")
    parser.add_argument("--patches", type=int, default=10_000, help="pods and other documents, with JSON patches")
    parser.add_argument("--seed", type=int, default=1, help="another seed makes other questions")
    return parser.parse_args(arguments)


def parts(asked: argparse.Namespace) -> Iterator[tuple[Comparison, int]]:
    """Yield what is compared, and how often; a program is built when it is needed."""
    if asked.scenarios:
        kubelet = Oracle(*isolated(build(KUBELET_ORACLE, say, VERSION)))
        cases = Cases(kubelet.ask, VERSION)
        yield cases, len(cases.chosen)
        yield Scenarios(kubelet.ask, asked.seed, VERSION), asked.scenarios
    if asked.configurations:
        kubelet = Oracle(*isolated(build(KUBELET_ORACLE, say, VERSION)))
        yield Configurations(kubelet.ask, asked.seed, VERSION), asked.configurations
    if asked.quantities:
        yield Quantities(Oracle(build(ORACLE, say)).ask, asked.seed), asked.quantities
    if asked.pods:
        yield Pods(Oracle(build(ORACLE, say)).ask, asked.seed), asked.pods
    if asked.patches:
        yield Patches(Oracle(build(ORACLE, say)).ask, asked.seed), asked.patches


def compare(part: Comparison, count: int) -> Found:
    """Compare in batches, with progress; Ctrl-C ends it with what was found until then."""
    found = Found()
    clock = Clock(part.name, count)
    batches = iter([(first, min(part.batch, count - first)) for first in range(0, count, part.batch)])
    with ThreadPoolExecutor(PROCESSES) as pool:
        running = {pool.submit(part.compare, *batch) for batch in islice(batches, PROCESSES)}
        try:
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                running |= {pool.submit(part.compare, *batch) for batch in islice(batches, len(done))}
                add(found, done)
                clock.tell(found, last=not running)
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            say(f"{part.name}: stopped after {found.asked:,} of {count:,}")
    for number, text in enumerate(found.differences[:SHOWN], start=1):
        say(f"\n# {part.name}, difference {number} of {len(found.differences)}:\n{text()}")
    return found


def add(found: Found, done: set[Future[Found]]) -> None:
    """Add what batches found."""
    for batch in done:
        found.add(batch.result())


class Clock:
    """Prints how far a comparison is, now and then."""

    def __init__(self, name: str, count: int) -> None:
        """Start the clock."""
        self.name = name
        self.count = count
        self.start = self.told = time.monotonic()

    def tell(self, found: Found, *, last: bool) -> None:
        """Print the progress if that was a while ago, or for the last time."""
        now = time.monotonic()
        if last or now - self.told >= PROGRESS_SECONDS:
            self.told = now
            rate = found.asked / (now - self.start)
            say(
                f"{self.name}: {found.asked:,} of {self.count:,}, {rate:,.0f} a second, "
                f"{len(found.differences)} differences ({outcomes(found)})"
            )


def outcomes(found: Found) -> str:
    """Write the kinds of answers and how many there are, the most frequent first."""
    kinds = sorted(found.outcomes.items(), key=lambda item: (-item[1], item[0]))
    told = [f"{number:,} {kind}" for kind, number in kinds]
    return ", ".join([*told, *([f"{found.late} too late"] if found.late else [])])


def table(found: Sequence[tuple[Comparison, int, Found]], seed: int) -> str:
    """Write the figures as the table of docs/kubelet.md."""
    lines = ["| compared | seed | number | differences | answers |", "|---|---|---|---|---|"]
    for part, count, one in found:
        number = f"{one.asked:,}" + ("" if one.asked == count else f" of {count:,}")
        lines.append(f"| {part.name} | {seed} | {number} | {len(one.differences)} | {outcomes(one)} |")
    lines += [
        f"{part.name}: {one.late} answers came too late, more than {LATE_SHARE:.1%}"
        for part, _, one in found
        if not one.differences and not one.proves
    ]
    return "\n".join(lines)


def say(line: str) -> None:
    """Print at once, so that whoever waits sees it."""
    print(line, flush=True)  # noqa: T201 - a progress report


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
