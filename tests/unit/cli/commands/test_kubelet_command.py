"""`numagate kubelet`: check with its exit codes and outputs, state files, and generate."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from configurationtable import base

from webhook.cli.main import main
from webhook.sources.machines import list_machines

PROFILE = """\
apiVersion: numagate.io/v1alpha1
kind: NodeProfile
metadata: {name: pair}
spec:
  numa:
  - {id: 0, memory: 32Gi, cpus: "0-3,8-11", threadsPerCore: 2, distances: [10, 20]}
  - {id: 1, memory: 32Gi, cpus: "4-7,12-15", threadsPerCore: 2, distances: [20, 10]}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Answer a folder with a sound configuration, and the profile of its machine."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pair.yaml").write_text(PROFILE, "utf-8")
    write(tmp_path / "good.yaml", base())
    return tmp_path


def write(path: Path, *documents: dict[str, Any]) -> None:
    """Write documents."""
    path.write_text(yaml.safe_dump_all(documents, sort_keys=False), "utf-8")


def check(*arguments: str) -> int:
    """Run numagate kubelet check."""
    return main(["kubelet", "check", *arguments])


@pytest.mark.usefixtures("folder")
def test_a_sound_configuration_ends_with_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert check("good.yaml", "--node", "pair.yaml") == 0
    assert capsys.readouterr().out == "good.yaml: kubelet 1.37 on pair starts (0 errors, 0 warnings)\n"


def test_a_kubelet_that_does_not_start_ends_with_1(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder / "bad.yaml", base(reservedSystemCPUs=None, topologyManagerPolicy="best-effort"))

    assert check("bad.yaml", "--node", "pair.yaml") == 1
    cpus, policy, verdict = capsys.readouterr().out.splitlines()
    assert cpus == (
        "bad.yaml: error: reservedSystemCPUs: cpuManagerPolicy static needs CPUs for the system, and none are "
        'reserved; add reservedSystemCPUs: "0,4,8,12" [cpu-reservation]'
    )
    assert policy == (
        "bad.yaml:18: warning: topologyManagerPolicy (best-effort): pods that cannot be aligned are admitted all the "
        "same; write topologyManagerPolicy: single-numa-node, or restricted for pods that need several NUMA nodes "
        "[unaligned-policy]"
    )
    assert verdict == "bad.yaml: kubelet 1.37 on pair does not start (1 error, 1 warning)"


@pytest.mark.parametrize(("options", "code"), [((), 0), (("--strict",), 1)])
def test_warnings_count_where_asked(folder: Path, options: tuple[str, ...], code: int) -> None:
    write(folder / "warned.yaml", base(topologyManagerPolicy="best-effort"))

    assert check("warned.yaml", *options) == code


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("version", "said"),
    [
        ("1.36", "kubelet 1.36 on pair starts"),
        ("v1.36.2", "kubelet 1.36 on pair starts"),
        ("1.35.4-eks-1a2b", "kubelet 1.35 on pair starts"),
        ("1.38", "kubelet 1.38 (judged as 1.37) on pair starts"),
    ],
)
def test_the_answer_says_which_version_it_is_about(capsys: pytest.CaptureFixture[str], version: str, said: str) -> None:
    assert check("good.yaml", "--node", "pair.yaml", "--version", version) == 0
    assert said in capsys.readouterr().out


@pytest.mark.usefixtures("folder")
def test_without_a_machine_the_answer_says_what_was_not_looked_at(capsys: pytest.CaptureFixture[str]) -> None:
    assert check("good.yaml") == 0
    assert "may start: name a machine with --node" in capsys.readouterr().out


def test_the_answer_of_configz_and_the_configmap_of_kubeadm_are_read(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = base(topologyManagerScope="node")
    served = {key: value for key, value in wrong.items() if key not in {"apiVersion", "kind"}}
    (folder / "configz.json").write_text(json.dumps({"kubeletconfig": served}), "utf-8")
    kubeadm = {"apiVersion": "v1", "kind": "ConfigMap", "data": {"kubelet": yaml.safe_dump(wrong)}}
    write(folder / "map.yaml", {"kind": "Other"}, kubeadm, wrong)

    codes = check("configz.json"), check("map.yaml")

    told = [line for line in capsys.readouterr().out.splitlines() if "[unknown-policy]" in line]
    assert codes == (1, 1)
    assert [line.partition(": error")[0].rpartition(":")[0] for line in told] == [
        "configz.json",
        "map.yaml (data.kubelet)",
        "map.yaml",
    ]


def test_json_has_every_part_of_a_finding(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder / "bad.yaml", base(topologyManagerScope="node"))

    assert check("bad.yaml", "--node", "pair.yaml", "--version", "1.36", "--output", "json") == 1
    assert json.loads(capsys.readouterr().out) == {
        "schema": "numagate.io/kubelet-check/v1",
        "configurations": [
            {
                "source": "bad.yaml",
                "version": "1.36",
                "judgedAs": "1.36",
                "node": "pair",
                "starts": False,
                "findings": [
                    {
                        "code": "unknown-policy",
                        "severity": "error",
                        "field": "topologyManagerScope",
                        "line": 20,
                        "value": "node",
                        "message": 'this is not one of: "container", "pod" (capitals matter)',
                        "remedy": "write one of container, pod",
                    }
                ],
            }
        ],
        "stateFiles": None,
        "steps": [],
    }


def test_what_a_file_says_cannot_write_on_the_terminal(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hostile = "\x1b[2J\n::error::"
    wrong = base(topologyManagerPolicy=hostile, featureGates={hostile: True})
    (folder / "bad.json").write_text(json.dumps(wrong), "utf-8")

    assert check("bad.json", "--node", "pair.yaml") == 1
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert not [line for line in out.splitlines() if not line.startswith("bad.json")]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nothing.yaml",), "nothing.yaml"),
        (("pair.yaml",), "no KubeletConfiguration in it, but a NodeProfile: name the file"),
        (("kindless.yaml",), "no KubeletConfiguration in it, but a map without kind: KubeletConfiguration: name"),
        (("empty.yaml",), "no KubeletConfiguration in it, which is empty: name"),
        (("broken.yaml",), "not valid YAML"),
        (("good.yaml", "--node", "no-such-machine"), "no-such-machine"),
        (("good.yaml", "--node", "two.yaml"), "2 NodeProfiles in it"),
        (("good.yaml", "--version", "2.0"), "2.0 is no version"),
        (("good.yaml", "--version", "1.20"), "1.20 is no version"),
        (("good.yaml", "--version", "1.36."), "1.36. is no version"),
        (("good.yaml", "--version", "1.36.x"), "1.36.x is no version"),
        (("good.yaml", "--was", "pair.yaml"), "no KubeletConfiguration in it"),
        (("twice.yaml", "--was", "good.yaml"), "2 configurations in it"),
        (("good.yaml", "--was", "twice.yaml"), "twice.yaml: 2 configurations in it"),
        (("good.yaml", "--state-dir", "nowhere"), "--state-dir nowhere: no such folder"),
        (("good.yaml", "--state-dir", "good.yaml"), "--state-dir good.yaml: no such folder"),
        (("good.yaml", "--state-dir", ""), "no such folder"),
        (("good.yaml", "--state-dir", "states"), "cpu_manager_state: Is a directory"),
        (("-", "--was", "-"), "--was -: stdin can be read once only"),
    ],
    ids=str,
)
def test_what_cannot_be_read_ends_with_2(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    (folder / "broken.yaml").write_text("a: [", "utf-8")
    (folder / "kindless.yaml").write_text("cpuManagerPolicy: static", "utf-8")
    (folder / "empty.yaml").write_text("---\n# nothing\n", "utf-8")
    (folder / "two.yaml").write_text(f"{PROFILE}---\n{PROFILE.replace('pair', 'other')}", "utf-8")
    write(folder / "twice.yaml", base(), base())
    (folder / "states" / "cpu_manager_state").mkdir(parents=True)

    assert check(*arguments) == 2
    assert said in capsys.readouterr().err


def test_a_change_of_policy_tells_which_state_files_go_and_how(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder / "old.yaml", base(cpuManagerPolicy=None, cpuManagerPolicyOptions=None))

    assert check("good.yaml", "--node", "pair.yaml", "--strict") == 0
    assert check("good.yaml", "--node", "pair.yaml", "--was", "old.yaml", "--strict") == 1
    capsys.readouterr()
    assert check("good.yaml", "--node", "pair.yaml", "--was", "old.yaml") == 0
    assert capsys.readouterr().out.splitlines()[1:] == [
        "cpu_manager_state has to go: cpuManagerPolicy changes from none to static",
        "  1. kubectl drain NODE --ignore-daemonsets --delete-emptydir-data",
        "  2. systemctl stop kubelet",
        "  3. rm -f /var/lib/kubelet/cpu_manager_state",
        "  4. put the new configuration in place, then: systemctl start kubelet",
        "  5. kubectl uncordon NODE",
    ]


def test_state_files_are_held_against_the_configuration(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cpus = {"policyName": "static", "defaultCpuSet": "1-7,9-15"}
    (folder / "cpu_manager_state").write_text(json.dumps({"policyName": "none", "data": json.dumps(cpus)}), "utf-8")
    (folder / "memory_manager_state").write_text(json.dumps({"policyName": "None"}), "utf-8")

    assert check("good.yaml", "--node", "pair.yaml", "--state-dir", str(folder), "--output", "json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["stateFiles"] == [
        {"name": "cpu_manager_state", "reason": "it does not have the reserved CPUs 0,8 in its shared pool"},
        {"name": "memory_manager_state", "reason": "policy None wrote it, and the configuration says Static"},
    ]
    assert f"rm -f {folder}/cpu_manager_state {folder}/memory_manager_state" in found["steps"]


@pytest.mark.parametrize("content", ["", "{", "[]", '{"policyName": "static", "defaultCpuSet": "x"}'])
def test_a_state_file_that_is_no_checkpoint_has_to_go_and_hides_no_other(
    folder: Path, capsys: pytest.CaptureFixture[str], content: str
) -> None:
    (folder / "cpu_manager_state").write_text(content, "utf-8")
    (folder / "memory_manager_state").write_text(json.dumps({"policyName": "None"}), "utf-8")

    assert check("good.yaml", "--node", "pair.yaml", "--state-dir", ".") == 0
    lines = capsys.readouterr().out.splitlines()
    assert sorted(line for line in lines if "has to go" in line) == [
        "cpu_manager_state has to go: it cannot be read: it is no checkpoint of the kubelet",
        "memory_manager_state has to go: policy None wrote it, and the configuration says Static",
    ]
    assert "  3. rm -f ./cpu_manager_state ./memory_manager_state" in lines


@pytest.mark.usefixtures("folder")
def test_where_no_state_file_has_to_go_that_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert check("good.yaml", "--was", "good.yaml") == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["no state file has to be removed"]


def test_a_configuration_that_cannot_be_read_is_told_before_state_files(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder / "bad.yaml", base(maxPods="many"))

    assert check("bad.yaml", "--was", "good.yaml") == 1
    printed = capsys.readouterr()
    assert "state file" not in printed.out
    assert "does not start (1 error, 0 warnings) (the rest is judged once these can be read)" in printed.out
    assert printed.err == "numagate: state files are not compared: mend first what cannot be read in bad.yaml\n"


@pytest.mark.parametrize("machine", list_machines())
def test_what_is_generated_passes_the_check_without_a_warning(
    machine: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["kubelet", "generate", "--node", machine]) == 0
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(capsys.readouterr().out.encode())))

    assert check("-", "--node", machine, "--strict") == 0, capsys.readouterr().out


@pytest.mark.usefixtures("folder")
def test_wishes_are_heeded(capsys: pytest.CaptureFixture[str]) -> None:
    wishes = ("--policy", "restricted", "--scope", "container", "--system-cpus", "6", "--system-memory", "6Gi")
    options = ("--option", "distribute-cpus-across-numa=true", "--option", "prefer-closest-numa-nodes=true")

    assert main(["kubelet", "generate", "--node", "pair.yaml", "--version", "1.35", *wishes, *options]) == 0
    made = yaml.safe_load(capsys.readouterr().out)
    assert {key: made[key] for key in made if key not in {"evictionHard", "apiVersion", "kind"}} == {
        "cpuManagerPolicy": "static",
        "cpuManagerPolicyOptions": {"full-pcpus-only": "true", "distribute-cpus-across-numa": "true"},
        "reservedSystemCPUs": "0-1,4,8-9,12",
        "memoryManagerPolicy": "Static",
        "systemReserved": {"memory": "6044Mi"},
        "reservedMemory": [
            {"numaNode": 0, "limits": {"memory": "3Gi"}},
            {"numaNode": 1, "limits": {"memory": "3Gi"}},
        ],
        "topologyManagerPolicy": "restricted",
        "topologyManagerScope": "container",
        "topologyManagerPolicyOptions": {"prefer-closest-numa-nodes": "true"},
    }


@pytest.mark.parametrize(
    ("wishes", "said"),
    [
        (("--option", "align-by-socket=true"), "align-by-socket contradicts topologyManagerPolicy single-numa-node"),
        (("--option", "full-pcpus=true"), "full-pcpus is no option"),
        (("--system-memory", "64Mi"), "is too little: reserve more than 100Mi"),
        (("--system-memory", "lots"), "--system-memory: 'lots' is not a quantity"),
        (("--system-memory", "10%"), "--system-memory: "),
        (("--system-memory", ""), "--system-memory: "),
        (("--system-memory", "100Gi"), "--system-memory 100Gi: systemReserved.memory: "),
        (("--system-memory", "64Gi"), "--system-memory 64Gi: systemReserved.memory: "),
        (("--system-memory", "50Gi", "--node", "uneven.yaml"), "--system-memory 50Gi: reservedMemory: NUMA node 1 "),
        (("--system-cpus", "16"), "--system-cpus 16: reservedSystemCPUs: all 16 CPUs of the machine are reserved"),
        (("--system-cpus", "99"), "--system-cpus 99: reservedSystemCPUs: all 16 CPUs of the machine are reserved"),
        (("--option", "full-pcpus-only"), '--option: "full-pcpus-only" has no value: write NAME=VALUE'),
        (("--option", "=true"), "write NAME=VALUE"),
    ],
    ids=str,
)
def test_a_wish_that_does_not_start_is_not_written(
    folder: Path, capsys: pytest.CaptureFixture[str], wishes: tuple[str, ...], said: str
) -> None:
    uneven = PROFILE.replace('{id: 1, memory: 32Gi, cpus: "4-7', '{id: 1, memory: 24Gi, cpus: "4-7')
    (folder / "uneven.yaml").write_text(uneven, "utf-8")

    assert main(["kubelet", "generate", "--node", "pair.yaml", *wishes]) == 2
    printed = capsys.readouterr()
    assert said in printed.err
    assert printed.out == ""


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("option", "why"),
    [
        ("full-pcpus-only=true", "# full-pcpus-only: no two containers share a core."),
        ("strict-cpu-reservation=true", "# full-pcpus-only: no two containers share a core."),
        ("full-pcpus-only=false", "# As wished."),
        ("distribute-cpus-across-cores=true", "# As wished."),
    ],
)
def test_a_comment_says_what_the_option_below_it_does(
    capsys: pytest.CaptureFixture[str], option: str, why: str
) -> None:
    assert main(["kubelet", "generate", "--node", "pair.yaml", "--option", option]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[lines.index("cpuManagerPolicyOptions:") - 1] == why


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("wishes", "said"),
    [
        (("--policy", "best-effort"), "numagate: warning: topologyManagerPolicy: pods that cannot be aligned"),
        (("--option", "distribute-cpus-across-cores=true"), "is alpha in 1.37"),
    ],
    ids=str,
)
def test_what_is_chosen_by_name_is_written_and_warned_of(
    capsys: pytest.CaptureFixture[str], wishes: tuple[str, ...], said: str
) -> None:
    assert main(["kubelet", "generate", "--node", "pair.yaml", *wishes]) == 0
    printed = capsys.readouterr()
    assert said in printed.err
    assert "kind: KubeletConfiguration" in printed.out


def test_no_cpus_at_all_are_no_number(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["kubelet", "generate", "--node", "dgx-h100", "--system-cpus", "0"])
    assert "0 is no number of CPUs" in capsys.readouterr().err
