"""The page: everything in one file, nothing that runs or loads, nothing unescaped."""

import re
from html.parser import HTMLParser
from typing import Any

import pytest
from builders import GPU
from builders import container
from builders import equal
from builders import pod
from explanations import HOSTILE
from explanations import explained
from explanations import explained_text
from kubelets import machine

from webhook.cli.drawing import html_tags
from webhook.cli.explain import as_html

VOID = {"meta", "rect"}
UNEQUAL = pod(container(**{**equal("8"), "requests": {"cpu": "4", "memory": "32Gi", GPU: "1"}}))


class Reader(HTMLParser):
    """Reads a page strictly: every element is closed in order."""

    def __init__(self) -> None:
        """Start outside of everything."""
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element."""
        self.tags.add(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element without content."""
        self.tags.add(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        """Close the innermost element."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Note text."""
        self.text.append(data)


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return reader


def page(*objects: dict[str, Any], **options: Any) -> str:
    return as_html.write(explained(*objects, **options))


def test_a_page_tells_pod_verdict_placement_and_hints() -> None:
    text = " ".join(read(page(pod(container(**equal("16", "64Gi", 2))))).text)

    assert "two-socket-32c" in text
    assert "an empty node takes 2 such pods, aligned" in text
    assert "CPUs 0-15 on NUMA node 0; memory 64Gi on NUMA node 0; nvidia.com/gpu gpu-0, gpu-1" in text
    assert "container server" in text
    assert "preferred: admitted" in text


def test_a_refusal_has_the_kubelets_words_and_the_shapes() -> None:
    text = " ".join(read(page(pod(container(**equal("8", "32Gi", 9))))).text)

    assert "TopologyAffinityError: Resources cannot be allocated with Topology locality" in text
    assert "container server: 9 nvidia.com/gpu never fit one NUMA node" in text
    assert "no NUMA nodes can serve it" in text


def test_shapes_that_fit_and_idle_accelerators_are_told() -> None:
    assert "<li>run 2 replicas of 4 GPUs, 4 CPUs and 16Gi each</li>" in page(pod(container(**equal("8", "32Gi", 8))))
    assert "<dt>stranded</dt><dd>3 of 4 nvidia.com/gpu stay" in page(pod(container(**equal("28", "16Gi", 1))))


def test_a_repair_is_listed_and_our_reason_stands_beside_the_kubelets() -> None:
    assert "requests[cpu]: 8</code> (line" in page(UNEQUAL)
    assert "<dt>numagate</dt><dd>container server gets no exclusive CPUs</dd>" in page(UNEQUAL, as_written=True)


def test_a_page_loads_and_runs_nothing() -> None:
    reader = read(page(UNEQUAL, pod(container(**equal("8", "32Gi", 9))), machine="gb200-tray-numa"))

    assert reader.tags & {"script", "link", "img", "iframe", "object", "form", "base"} == set()
    assert [value for name, value in reader.attributes if name in {"src", "srcset", "style"} or name[:2] == "on"] == []
    assert [value for name, value in reader.attributes if name == "href" and not str(value).startswith("#")] == []
    style = html_tags.STYLE.read_text(encoding="utf-8")
    assert re.findall(r"url\(|@import|https?:", style) == []


def test_the_style_sheet_has_every_colour_in_both_schemes() -> None:
    style = html_tags.STYLE.read_text(encoding="utf-8")
    names = sorted(set(re.findall(r"var\((--\w+)\)", style)))

    assert {name: len(re.findall(rf"{name}: #", style)) for name in names} == dict.fromkeys(names, 3)


def test_one_hostile_manifest_cannot_leave_the_text() -> None:
    named = container(HOSTILE, image=HOSTILE, limits={GPU: "1", "cpu": "4", "memory": "8Gi", HOSTILE: "1"})
    metadata = {"name": HOSTILE, "namespace": HOSTILE, "annotations": {HOSTILE: HOSTILE}}
    hostile = {**pod(named), "metadata": metadata}
    unknown = {"apiVersion": HOSTILE, "kind": HOSTILE, "metadata": metadata, HOSTILE: {"spec": hostile["spec"]}}
    made = page(hostile, unknown, {"kind": HOSTILE}, pod(container(HOSTILE, limits={GPU: HOSTILE})))
    reader = read(made)

    assert "script" not in reader.tags
    assert "<script>alert(1)</script>" in " ".join(reader.text)
    assert all(character.isprintable() for character in made.replace("\n", ""))


def test_policy_none_and_no_preference_are_words() -> None:
    helper = container("proxy", image="registry.example/proxy:1", **equal("100m", "1Gi", None))

    assert "no hints are asked for" in page(pod(container(**equal("4", "8Gi", 1))), classes=(machine("none"),))
    assert "no preference" in page(pod(container(**equal("4", "8Gi", 1)), helper))


def test_where_nothing_of_a_kubelet_answers_no_hints_are_told() -> None:
    broken = machine(cpu_manager_policy_options={"a": "true"})
    made = page(pod(container(**equal("4", "8Gi", 1))), classes=(broken,))

    assert "(startup)" in made
    assert "what they merge to" not in made


def test_classes_that_the_pod_does_not_go_to_are_listed() -> None:
    assert "<b>aurora-pvc</b>: has no nvidia.com/gpu" in page(pod(), machine="aurora-pvc")


@pytest.mark.parametrize(("count", "folded"), [(12, 0), (13, 3)])
def test_long_lists_are_folded(count: int, folded: int) -> None:
    helpers = [
        container(f"h{n}", image="registry.example/proxy:1", **equal("100m", "1Gi", None)) for n in range(count - 1)
    ]

    assert page(pod(container(**equal("4", "8Gi", 1)), *helpers)).count("<details>") == folded


def test_what_is_not_explained_is_told() -> None:
    made = as_html.write(explained_text("a: 1\na: 2\n---\napiVersion: v1\nkind: Service\nmetadata: {name: s}\n"))

    assert "<li>-, line 2: cannot be read: key &#x27;a&#x27; is given twice: first on line 1</li>" in made
    assert "<li>Service s: holds no pods</li>" in made
    assert "No pod template to explain." in made


def test_a_thousand_containers_are_listed_and_not_drawn() -> None:
    crowd = [container(f"c{number}", **equal("1", "1Gi", 1)) for number in range(1000)]
    made = page(pod(*crowd))

    assert "<summary>1000 containers</summary>" in made
    assert "<svg" not in made
