"""Boots the guest under a watchdog, and runs scripts in it through its control channel."""

import http.client
import shutil
import tempfile
import time
from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from typing import Self

from controlplane.process import Daemon
from controlplane.process import DaemonError
from controlplane.process import free_ports
from controlplane.process import until
from node.hardware import Hardware
from node.image import Image
from node.programs import Programs

ADDRESS: Final = "10.0.2.15"
HOST: Final = "10.0.2.2"
"""The guest's own address, and that of this machine as the guest sees it."""

SERVICE: Final = "10.0.0.1"
"""The address of the Service `kubernetes`: the first one of those for Services."""

CONTROL_PORT: Final = 7777
KUBELET_PORT: Final = 10250
BOOT_SECONDS: Final = 300
SILENT_SECONDS: Final = 45
ATTEMPTS: Final = 3
"""A boot in a few dozen hangs, for reasons unknown: a guest whose console is silent for so long is booted again."""

UP: Final = "node: net up"
IMAGES: Final = "node: images there"
IMAGES_SECONDS: Final = 300
KERNEL: Final = (
    "console=ttyS0 mitigations=off nowatchdog panic=1 loglevel=7 net.ifnames=0 cgroup_no_v1=all "
    "tsc=reliable clocksource=tsc no5lvl nopti numa_balancing=disable"
)
"""No pages move by themselves: of huge ones that may, smaps of Linux 6.1 knows nothing, and tests compare with it."""


class ScriptError(AssertionError):
    """A script in the guest failed; the text has the script, and what it printed."""


class Guest:
    """A running guest for the time of a `with` block; its disk forgets all that is written."""

    def __init__(self, hardware: Hardware, *, image: Image, programs: Programs) -> None:
        self.hardware = hardware
        self.image = image
        self.programs = programs

    def __enter__(self) -> Self:
        self.folder = Path(tempfile.mkdtemp(prefix="numagate-guest-"))
        self.port, self.kubelet_port = free_ports(2)
        try:
            self._boot()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if hasattr(self, "daemon"):
            self.daemon.stop(seconds=5)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _boot(self) -> None:
        for attempt in range(1, ATTEMPTS + 1):
            started = time.monotonic()
            self.serial = self.folder / f"serial-{attempt}.log"
            environment = {**self.programs.environment(), "TMPDIR": str(self.folder)}
            self.daemon = Daemon("qemu", list(self._command()), folder=self.folder, env=environment)
            self.daemon.until_ready(_Watchdog(self.console), seconds=BOOT_SECONDS)
            if UP in self.console():
                self.boot_seconds = time.monotonic() - started
                return
            self.daemon.stop(seconds=1)
        msg = f"the guest did not come up, {ATTEMPTS} times; the end of its last console:\n{self.logs()}"
        raise DaemonError(msg)

    def _command(self) -> Iterator[str]:
        firmware = self.programs.debian / "usr" / "share"
        yield str(self.programs.path("qemu-system-x86_64"))
        for folder in ("qemu", "seabios"):
            yield from ("-L", str(firmware / folder))
        yield from ("-accel", "tcg,thread=multi,tb-size=512", "-cpu", "Nehalem", "-machine", "q35")
        yield from self.hardware.arguments()
        # Named, or QEMU puts these on the last bus, where only ports may be.
        yield from ("-drive", f"file={self.image.disk},if=none,id=disk,format=raw,cache=unsafe,snapshot=on")
        yield from ("-device", "virtio-blk-pci,drive=disk,bus=pcie.0")
        forwards = (
            f"hostfwd=tcp:127.0.0.1:{here}-{ADDRESS}:{there}"
            for here, there in ((self.port, CONTROL_PORT), (self.kubelet_port, KUBELET_PORT))
        )
        yield from ("-netdev", ",".join(["user,id=net", *forwards]))
        yield from ("-device", "virtio-net-pci,netdev=net,bus=pcie.0,romfile=")
        yield from ("-kernel", str(self.image.kernel), "-initrd", str(self.image.initrd), "-append", KERNEL)
        yield from ("-display", "none", "-serial", f"file:{self.serial}", "-monitor", "none", "-no-reboot")

    def console(self) -> str:
        """Answer what has come on the serial console."""
        return self.serial.read_text("utf-8", "replace") if self.serial.exists() else ""

    def logs(self, lines: int = 30) -> str:
        """Answer the last lines of the console."""
        return "--- guest\n" + "\n".join(self.console().splitlines()[-lines:]) + "\n"

    def until_images(self) -> None:
        """Wait until containers can be made."""
        until(lambda: IMAGES in self.console(), seconds=IMAGES_SECONDS, what="the images in the guest")

    def run(self, script: str, *, seconds: float = 300) -> str:
        """Run a shell script as root in the guest, with its whole output as one; answer that.

        Raises:
            ScriptError: it failed, or did not end in time.
        """
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        try:
            connection.request("POST", "/cgi-bin/run", body=("set -eu\n" + script).encode())
            answer = connection.getresponse()
            said = answer.read().decode(errors="replace")
        except (OSError, http.client.HTTPException) as error:
            msg = f"{script}\n{type(error).__name__}: {error}\n{self.logs()}"
            raise ScriptError(msg) from error
        finally:
            connection.close()
        if answer.headers.get("X-Status") != "0":
            msg = f"{script}\nended with {answer.headers.get('X-Status')}:\n{said}"
            raise ScriptError(msg)
        return said


class _Watchdog:
    """Answers true once the guest is up, or its console has been silent for too long."""

    def __init__(self, console: Callable[[], str]) -> None:
        self._console = console
        self._seen, self._since = "", time.monotonic()

    def __call__(self) -> bool:
        console = self._console()
        if console != self._seen:
            self._seen, self._since = console, time.monotonic()
        return UP in console or time.monotonic() - self._since > SILENT_SECONDS
