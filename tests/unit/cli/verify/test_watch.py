"""The options of the agent, and those that go with one look only."""

import pytest

from webhook.cli.main import main
from webhook.cli.main import parser


def test_an_agent_judges_by_the_snapshot_of_the_usual_name() -> None:
    read = parser().parse_args(["verify", "--watch"])

    assert (read.world_object, read.probe_port, read.log_level) == (("numagate-system", "numagate-world"), 8081, "info")


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ("--policy=p.yaml", "leave --policy out"),
        ("--world=w.json", "leave --world out"),
        ("--pods=-", "leave --pods out"),
        ("team-a/llm", "leave team-a/llm out"),
        ("--output=json", "leave --output out"),
        ("--strict", "leave --strict out"),
        ("--interval=9", "leave --interval out"),
        ("--interval=0", "leave --interval out"),
    ],
)
def test_what_goes_with_one_look_only_is_refused(option: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "--watch", option]) == 2
    assert told in capsys.readouterr().err


def test_a_snapshot_is_named_with_its_namespace(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parser().parse_args(["verify", "--watch", "--world-object=world"])

    assert "write NAMESPACE/NAME" in capsys.readouterr().err
