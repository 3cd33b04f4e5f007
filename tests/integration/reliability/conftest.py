"""What the reliability tests share: a short and a long form, figures that are kept, and replicas behind a Service."""

from collections.abc import Callable
from collections.abc import Iterator
from contextlib import AbstractContextManager
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from _pytest.terminal import TerminalReporter
from controlplane.balancer import Balancer
from controlplane.case_service import Asked
from controlplane.case_service import asked
from controlplane.case_service import create_namespace
from controlplane.cluster import ControlPlane
from controlplane.deployment import Deployment
from controlplane.replicas import Replica
from controlplane.replicas import serving_file
from promises import FIGURES
from promises import LONG_ONLY
from promises import Figures
from promises import Scale
from promises import policy_text


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out what only the long form runs."""
    return True if collection_path.name in LONG_ONLY and not config.getoption("long") else None


@pytest.fixture(scope="session")
def scale(pytestconfig: pytest.Config) -> Scale:
    """Say which form runs."""
    return Scale(pytestconfig.getoption("long"))


@pytest.fixture(scope="session")
def figures(scale: Scale) -> Figures:
    """Collect figures; they are printed at the end, and kept by the long form."""
    FIGURES.append(Figures(scale))
    return FIGURES[-1]


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Print the figures of a long run, and keep them."""
    for one in FIGURES:
        if one.scale.long and one.found:
            terminalreporter.section("figures")
            terminalreporter.write_line(one.table())
            one.keep()


@pytest.fixture(scope="session")
def policy_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a policy that governs every accelerator pod, with one class of machines."""
    file = tmp_path_factory.mktemp("reliability") / "policy.yaml"
    file.write_text(policy_text(classes=1), "utf-8")
    return file


@pytest.fixture(scope="session")
def make_replica(policy_file: Path, case_certificates: Path, scale: Scale) -> Callable[[str], Replica]:
    """Make serving replicas with the lame duck time that they are shipped with, less in the short form."""

    def make(name: str) -> Replica:
        return serving_file(policy_file, case_certificates, name, drain_seconds=scale.of(short=2.0, long=15.0))

    return make


@pytest.fixture(scope="session")
def service(scale: Scale) -> Iterator[Balancer]:
    """Run a Service whose endpoints lag; replies spend time on their way, so that connections are opened all the time.

    The lag of the short form is shorter, too, and in proportion to the lame duck time.
    """
    with Balancer(lag=scale.of(short=0.3, long=1.5), delay=scale.of(short=0.05, long=0.2)) as running:
        yield running


@pytest.fixture(scope="session")
def deployment(service: Balancer, make_replica: Callable[[str], Replica], scale: Scale) -> Iterator[Deployment]:
    """Run replicas behind the Service."""
    with Deployment(service, make_replica, replicas=scale.of(short=2, long=3)) as running:
        yield running


@pytest.fixture(scope="session")
def asking(
    control_plane: ControlPlane, namespace_names: Iterator[str], rendered_configurations: list[dict[str, Any]]
) -> Callable[[Asked], AbstractContextManager[str]]:
    """Let the API server ask a service about a new namespace; a `with` block gets its name."""

    @contextmanager
    def ask(service: Asked) -> Iterator[str]:
        name = create_namespace(control_plane, next(namespace_names))
        with asked(control_plane, service, rendered_configurations, [name]):
            yield name

    return ask
