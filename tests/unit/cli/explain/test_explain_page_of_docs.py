"""docs/explain.md shows what the command prints, and names its options and JSON fields."""

import json
from pathlib import Path

import pytest
from explanations import explained_text

from webhook.cli.explain import as_json
from webhook.cli.main import main

ROOT = Path(__file__).parents[4]
PAGE = (ROOT / "docs" / "explain.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
SAMPLE = "webhook/data/samples/aligned.yaml"
COMMAND = f"$ numagate explain {SAMPLE} --profile two-socket-32c\n"


def test_the_example_is_what_the_command_prints(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(ROOT)
    main(["explain", SAMPLE, "--profile", "two-socket-32c"])
    told = capsys.readouterr().out

    assert f"```console\n{COMMAND}{told}```" in PAGE
    drawing = told[told.index("  ┌") : told.index("  topologyManagerPolicy")]
    assert drawing in README


def test_every_field_of_the_json_is_named() -> None:
    explanation = explained_text((ROOT / SAMPLE).read_text(encoding="utf-8"))
    (template,) = json.loads(as_json.write(explanation))["templates"]
    (one,) = template["classes"]
    names = {*template, *one, *one["kubelet"], *one["placements"][0], *one["merges"][0], *one["machine"]}
    names |= {*one["merges"][0]["hints"][0], *one["merges"][0]["merged"], *one["machine"]["cells"][0]}

    assert {
        name for name in names if f"`{name}`" not in PAGE and f"`{name}[]`" not in PAGE and f"…{name}" not in PAGE
    } == set()


def test_every_option_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["explain", "--help"])
    options = {word.strip("[],") for word in capsys.readouterr().out.split() if word.strip("[],").startswith("--")}

    assert {option for option in options - {"--help"} if option not in PAGE} == set()
