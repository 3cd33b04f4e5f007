"""The promise, written and read."""

import json

import pytest
from builders import GPU
from builders import container
from builders import equal
from builders import pod

from webhook.domain.expectation import ContainerPromise
from webhook.domain.expectation import Expectation
from webhook.domain.expectation import containers_of
from webhook.domain.expectation import decode
from webhook.domain.expectation import expect
from webhook.domain.facts import read
from webhook.domain.levels import Level


def promise(obj: dict[str, object]) -> Expectation:
    return expect(
        read(obj), {"server": {GPU: 1}}, level=Level.ALIGNED, numa_nodes=1, policy="default", generation="abc"
    )


def test_the_annotation_has_sorted_keys_integers_and_bytes() -> None:
    assert promise(pod()).encode() == (
        '{"containers":{"server":{"cpus":8,"devices":{"nvidia.com/gpu":1},"memory":34359738368}},'
        '"generation":"abc","level":"aligned","numaNodes":1,"policy":"default","v":1}'
    )


def test_what_was_written_is_read_back() -> None:
    written = promise(pod())

    assert decode(written.encode()) == written


def test_helpers_without_exclusive_cpus_and_init_containers_are_left_out() -> None:
    helper = container("proxy", **equal("500m", "1Gi", None))
    prepare = container("prepare", **equal("8", "1Gi", None))

    assert list(promise(pod(container(**equal()), helper, init=(prepare,))).containers) == ["server"]


def test_a_helper_with_whole_cpus_is_promised_them() -> None:
    helper = container("agent", **equal("2", "1Gi", None))

    assert promise(pod(container(**equal()), helper)).containers["agent"].cpus == 2


def test_a_pod_that_is_not_guaranteed_is_promised_devices_only() -> None:
    one = promise(pod(container(limits={GPU: "1"}))).containers["server"]

    assert (one.cpus, one.memory, one.devices) == (0, 0, {GPU: 1})


WHOLE = {"resources": {"limits": {"cpu": "16", "memory": "128Gi"}, "requests": {"cpu": "16", "memory": "128Gi"}}}


@pytest.mark.parametrize(("level", "cpus"), [(Level.GUARANTEED, 0), (Level.EXCLUSIVE, 8), (Level.ALIGNED, 8)])
def test_with_spec_resources_only_a_level_with_exclusive_cpus_promises_them(level: Level, cpus: int) -> None:
    helper, sharing = container("agent", **equal("2", "1Gi", None)), container("proxy")
    facts = read(pod(container(**equal()), helper, sharing, **WHOLE))
    promises = containers_of(facts, {"server": {GPU: 1}}, level)

    assert promises["server"].cpus == cpus
    assert (promises["server"].memory > 0) == (cpus > 0)
    assert ("agent" in promises) == (cpus > 0)
    assert "proxy" not in promises


def test_what_a_container_shares_within_its_pod_is_not_promised() -> None:
    facts = read(pod(container(limits={GPU: "1"}), **WHOLE))

    assert containers_of(facts, {"server": {GPU: 1}}, Level.ALIGNED)["server"] == ContainerPromise(0, 0, {GPU: 1})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{",
        '{"v":2}',
        '{"v":1}',
        "[" * 100_000,
        "1" * 20_000,
        json.dumps(
            {
                "v": 1,
                "level": "aligned",
                "numaNodes": 1,
                "policy": "p",
                "generation": "g",
                "containers": {"a": {"cpus": "8"}},
            }
        ),
        json.dumps({"v": 1, "level": "aligned", "numaNodes": "1", "policy": "p", "generation": "g", "containers": {}}),
    ],
)
def test_what_is_no_promise_is_not_read(text: str) -> None:
    assert decode(text) is None
