"""The plug-in folders: one constant a module, unique names, and everything that a reader of a check needs."""

import importlib
import pkgutil
from pathlib import Path
from types import ModuleType

import pytest

from webhook import registry
from webhook.domain.check import Check

FOLDERS = {
    "webhook.checks": "CHECK",
    "webhook.cli.commands": "COMMAND",
    "webhook.cli.doctor.probes": "PROBE",
    "webhook.domain.kubelet_configuration.rules": "RULE",
    "webhook.engine.shapes": "KIND",
    "webhook.formats": "FORMAT",
    "webhook.sources.topology": "SOURCE",
    "webhook.verdicts": "RULE",
    "webhook.workloads": "WORKLOAD",
}


def modules_of(package: str) -> dict[str, ModuleType]:
    """Answer the plug-in modules of `package` by their short name."""
    names = (info.name for info in pkgutil.iter_modules(importlib.import_module(package).__path__))
    return {name: importlib.import_module(f"{package}.{name}") for name in names if not name.startswith("_")}


CHECKS = modules_of("webhook.checks")


@pytest.mark.parametrize(("package", "constant"), FOLDERS.items(), ids=FOLDERS)
def test_every_module_of_a_plugin_folder_is_loaded(package: str, constant: str) -> None:
    loaded: tuple[object, ...] = registry.load(importlib.import_module(package), constant, object)

    assert loaded == tuple(getattr(module, constant) for _, module in sorted(modules_of(package).items()))
    assert loaded


@pytest.mark.parametrize(("package", "constant"), FOLDERS.items(), ids=FOLDERS)
def test_a_plugin_is_named_like_its_module(package: str, constant: str) -> None:
    names = {name: getattr(module, constant).name for name, module in modules_of(package).items()}

    assert names == {name: name.replace("_", "-") for name in names}


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_tells_what_why_and_what_instead(name: str) -> None:
    sections = [line.split(":")[0] for line in (CHECKS[name].__doc__ or "").splitlines() if ":" in line]

    assert [word for word in sections if word in {"What", "Why", "Instead"}] == ["What", "Why", "Instead"]


@pytest.mark.parametrize("name", CHECKS)
def test_the_remedy_of_a_check_is_a_sentence(name: str) -> None:
    check = CHECKS[name].CHECK

    assert isinstance(check, Check)
    assert check.remedy[:1].isupper()
    assert check.remedy.endswith(".")
    assert "\n" not in check.remedy


def test_the_page_of_rules_lists_the_kinds_of_shape_in_the_order_they_are_tried() -> None:
    page = Path(__file__).parents[2] / "docs" / "rules.md"
    lines = page.read_text(encoding="utf-8").partition("## What a misfit is told")[2].splitlines()
    rows = [line.split("`")[1] for line in lines if line.startswith("| `")]
    kinds = [module.KIND for module in modules_of("webhook.engine.shapes").values()]

    assert rows == [kind.name for kind in sorted(kinds, key=lambda kind: kind.rank)]


def test_the_page_of_verify_lists_every_rule_in_the_order_it_is_told() -> None:
    page = Path(__file__).parents[2] / "docs" / "verify.md"
    lines = page.read_text(encoding="utf-8").partition("## What is judged")[2].splitlines()
    rows = [line for line in lines if line.startswith("| `")]
    rules = sorted((module.RULE for module in modules_of("webhook.verdicts").values()), key=lambda rule: rule.rank)
    expected = [f"| `{rule.code}` | {rule.promise} |" for rule in rules]

    assert rows[: len(expected)] == expected


def test_the_page_of_rules_lists_every_check() -> None:
    page = Path(__file__).parents[2] / "docs" / "rules.md"
    rows = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    checks = [module.CHECK for _, module in sorted(CHECKS.items())]
    expected = [f"| `{one.code}` | {one.level} | {one.severity.value} | {one.remedy} |" for one in checks]

    assert rows[: len(expected)] == expected
