"""Settings of every test run: hypothesis profiles, and no skip that CI would overlook."""

import os
from collections.abc import Callable
from collections.abc import Generator
from typing import NoReturn

import daemonlogs
import hypothesis
import pytest
from _pytest.terminal import TerminalReporter

COMMON = hypothesis.settings(deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
"""Shared machines are slow at times; that is no finding."""

hypothesis.settings.register_profile("local", COMMON)
hypothesis.settings.register_profile("ci", COMMON, derandomize=True, print_blob=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer the long form of the tests that have one."""
    parser.addoption("--long", action="store_true", help="run reliability tests in their long form")
    parser.addoption("--minutes", type=float, default=2.0, help="minutes of the soak's long form")
    parser.addoption("--node", action="store_true", help="run the tests on the test node, a virtual machine")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is marked with the name of an option that is not given."""
    markers = [name for name in ("long", "node") if not config.getoption(name)]
    left_out = [item for item in items if any(item.get_closest_marker(name) for name in markers)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def in_ci() -> bool:
    """Answer whether this run judges a change; most CI services set CI to "true"."""
    return os.environ.get("CI", "").lower() not in {"", "0", "false"}


hypothesis.settings.load_profile("ci" if in_ci() else "local")


@pytest.fixture(scope="session")
def unavailable() -> Callable[[str], NoReturn]:
    """End a test that cannot run here: a failure in CI, elsewhere a skip with the reason."""

    def end(reason: str) -> NoReturn:
        if in_ci():
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)

    return end


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the daemons' last log lines to the report of a failed test."""
    report = yield
    if report.failed:
        report.sections.extend(("Logs of the daemons", lines) for lines in daemonlogs.last_lines())
    return report


def skips(config: pytest.Config) -> int:
    """Answer how many tests were skipped in this run."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    return len(reporter.stats.get("skipped", ())) if isinstance(reporter, TerminalReporter) else 0


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Let a run in CI fail that skipped a test: there everything has to be there."""
    if in_ci() and skips(session.config) and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: TerminalReporter, config: pytest.Config) -> None:
    """Print the number of skipped tests, and what it means in CI."""
    count = skips(config)
    verdict = ": a failure in CI" if count and in_ci() else ""
    terminalreporter.write_line(f"skipped tests: {count}{verdict}")
