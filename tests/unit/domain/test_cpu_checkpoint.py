"""The checkpoint of a static CPU manager against the CPUs that there are."""

import pytest

from webhook.domain.cpu_checkpoint import is_strict
from webhook.domain.cpu_checkpoint import refused
from webhook.domain.observation import CPU_STATE
from webhook.domain.observation import StateFile
from webhook.domain.topology import KubeletSettings

STRICT = {"strict-cpu-reservation": "true"}


@pytest.mark.parametrize(
    ("shared", "given", "strict", "reserved", "online", "what"),
    [
        (0b1111, 0, False, 0b1, 0b1111, []),
        (0b0011, 0b1100, False, 0b1, 0b1111, []),
        (0b1110, 0, True, 0b1, 0b1111, []),
        (0b1111, None, False, 0b1, 0b11111, []),
        (0b1111, 0, False, 0b1, 0, []),
        (0, 0, False, 0b1, 0b1111, []),
        (0b1110, 0, True, 0, 0b1111, []),
        (0, 0b1100, False, 0b1, 0b1111, ["has no CPUs in its shared pool, and gave some away"]),
        (0b1110, 0b1, False, 0b1, 0b1111, ["does not have the reserved CPUs 0 in its shared pool"]),
        (0b1111, 0, False, 0b1, 0b0111, ["names CPUs 3, which are not online"]),
        (0b0111, 0b1000, False, 0b1, 0b0111, ["names CPUs 3, which are not online"]),
        (0b0111, 0, False, 0b1, 0b1111, ["knows nothing of CPUs 3, which are online"]),
        (0b0110, 0, True, 0b1, 0b1111, ["knows nothing of CPUs 3, which are online"]),
        (
            0b1111,
            0,
            True,
            0b1,
            0b1111,
            ["has the reserved CPUs 0 in its shared pool, and strict-cpu-reservation keeps them out"],
        ),
    ],
)
def test_a_kubelet_starts_where_the_file_names_exactly_the_cpus_that_there_are(
    shared: int, given: int | None, *, strict: bool, reserved: int, online: int, what: list[str]
) -> None:
    settings = KubeletSettings(cpu_manager_policy="static", cpu_manager_policy_options=STRICT if strict else {})
    file = StateFile(CPU_STATE, "static", shared, given)

    assert list(refused(file, settings, reserved=reserved, online=online)) == what


@pytest.mark.parametrize(
    ("policy", "options", "strict"),
    [("static", STRICT, True), ("static", {}, False), ("none", STRICT, False), ("static", {"odd": "true"}, False)],
)
def test_whether_reserved_cpus_are_kept_out(policy: str, options: dict[str, str], *, strict: bool) -> None:
    assert is_strict(KubeletSettings(cpu_manager_policy=policy, cpu_manager_policy_options=options)) is strict
