"""Keeps serving replicas behind a Service as a Deployment does: rolled one by one, started again when killed."""

from collections.abc import Callable
from contextlib import ExitStack
from typing import Self

from controlplane.balancer import Balancer
from controlplane.replicas import Replica


class Deployment:
    """Replicas of `make`, for the time of a `with` block; the API server calls them at `url`."""

    def __init__(self, service: Balancer, make: Callable[[str], Replica], *, replicas: int) -> None:
        """Make replicas by their names; `service` must be running."""
        self._service, self._make, self._count = service, make, replicas
        self._names = (f"serving-{number}" for number in range(1, 1_000_000))
        self._stack = ExitStack()
        self.url = service.url
        self.replicas: list[Replica] = []

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._stack = stack
            for _ in range(self._count):
                self._start()
            self._publish()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._service.change_to([])
        for replica in self.replicas:
            replica.interrupt()
        self._stack.close()

    def _start(self) -> Replica:
        replica = self._stack.enter_context(self._make(next(self._names)))
        self.replicas.append(replica)
        return replica

    def _publish(self) -> None:
        """Wait until all replicas are ready and the Service sends connections to them and to nobody else."""
        for replica in self.replicas:
            replica.until_ready()
        backends = [replica.backend for replica in self.replicas]
        self._service.change_to(backends)
        self._service.until_endpoints(backends)

    def replace(self, replica: Replica) -> int:
        """Start another replica, and end `replica` once the other one is an endpoint; answer its exit status.

        As for a pod, SIGTERM comes first, and the Service learns of it later.
        """
        self._start()
        self._publish()
        status = replica.stop(seconds=60)
        self.replicas.remove(replica)
        self._publish()
        return status

    def roll(self) -> list[int]:
        """Replace all replicas, one after the other; answer their exit statuses."""
        return [self.replace(replica) for replica in tuple(self.replicas)]

    def kill(self, replica: Replica) -> None:
        """Kill a replica and start it again at the same address, as a kubelet does with a container."""
        replica.kill()
        replica.start()

    def recover(self) -> None:
        """Wait until all replicas are endpoints again."""
        self._publish()

    def requests_seen(self) -> float:
        """Answer how many admission requests the replicas of now have counted."""
        return sum(replica.requests_seen() for replica in self.replicas)

    def logs(self, lines: int = 30) -> str:
        """Answer the last lines of all logs."""
        return "".join(part.logs(lines) for part in (self._service, *self.replicas))
