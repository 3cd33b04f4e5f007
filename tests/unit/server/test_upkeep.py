"""Upkeep: what a new policy or certificate does to state, metrics and log."""

import asyncio
from datetime import UTC
from datetime import datetime
from pathlib import Path

import pytest
from serving import issue

from webhook.server.metrics import Metrics
from webhook.server.settings import Settings
from webhook.server.state import State
from webhook.server.upkeep import Upkeep
from webhook.sources.policy_file import load_policy
from webhook.sources.snapshot import Content
from webhook.sources.snapshot import encode
from webhook.sources.snapshot_reader import Reader
from webhook.sources.snapshot_reader import read_snapshot
from webhook.tls.context import CertificateStore

GOOD = "apiVersion: numagate.io/v1alpha1\nkind: AlignmentPolicy\nmetadata: {name: %s}\nspec: {governs: accelerators}\n"
BAD = "apiVersion: numagate.io/v1alpha1\nkind: AlignmentPolicy\nmetadata: {name: bad}\nspec:\n  governs: everything\n"


class Bench:
    """An upkeep of one policy file and one certificate folder."""

    def __init__(self, folder: Path) -> None:
        self.policy = folder / "policy.yaml"
        self.policy.write_text(GOOD % "first")
        self.certificates = folder / "certs"
        issue(self.certificates)
        self.state = State(own_namespace="ours")
        self.metrics = Metrics("0")
        self.store = CertificateStore(self.certificates, clock=lambda: datetime.now(UTC))
        self.upkeep = Upkeep(
            Settings(policy=self.policy, profiles=("generic-2x4",), certificates=self.certificates),
            state=self.state,
            metrics=self.metrics,
            store=self.store,
            load=lambda: load_policy(self.policy),
        )

    def step(self) -> None:
        """Look once."""
        asyncio.run(self.upkeep.step())

    @property
    def policy_name(self) -> str:
        """The name of the policy in force, or ""."""
        return self.state.loaded.policy.name if self.state.loaded else ""

    def value(self, name: str) -> float | None:
        """Answer a metric without labels."""
        return self.metrics.registry.get_sample_value(name)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Answer a bench that has loaded nothing yet."""
    return Bench(tmp_path)


def test_the_first_step_loads_policy_and_certificate(bench: Bench) -> None:
    bench.step()

    assert bench.policy_name == "first"
    assert bench.state.certificate_expiry == bench.store.served.not_after
    assert bench.value("numagate_policy_last_reload_successful") == 1
    assert bench.value("numagate_certificate_last_reload_successful") == 1
    assert bench.value("numagate_certificate_expiry_timestamp_seconds") == bench.store.served.not_after.timestamp()


def test_a_changed_policy_is_swapped_in(bench: Bench) -> None:
    bench.step()
    bench.policy.write_text(GOOD % "second")
    bench.step()

    assert bench.policy_name == "second"


def test_a_bad_policy_keeps_the_last_good_one_and_names_file_line_and_field(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    bench.step()
    bench.policy.write_text(BAD)
    bench.step()
    bench.step()

    assert bench.policy_name == "first"
    assert bench.value("numagate_policy_reload_failures_total") == 1
    assert bench.value("numagate_policy_last_reload_successful") == 0
    (record,) = [record for record in caplog.records if record.levelname == "ERROR"]
    assert vars(record)["numagate_fields"] == {"file": str(bench.policy), "line": 5, "field": "spec.governs"}
    assert record.message.endswith("; the last good policy stays")


def test_a_bad_policy_at_the_start_leaves_the_replica_unready_until_it_is_cured(bench: Bench) -> None:
    bench.policy.write_text(BAD)
    bench.step()

    (check,) = [check for check in bench.state.readiness(datetime.now(UTC)) if not check.ok]
    assert (check.name, bench.policy_name) == ("policy", "")
    assert f"{bench.policy}:5: spec.governs" in check.detail

    bench.policy.write_text(GOOD % "cured")
    bench.step()
    assert bench.policy_name == "cured"


def test_a_policy_file_that_disappears_keeps_the_policy(bench: Bench) -> None:
    bench.step()
    bench.policy.unlink()
    bench.step()

    assert (bench.policy_name, bench.value("numagate_policy_reload_failures_total")) == ("first", 1)


def test_a_new_certificate_is_served(bench: Bench) -> None:
    bench.step()
    first = bench.store.served.serial
    leaf = issue(bench.certificates).leaf
    bench.step()

    assert bench.store.served.serial == leaf.certificate.serial_number != first


def test_a_bad_certificate_keeps_the_last_good_one(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    bench.step()
    serial = bench.store.served.serial
    (bench.certificates / "tls.crt").write_text("-----BEGIN CERT")
    bench.step()
    bench.step()

    assert bench.store.served.serial == serial
    assert bench.value("numagate_certificate_reload_failures_total") == 1
    assert bench.value("numagate_certificate_last_reload_successful") == 0
    assert [record.levelname for record in caplog.records if "certificate refused" in record.message] == ["ERROR"]


def test_a_mounted_snapshot_is_read_again_when_it_changes_and_a_bad_one_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "world.json"
    certificates = tmp_path / "certs"
    issue(certificates)
    state, metrics, reader = State(own_namespace="ours"), Metrics("0"), Reader()
    upkeep = Upkeep(
        Settings(world=file, certificates=certificates),
        state=state,
        metrics=metrics,
        store=CertificateStore(certificates, clock=lambda: datetime.now(UTC)),
        load=lambda: reader.read(read_snapshot(file), str(file)),
    )

    def names() -> list[str]:
        asyncio.run(upkeep.step())
        return [policy.name for policy in state.loaded.policies] if state.loaded else []

    def write(*policies: str) -> None:
        entries = [{"metadata": {"name": name}, "spec": {}} for name in policies]
        file.write_bytes(encode(Content(entries, [], {}), datetime.now(UTC)))

    seen = [names()]
    write("first")
    seen.append(names())
    write("first", "second")
    seen.append(names())
    file.write_text("{", "utf-8")
    seen.append(names())

    assert seen == [[], ["first"], ["first", "second"], ["first", "second"]]
    assert "no world snapshot: not valid JSON" in state.refused
    assert state.snapshot is state.loaded
