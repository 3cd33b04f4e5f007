"""The fixtures that ask Kubernetes' own code."""

from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest
from differential import oracle as oracles
from differential.older import VERSION

from webhook.domain.versions import Version

Build = Callable[[Path, Version], Path]


@pytest.fixture(scope="session")
def built(pytestconfig: pytest.Config) -> Build:
    """Provide the function that builds a program, with visible progress, where it is missing."""
    capture = pytestconfig.pluginmanager.getplugin("capturemanager")

    def report(line: str) -> None:
        with capture.global_and_fixture_disabled():
            print(f"\n{line}", flush=True)  # noqa: T201 - a progress report

    return lambda module, version: oracles.build(module, report, version)


@pytest.fixture(scope="session")
def oracle(built: Build, unavailable: Callable[[str], NoReturn]) -> oracles.Oracle:
    """Provide the program that reads quantities and pods."""
    try:
        return oracles.Oracle(built(oracles.ORACLE, oracles.NEWEST))
    except oracles.OracleError as error:
        unavailable(str(error))


@pytest.fixture(scope="session")
def kubelet_oracle(built: Build, unavailable: Callable[[str], NoReturn]) -> oracles.Oracle:
    """Provide the program that admits pods to nodes; it keeps files where a kubelet does, so it gets its own."""
    try:
        return oracles.Oracle(*oracles.isolated(built(oracles.KUBELET_ORACLE, VERSION)))
    except oracles.OracleError as error:
        unavailable(str(error))
