"""The one container of a pod that runs in the guest: its cgroup, which a test may spoil, and its processes."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from node.guest import Guest


class Container:
    """A container that is started and known by its cgroup."""

    def __init__(self, guest: Guest, pod: dict[str, Any]) -> None:
        self.guest = guest
        (status,) = pod["status"]["containerStatuses"]
        self.id: str = status["containerID"].removeprefix("containerd://")
        self.cgroup = guest.run(f"find /sys/fs/cgroup/kubepods -type d -name {self.id}").strip()

    def read(self, *names: str) -> list[str]:
        """Answer files of its cgroup, each without its last newline."""
        said = self.guest.run("".join(f"cat {self.cgroup}/{name}; echo ---\n" for name in names))
        return [text.strip() for text in said.split("---\n")[:-1]]

    def write(self, files: dict[str, str]) -> None:
        """Write files of its cgroup."""
        self.guest.run("".join(f"echo '{text}' > {self.cgroup}/{name}\n" for name, text in files.items()))

    def write_for_good(self, file: str, text: str) -> None:
        """Write a file of its cgroup until it stays: the kubelet sets the CPUs of a new container a second time."""
        path = f"{self.cgroup}/{file}"
        self.guest.run(f"until echo {text} > {path}; sleep 3; [ $(cat {path}) = {text} ]; do :; done")

    @contextmanager
    def spoiled(self, files: dict[str, str]) -> Iterator[None]:
        """Let files of its cgroup say something else for the time of a `with` block."""
        before = dict(zip(files, self.read(*files), strict=True))
        self.write(files)
        try:
            yield
        finally:
            self.write(before)

    def processes(self) -> dict[int, str]:
        """Answer the commands of its processes."""
        script = f"for pid in $(cat {self.cgroup}/cgroup.procs); do echo $pid $(cat /proc/$pid/comm); done"
        return {int(pid): name for pid, name in (line.split() for line in self.guest.run(script).splitlines())}
