"""docs/operations.md names what is there."""

import re
from pathlib import Path
from typing import Any

import metrictable
import pytest

from webhook.domain import keys
from webhook.manifests import level_guard
from webhook.manifests.crds import crds
from webhook.manifests.guard import ROLE
from webhook.manifests.overlays import NAMES

REPOSITORY = Path(__file__).parents[3]
PAGE = (REPOSITORY / "docs" / "operations.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_every_overlay_is_explained(name: str) -> None:
    assert f"`{name}`" in PAGE


def test_every_kind_of_ours_is_installed() -> None:
    definitions: list[Any] = crds()
    row = next(line for line in PAGE.splitlines() if line.startswith("| CustomResourceDefinitions |"))

    assert set(re.findall(r"`([A-Z]\w+)`", row)) == {one["spec"]["names"]["kind"] for one in definitions}


def test_every_overlay_that_a_command_names_is_there() -> None:
    named = set(re.findall(r"--overlay (\S+)|overlays/(\S+)", PAGE))

    assert {one or other for one, other in named} - {"NAME"} <= set(NAMES)


def test_every_metric_of_ours_is_there() -> None:
    found = (family for registry in metrictable.REGISTRIES.values() for family in metrictable.families(registry))
    families = {metrictable.shown_name(family) for family in found}

    assert set(re.findall(r"numagate_[a-z_]+", PAGE)) <= families


def test_the_way_to_opt_out_is_explained() -> None:
    assert f"`{keys.ADMISSION}: disabled`" in PAGE
    assert f"`{ROLE}`" in PAGE


def test_the_level_labels_and_the_right_to_lower_them_are_explained() -> None:
    assert f"`{keys.MODES[0]}`" in PAGE
    assert f"`{level_guard.ROLE}`" in PAGE


def test_break_glass_is_one_command() -> None:
    section = PAGE.partition("## Break-glass")[2].partition("```console\n")[2].partition("```")[0]

    assert section == "kubectl delete mutatingwebhookconfiguration,validatingwebhookconfiguration numagate\n"


def test_every_test_that_the_page_names_is_there() -> None:
    named = set(re.findall(r"`(test_\w+\.py)`", PAGE))

    assert {name for name in named if not list((REPOSITORY / "tests").rglob(name))} == set()


def test_every_link_leads_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)", PAGE)

    assert [link for link in links if not (REPOSITORY / "docs" / link).exists()] == []
