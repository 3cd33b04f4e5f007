"""Judges every case of the table with `numagate lint`, from files."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import casetable
import pytest
import yaml
from caseobjects import GPU
from casetable import Case
from casetable import Template

from webhook.cli.main import main

CASES = [pytest.param(case, id=case.id) for case in casetable.for_runner("lint")]
UNKNOWN = [pytest.param(case, id=case.id) for case in casetable.for_runner("lint") if not case.known]
FAILING = {"repair", "deny", "invalid", "unknown"}


def options(case: Case, folder: Path) -> Iterator[str]:
    """Name the world of the case: without a policy of its own, the built-in one and the assumed class."""
    if case.machines == (casetable.REFERENCE,) and not case.policy:
        yield from ("--governs", case.governs)
        return
    policy = folder / "policy.yaml"
    policy.write_text(yaml.safe_dump(case.policy_document), encoding="utf-8")
    yield from ("--policy", str(policy))
    for name in case.machines:
        yield from ("--profile", profile(name, folder) if name in casetable.own_machines() else name)


def profile(name: str, folder: Path) -> str:
    documents = yaml.safe_load_all(casetable.MACHINES.read_text(encoding="utf-8"))
    file = folder / f"{name}.yaml"
    file.write_text(yaml.safe_dump(next(one for one in documents if one["metadata"]["name"] == name)), encoding="utf-8")
    return str(file)


def lint(case: Case, folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, Any]:
    file = folder / "case.yaml"
    file.write_text(yaml.safe_dump_all(case.documents, sort_keys=False), encoding="utf-8")
    code = main(["lint", "--output", "json", *options(case, folder), str(file)])
    captured = capsys.readouterr()
    assert captured.err == ""
    return code, json.loads(captured.out)


def verdict(result: Any, template: Template, *, known: bool) -> dict[str, Any]:
    """What lint says about one pod, in the words of the table."""
    expect = template.expect
    said: dict[str, Any] = {
        "path": result["path"],
        "decision": result["decision"],
        "faults": places(result, template, warnings=False),
        "warns": places(result, template, warnings=True),
        "edits": bool(result["edits"]),
    }
    if not known:
        said["warns"].pop("unknown-kind", None)
    said["later"] = said["warns"].pop("completed-later", None) is not None
    if expect.decision == "deny":  # lint also shows what only appears once the edits are made
        said["faults"] = {code: said["faults"].get(code) for code in expect.faults} if covers(said, template) else said
    if expect.qos is not None:
        said["qos"] = result["qos"]
    if expect.level is not None:
        said["level"] = result["level"]
    if expect.fits is not None:
        said["fits"] = {one["name"]: one["fits"] for one in result["classes"]}
        said["fits_after"] = {one["name"]: one["fitsAfterRepair"] for one in result["classes"]}
    return said


def covers(said: dict[str, Any], template: Template) -> bool:
    """Cut what lint says to the stated places, where all of them are there."""
    for code, stated in template.expect.faults.items():
        found = said["faults"].get(code, ())
        if not set(stated) <= set(found):
            return False
        said["faults"][code] = stated
    return True


def wanted(case: Case, template: Template) -> dict[str, Any]:
    expect = template.expect
    said: dict[str, Any] = {
        "path": template.root or "spec",
        "decision": expect.decision if case.known else "unknown",
        "faults": dict(expect.faults),
        "warns": dict(expect.warns),
        "edits": expect.decision == "repair",
        "later": expect.later,
    }
    optional = {key: getattr(expect, key) for key in ("qos", "level", "fits")}
    said.update({key: value for key, value in optional.items() if value is not None})
    if expect.fits is not None:
        said["fits_after"] = expect.fits_after
    return said


def places(result: Any, template: Template, *, warnings: bool) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for finding in result["findings"]:
        if (finding["severity"] == "warning") is warnings:
            found.setdefault(finding["code"], []).append(place(finding, template.root))
    return {code: tuple(sorted(where)) for code, where in found.items()}


def place(finding: Any, root: str) -> str:
    """Name a place as the table does: container and last step, or the path inside the pod."""
    path: str = finding["path"]
    if finding["container"] is None:
        inner = path.removeprefix(root.removesuffix("spec"))
        return inner if inner.startswith(("spec", "metadata")) else f"spec{path.removeprefix(root)}"
    step = re.split(r"[.\[]", path)[-1] if not path.endswith("]") else re.findall(r"\[([^\]]*)\]$", path)[0]
    return f"{finding['container']} {'gpu' if step == GPU else step}"


@pytest.mark.parametrize("case", CASES)
def test_lint_gives_the_stated_verdict(case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, report = lint(case, tmp_path, capsys)
    said = [
        verdict(result, template, known=case.known)
        for result, template in zip(report["results"][case.judged_beside :], case.templates, strict=True)
    ]
    assert said == [wanted(case, template) for template in case.templates]


@pytest.mark.parametrize("case", CASES)
def test_lint_fails_where_something_has_to_change(
    case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, report = lint(case, tmp_path, capsys)
    decisions = {template.expect.decision for template in case.templates}
    assert code == int(not case.known or bool(decisions & FAILING))
    assert report["summary"]["ignored"] == len(case.beside) - case.judged_beside


@pytest.mark.parametrize("case", UNKNOWN)
def test_lint_names_an_unknown_kind_and_never_calls_it_fine(
    case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, report = lint(case, tmp_path, capsys)
    for result in report["results"]:
        codes = [finding["code"] for finding in result["findings"]]
        assert (result["decision"], codes[:1]) == ("unknown", ["unknown-kind"])
