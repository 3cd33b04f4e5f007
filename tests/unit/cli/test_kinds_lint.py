"""Every kind that carries pods is linted: accepted, repaired and refused, whatever form its pods have."""

import json
from pathlib import Path
from typing import Any

import kindtable
import pytest
import yaml
from caseobjects import Object
from kindtable import Sample

from webhook.cli.main import main


def given(*outcomes: str) -> list[Any]:
    return [pytest.param(sample, found, id=sample.id) for sample, found in kindtable.objects(*outcomes)]


def lint(found: Object, folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[Any]]:
    file = folder / "sample.yaml"
    file.write_text(yaml.safe_dump(found), encoding="utf-8")
    code = main(["lint", "--output", "json", "--governs", "accelerators", str(file)])
    return code, json.loads(capsys.readouterr().out)["results"]


@pytest.mark.parametrize(("sample", "found"), given("accepted"))
def test_an_aligned_object_is_accepted(
    sample: Sample, found: Object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, results = lint(found, tmp_path, capsys)

    assert (code, {one["path"]: (one["decision"], one["pods"]) for one in results}) == (
        0,
        {path: ("accept", pods) for path, pods in sample.pods.items()},
    )


@pytest.mark.parametrize(("sample", "found"), given("repaired"))
def test_an_odd_number_of_cpus_is_repaired_where_it_is_written(
    sample: Sample, found: Object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, results = lint(found, tmp_path, capsys)

    assert (code, {one["decision"] for one in results}) == (1, {"repair"})
    edit = results[0]["edits"][0]
    assert (edit["path"], edit["old"], edit["new"]) == (sample.cpu, "7", "8")
    assert results[0]["findings"][0]["code"] == "partial-core"


@pytest.mark.parametrize(("sample", "found"), given("refused"))
def test_more_accelerators_than_a_numa_node_has_are_refused_where_they_are_written(
    sample: Sample, found: Object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, results = lint(found, tmp_path, capsys)

    assert (code, {one["decision"] for one in results}) == (1, {"deny"})
    finding = results[0]["findings"][0]
    block = sample.cpu.removesuffix("[cpu]").removesuffix(".cpu")
    assert (finding["code"], finding["path"].startswith(block)) == ("misfit", True)


@pytest.mark.parametrize(("sample", "found"), given("unseen"))
def test_an_object_that_leaves_its_resources_to_the_operator_is_never_called_fine(
    sample: Sample, found: Object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, results = lint(found, tmp_path, capsys)

    told = {(one["decision"], one["kind"], *(finding["code"] for finding in one["findings"])) for one in results}
    assert (code, told) == (0, {("warn", sample.kind, "unseen-resources")})


def test_an_object_whose_pods_come_from_another_one_is_without_pods(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for sample in kindtable.load():
        if sample.elsewhere is not None:
            assert lint(sample.elsewhere, tmp_path, capsys) == (0, [])
