"""The page of workloads lists every kind with its paths."""

from pathlib import Path

from webhook.domain import pod_path
from webhook.domain.pod_count import Factor
from webhook.domain.pod_source import PodSource
from webhook.domain.workload import Workload
from webhook.engine.kinds import REGISTERED

PAGE = (Path(__file__).parents[3] / "docs" / "workloads.md").read_text(encoding="utf-8")


def rows_after(head: str) -> list[str]:
    lines = PAGE.partition(head)[2].partition("|\n|---")[2].splitlines()[1:]
    return [line for line in lines[: next((n for n, line in enumerate(lines) if not line), len(lines))] if line]


def row(kind: Workload) -> str:
    api = "/".join(filter(None, (kind.group, ", ".join(kind.versions))))
    whole = "" if kind.namespaced else " (of the whole cluster)"
    pods = "<br>".join(map(place, kind.pods))
    counts = "<br>".join(number(source.count) for source in kind.pods)
    by = ", ".join(dict.fromkeys(source.completed_by for source in kind.pods if source.completed_by))
    return f"| {kind.kind}{whole} | {api} | {pods} | {counts} | {by} |"


def place(source: PodSource) -> str:
    whole = f"`{pod_path.write((*source.base, *(source.spec or ())))}`"
    inside = next((one.at or one.resources for one in source.containers), None)
    return f"{whole} with `{pod_path.write(inside)}`" if inside else whole


def number(factors: tuple[Factor, ...]) -> str:
    told = [f"{one.path[-1]}{'' if one.less is None else '-1'}" for one in factors if one.path is not None]
    return " \u00d7 ".join(f"`{text}`" for text in told) or ("1" if factors else "")


def test_the_page_lists_every_kind_with_its_paths() -> None:
    assert rows_after("## The kinds") == [
        row(kind) for kind in sorted(REGISTERED, key=lambda one: (one.group, one.kind))
    ]
