"""Waits for custom resources that a peer brings."""

from controlplane.cluster import ControlPlane
from controlplane.process import until


def until_established(cluster: ControlPlane) -> None:
    """Wait until the API server serves every custom resource; kubectl fails on one that is so new as to have no state.

    Raises:
        TimeoutError: it does not in time.
    """
    command = ("wait", "--for=condition=Established", "--timeout=60s", "customresourcedefinitions", "--all")
    until(lambda: cluster.kubectl(*command, check=False).returncode == 0, seconds=60, what="the custom resources")
