"""Fixtures that need a real control plane; one of it serves the whole run."""

import itertools
import signal
from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from typing import NoReturn

import pytest
import yaml
from controlplane import agents
from controlplane import build
from controlplane import numagate_api
from controlplane.case_service import CaseService
from controlplane.case_service import registered_for
from controlplane.cluster import ControlPlane
from controlplane.flags import NEW_NODES_ARE_READY
from controlplane.service import CONFIGURATIONS
from controlplane.service import WebhookService
from controlplane.service import numagate
from controlplane.service import registered
from daemonlogs import reported
from promtool import Promtool
from promtool import find as find_promtool

Provide = Callable[[build.Module], dict[str, Path]]


@pytest.fixture(scope="session")
def provide(pytestconfig: pytest.Config, unavailable: Callable[[str], NoReturn]) -> Provide:
    """Provide the programs of a Go module, building them with visible progress where they are missing."""
    capture = pytestconfig.pluginmanager.getplugin("capturemanager")

    def report(line: str) -> None:
        with capture.global_and_fixture_disabled():
            build.say(f"\n{line}")

    def found(module: build.Module) -> dict[str, Path]:
        try:
            return build.provide(module, report=report)
        except build.BuildError as error:
            unavailable(str(error))

    return found


@pytest.fixture(scope="session")
def programs(provide: Provide) -> dict[str, Path]:
    """Provide the control plane's programs."""
    return provide(build.CONTROL_PLANE)


@pytest.fixture(scope="session")
def helm_program(provide: Provide) -> Path:
    """Provide helm."""
    return provide(build.HELM)["helm"]


@pytest.fixture(scope="session")
def control_plane(programs: dict[str, Path]) -> Iterator[ControlPlane]:
    """Run etcd, the API server and the controller manager for the whole session."""
    # Whoever ends pytest by SIGTERM must not leave a control plane behind: as for Ctrl-C, fixtures are torn down.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with ControlPlane(programs=programs) as running, reported(running):
        yield running


@pytest.fixture(scope="module")
def world_cluster(programs: dict[str, Path]) -> Iterator[ControlPlane]:
    """Run a control plane of one file's own, with what numagate's controller needs; its API server may be stopped."""
    made = ControlPlane(programs=programs, controllers=False, api_server_flags=[NEW_NODES_ARE_READY])
    with made as running, reported(running):
        objects = {"apiVersion": "v1", "kind": "List", "items": numagate_api.objects()}
        running.kubectl("apply", "-f", "-", input=objects)
        running.kubectl("wait", "--for=condition=Established", "customresourcedefinitions", "--all")
        yield running


@pytest.fixture(scope="session")
def agent_cluster(programs: dict[str, Path]) -> Iterator[ControlPlane]:
    """Run an API server with what numagate's agents need; it may be stopped for a while."""
    with ControlPlane(programs=programs, controllers=False) as running, reported(running):
        running.kubectl("apply", "-f", "-", input={"apiVersion": "v1", "kind": "List", "items": agents.objects()})
        running.kubectl("wait", "--for=condition=Established", "customresourcedefinitions", "--all")
        agents.put_world(running)
        yield running


@pytest.fixture(scope="session")
def namespace_names() -> Iterator[str]:
    """Count through names of namespaces, so that no test meets the leftovers of another."""
    return (f"test-{number}" for number in itertools.count(1))


@pytest.fixture
def namespace(control_plane: ControlPlane, namespace_names: Iterator[str]) -> str:
    """Create an empty namespace for one test."""
    return control_plane.create_namespace(next(namespace_names))


@pytest.fixture(scope="session")
def webhook_service(control_plane: ControlPlane) -> Iterator[WebhookService]:
    """Run numagate with its built-in policy for the rest of the session; the API server asks it."""
    with (
        WebhookService(arguments=["--profile", "generic-2x4"]) as service,
        reported(service),
        registered(control_plane, service),
    ):
        yield service


@pytest.fixture(scope="session")
def case_certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Issue one certificate for the services of all worlds."""
    folder = tmp_path_factory.mktemp("case-certificates")
    numagate("certs", "issue", "--dir", str(folder), "--ip", "127.0.0.1")
    return folder


@pytest.fixture(scope="session")
def case_service(
    request: pytest.FixtureRequest, case_certificates: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[CaseService]:
    """Run numagate for one world of the cases (an indirect parameter); pytest runs its tests one after another."""
    folder = tmp_path_factory.mktemp("world")
    service = CaseService(request.param, certificates=case_certificates, folder=folder)
    with reported(service):
        try:
            service.until_ready()
            yield service
        finally:
            service.stop()


@pytest.fixture(scope="session")
def rendered_configurations(case_certificates: Path) -> list[dict[str, Any]]:
    """Render the configurations that `enforce` installs, once; every world gets its own address in them."""
    target = ["--url", "https://127.0.0.1:1", "--ca-bundle", str(case_certificates / "ca.crt")]
    documents = yaml.safe_load_all(numagate("manifests", "--overlay", "enforce", *target))
    return [document for document in documents if document["kind"] in CONFIGURATIONS]


@pytest.fixture(scope="session")
def case_cluster(
    control_plane: ControlPlane, case_service: CaseService, rendered_configurations: list[dict[str, Any]]
) -> Iterator[ControlPlane]:
    """Let the API server ask the service of the world, in the namespaces of that world."""
    with registered_for(control_plane, case_service, rendered_configurations):
        yield control_plane


@pytest.fixture(scope="module")
def promtool(tmp_path_factory: pytest.TempPathFactory, unavailable: Callable[[str], NoReturn]) -> Promtool:
    """Provide promtool with a folder of its own."""
    program = find_promtool()
    if program is None:
        unavailable("no promtool: `make promtool` fetches Debian's")
    return Promtool(program, tmp_path_factory.mktemp("promtool"))
