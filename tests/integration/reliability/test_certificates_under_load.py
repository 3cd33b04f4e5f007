"""Certificates change while very many clients shake hands."""

import hashlib
import json
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from controlplane import handshakes
from cryptography.hazmat.primitives.serialization import Encoding
from promises import Figures
from serving import issue
from serving import running

CLIENTS = 2
RELOADS = 200
RELOADS_A_SECOND = 20


@pytest.mark.parametrize("loop", ["uvloop", "asyncio"])
def test_reloads_under_new_handshakes_break_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loop: str, figures: Figures
) -> None:
    if loop == "asyncio":
        monkeypatch.setitem(sys.modules, "uvloop", None)
    with running(tmp_path) as service:
        command = [sys.executable, handshakes.__file__, str(service.service.port), str(tmp_path / "ca.crt")]
        clients = [
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(CLIENTS)
        ]
        began = time.monotonic()
        issued: set[str] = set()
        for number in range(RELOADS):
            time.sleep(max(0.0, began + number / RELOADS_A_SECOND - time.monotonic()))
            issued.add(fingerprint(issue(tmp_path).leaf.certificate.public_bytes(Encoding.DER)))
        found = [json.loads(client.communicate("", timeout=30)[0]) for client in clients]
        seconds = time.monotonic() - began

    seen = sum((Counter(one["seen"]) for one in found), Counter())
    figures.add("C1", f"handshakes a second, {loop}", seen.total() / seconds, at_least=200)
    figures.add("C1", f"different certificates seen, {loop}", len(seen))
    figures.add("C1", f"reloads a second, {loop}", len(issued) / seconds)
    figures.add("C1", f"failed handshakes, {loop}", sum(sum(one["errors"].values()) for one in found), at_most=0)
    assert [one["errors"] for one in found] == [{}] * CLIENTS
    assert len(seen.keys() & issued) > len(issued) / 4


def fingerprint(der: bytes) -> str:
    """Name a certificate."""
    return hashlib.sha256(der).hexdigest()
