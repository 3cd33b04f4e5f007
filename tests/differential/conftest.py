"""The fixture that asks Kubernetes' own code."""

from collections.abc import Callable
from typing import NoReturn

import pytest
from differential import oracle as oracles


@pytest.fixture(scope="session")
def oracle(pytestconfig: pytest.Config, unavailable: Callable[[str], NoReturn]) -> oracles.Oracle:
    """Provide the oracle, building it with visible progress where it is missing."""
    capture = pytestconfig.pluginmanager.getplugin("capturemanager")

    def report(line: str) -> None:
        with capture.global_and_fixture_disabled():
            print(f"\n{line}", flush=True)  # noqa: T201 - a progress report

    try:
        return oracles.Oracle(oracles.build(report))
    except oracles.OracleError as error:
        unavailable(str(error))
