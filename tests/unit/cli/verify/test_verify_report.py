"""What a report says of a node in all outputs: outcomes, exit, promise, memory."""

import errno
import json
import os
from dataclasses import replace

import pytest
from observednodes import container
from verifications import USUAL
from verifications import reported

from webhook.cli.drawing.spans import plain
from webhook.cli.verify import as_html
from webhook.cli.verify import as_json
from webhook.cli.verify import as_text
from webhook.cli.verify import report as words
from webhook.domain.expectation import Expectation
from webhook.domain.observation import Interface
from webhook.domain.observation import Machine
from webhook.domain.observation import Unread
from webhook.domain.verdict import Unjudged


def test_a_report_shows_the_pods_that_were_asked_for() -> None:
    wanted = ["team-b/sgl", "team-x/none", "sgl", "team-c/web", "team-x/none"]
    report = reported(USUAL, *wanted)

    assert [one.name for one in report.pods] == ["team-b/sgl"]
    assert list(words.missing(report, wanted, lambda pod: f"of {pod['metadata']['name']}")) == [
        "team-x/none is not on this node, or has ended",
        "sgl has no namespace: write NAMESPACE/sgl",
        "team-c/web is promised nothing: of web",
    ]


SHARED = {"server": {"effective": "0-15", "devices": {"gpu-0": 0}}}
LOOSE = {"pods": {"team-a/llm": {"containers": {"server": "1500m/8Gi/1"}, "shows": SHARED}}}
"""A pod that has its GPU, and may run anywhere."""


def test_an_aligned_pod_whose_cpus_were_never_promised_says_so_in_every_output() -> None:
    report = reported(LOOSE)
    told = words.unpinned(report.pods[0].verdict)

    assert report.summary == "1 pod with a promise: 1 aligned (1 without CPUs of their own)"
    assert told.startswith("no CPUs of its own were promised to server, which may run on any NUMA node: ask for whole ")
    assert told in " ".join(plain(as_text.lines(report, 120)).split())
    assert f"{told}.</p>" in as_html.write(report)
    assert "<span>without CPUs of its own</span>" in as_html.write(report)
    assert json.loads(as_json.write(report))["pods"][0]["unpinned"] == ["server"]


UNBOUND = "since this node binds no memory: 20 % of Own is on NUMA node 0, with its CPUs"


@pytest.mark.parametrize(
    ("kubelet", "started", "told"),
    [
        (
            {"memory": "None"},
            600,
            "not judged, since this node binds no memory: 20 % of Own is on NUMA node 0, with its CPUs",
        ),
        ({"memory": "None"}, 1, ""),
        ({}, 600, ""),
    ],
    ids=["binds none", "too early", "judged"],
)
def test_memory_that_no_rule_judges_is_told_beside_its_table(kubelet: dict[str, str], started: int, told: str) -> None:
    memory = {"anonymous": {0: 100, 1: 400}, "files": {0: 5000}}
    shows = {"cpus": "2-5", "mems": "", "devices": {"gpu-0": 0}, "started": started, "processes": [{"memory": memory}]}
    pods = {"team-a/llm": {"containers": {"server": "4/8Gi/1"}, "shows": {"server": shows}}}
    report = reported({"pods": pods, "kubelet": kubelet})
    (shown,) = report.pods

    assert [words.unbound(shown, one, report.observation.machine) for one in shown.containers] == [told]
    assert told in " ".join(plain(as_text.lines(report, 120)).split())
    assert (f'<p class="note">{told}.</p>' in as_html.write(report)) == bool(told)


def test_of_a_pod_with_cpus_of_its_own_nothing_is_missing() -> None:
    (shown,) = reported({"pods": {"team-a/llm": USUAL["pods"]["team-a/llm"]}}).pods

    assert words.unpinned(shown.verdict) == ""


def test_of_many_pods_that_are_not_judged_some_are_named_and_the_rest_is_counted() -> None:
    many = tuple(Unjudged("team-a", f"llm-{number}", "no policy matches") for number in range(10))

    told = list(words.unjudged(replace(reported().verdict, unjudged=many)))

    assert told[0] == "team-a/llm-0: no policy matches"
    assert told[8:] == ["2 more pods with devices"]


def test_a_misaligned_pod_a_forged_promise_and_a_fault_each_break_the_report() -> None:
    pods = USUAL["pods"]
    good, bad = {"team-a/llm": pods["team-a/llm"]}, {"team-b/sgl": pods["team-b/sgl"]}
    aligned = {**pods["team-b/sgl"]["shows"]["engine"], "cpus": "2-5", "mems": "0", "processes": [{}]}
    forged = {"team-b/sgl": {**pods["team-b/sgl"], "shows": {"engine": aligned}}}

    assert not reported({"pods": good}).broken
    assert reported({"pods": bad}).broken
    assert reported({"pods": forged}).broken
    assert reported({"pods": good, "state_files": USUAL["state_files"]}).broken


def test_one_numa_node_is_counted_as_one() -> None:
    claimed = Expectation("aligned", 1, {}, "default", "x")

    assert words.claim(claimed) == "1 NUMA node, nothing"
    assert words.claim(replace(claimed, numa_nodes=2)) == "2 NUMA nodes, nothing"


def test_an_unknown_verdict_is_a_doubt_and_no_break() -> None:
    report = reported({"pods": {"team-c/young": USUAL["pods"]["team-c/young"]}})

    assert (report.broken, report.doubtful) == (False, True)


def test_a_node_whose_machine_or_grants_cannot_be_read_is_not_judged_at_all() -> None:
    nothing = Machine((), 0, unread=(Unread("cells", "/sys/devices/system/node: no such file"),))
    report = reported(machine=nothing)

    assert report.blind == "the NUMA nodes of this machine cannot be read: /sys/devices/system/node: no such file"
    assert reported(machine=replace(nothing, unread=())).blind.endswith("sysfs shows none")
    assert (
        reported(unread=(Unread("grants", "refused"),)).blind == "what the kubelet gave to whom cannot be read: refused"
    )
    assert reported(unread=(Unread("kubelet", "refused"),)).blind == ""


@pytest.mark.parametrize(
    ("number", "remedy"),
    [
        (errno.ENOENT, "; run it on the node, or give --kubelet-dir"),
        (errno.EACCES, "; run it as root"),
        (errno.ECONNREFUSED, "; nobody answers there: start the kubelet"),
    ],
)
def test_what_the_system_says_has_its_remedy(number: int, remedy: str) -> None:
    assert reported(unread=(Unread("grants", f"/x: {os.strerror(number)}"),)).blind.endswith(remedy)


def test_a_machine_that_is_not_there_has_its_remedy() -> None:
    nothing = Machine((), 0, unread=(Unread("online", f"/sys/x: {os.strerror(errno.ENOENT)}"),))

    assert reported(machine=nothing).blind.endswith("; run it on the node, or give --sys")


def test_memory_is_added_up_as_numastat_does_and_files_stand_apart() -> None:
    own = {"anonymous": {0: 3, 1: 1}, "heap": {0: 2}, "files": {1: 5}}
    table = words.memory(container("server", {"processes": [{"memory": own}, {"memory": own}, {"memory": "?"}]}))

    assert table is not None
    assert table.columns == ("Node 0", "Node 1", "Total")
    assert dict(table.rows)["Private"] == (6 << 20, 2 << 20, 8 << 20)
    assert (table.own, table.files) == ((10 << 20, 2 << 20, 12 << 20), (0, 10 << 20, 10 << 20))


def test_of_many_numa_nodes_those_with_most_memory_have_a_column() -> None:
    own = {"anonymous": {cell: 100 - cell for cell in range(9)}}
    table = words.memory(container("server", {"processes": [{"memory": own}]}))

    assert table is not None
    assert table.columns == ("Node 0", "Node 1", "Node 2", "Node 3", "Node 4", "Node 5", "Others", "Total")
    assert table.own[-2:] == ((94 + 93 + 92) << 20, sum(range(92, 101)) << 20)


def test_without_any_readable_memory_there_is_no_table() -> None:
    assert words.memory(container("server", {"processes": [{"memory": "?"}]})) is None


def test_the_same_reason_is_told_once() -> None:
    report = reported(unread=(Unread("grants", "refused"), Unread("devices", "refused"), Unread("kubelet", "gone")))

    assert [one.field for one in words.unread(report)] == ["grants", "kubelet"]


def test_interrupts_of_a_network_interface_are_told_where_both_places_are_known() -> None:
    seen = reported().observation
    nics = (
        Interface("eth0", 0, 0b11),
        Interface("eth1", 1, 0b1_0000_0001),
        Interface("virtual", None, 1),
        Interface("unread", 0, None),
    )

    assert list(words.interfaces(replace(seen, machine=replace(seen.machine, interfaces=nics)))) == [
        "eth0 on NUMA node 0, its interrupts there (CPUs 0-1)",
        "eth1 on NUMA node 1, its interrupts on NUMA nodes 0-1 (CPUs 0,8)",
    ]
