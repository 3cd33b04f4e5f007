"""The test node for a whole run: one guest after another, each with the kubelet that a test asks for."""

import signal
from collections.abc import Callable
from collections.abc import Iterator
from typing import NoReturn

import pytest
from controlplane import build
from controlplane.build import BuildError
from controlplane.cluster import ControlPlane
from controlplane.flags import FOR_KUBELETS
from daemonlogs import reported
from node import image
from node import programs
from node.guest import HOST
from node.guest import SERVICE
from node.guest import Guest
from node.hardware import Hardware
from node.image import Image
from node.kubelet import Kubelet
from node.programs import Programs

collect_ignore = ["root"]
"""Files of the guest, which run there."""


@pytest.fixture(scope="session")
def node_programs(pytestconfig: pytest.Config, unavailable: Callable[[str], NoReturn]) -> Programs:
    """Provide what the node runs, building it with visible progress where it is missing."""
    capture = pytestconfig.pluginmanager.getplugin("capturemanager")
    try:
        with capture.global_and_fixture_disabled():
            return programs.provide()
    except BuildError as error:
        unavailable(str(error))


@pytest.fixture(scope="session")
def node_image(node_programs: Programs, tmp_path_factory: pytest.TempPathFactory) -> Image:
    """Make what guests boot from."""
    return image.make(tmp_path_factory.mktemp("image"), node_programs)


@pytest.fixture(scope="session")
def cluster(unavailable: Callable[[str], NoReturn]) -> Iterator[ControlPlane]:
    """Run the control plane that the node registers at."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        built = build.provide()
    except BuildError as error:
        unavailable(str(error))
    made = ControlPlane(programs=built, names=[HOST, SERVICE], api_server_flags=FOR_KUBELETS)
    with made as running, reported(running):
        yield running


@pytest.fixture(scope="session")
def guest(request: pytest.FixtureRequest, node_image: Image, node_programs: Programs) -> Iterator[Guest]:
    """Boot a guest of the hardware that is the (indirect) parameter; pytest runs its tests one after another."""
    hardware: Hardware = request.param
    with Guest(hardware, image=node_image, programs=node_programs) as running, reported(running):
        running.until_images()
        yield running


@pytest.fixture(scope="session")
def kubelet(guest: Guest, cluster: ControlPlane) -> Iterator[Kubelet]:
    """Prepare the kubelet of the guest; each test starts it as it wants it."""
    made = Kubelet(guest, cluster)
    yield made
    made.stop()
    made.close()
