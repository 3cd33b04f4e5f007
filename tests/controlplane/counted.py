"""Counts the admission requests of a service."""

import httpx
from controlplane.process import until


def requests_counted(http: httpx.Client, probe_url: str) -> float:
    """Answer how many the service has counted, once it works on none: a reply leaves before its request is counted."""
    until(lambda: _sum(http, probe_url, "numagate_requests_in_flight") == 0, what="the end of what is in flight")
    return _sum(http, probe_url, "numagate_http_requests_total")


def _sum(http: httpx.Client, probe_url: str, name: str) -> float:
    lines = http.get(f"{probe_url}/metrics").text.splitlines()
    return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(name))
