"""Objects that differ between choices become one template, which reads as a person would write it."""

from typing import Any

import pytest

from webhook.manifests.chart.choice import COMBINATIONS
from webhook.manifests.chart.choice import Some
from webhook.manifests.chart.merge import ApartError
from webhook.manifests.chart.merge import documents
from webhook.manifests.chart.nodes import Block
from webhook.manifests.chart.nodes import Each
from webhook.manifests.chart.nodes import Expression
from webhook.manifests.chart.nodes import More
from webhook.manifests.chart.nodes import Optional
from webhook.manifests.chart.write import template


def by_mode(**specs: Any) -> list[tuple[Some, list[dict[str, Any]]]]:
    """Write an object whose spec differs between modes; a mode that is not named has no object."""
    return [
        (
            frozenset(one for one in COMBINATIONS if one[0] == mode),
            [{"kind": "A", "metadata": {"name": "a"}, "spec": specs[mode]}] if mode in specs else [],
        )
        for mode in ("observe", "trial", "enforce")
    ]


def written(**specs: Any) -> list[str]:
    """Write such an object, and answer what stands below its name."""
    lines = template(documents(by_mode(**specs))).splitlines()
    assert [line for line in lines if not line.startswith("{{")][:4] == ["---", "kind: A", "metadata:", "  name: a"]
    return lines[lines.index("  name: a") + 1 :]


def same(spec: Any) -> list[str]:
    """Write an object that is the same in every mode."""
    return written(observe=spec, trial=spec, enforce=spec)


def test_what_is_equal_is_written_once() -> None:
    assert same({"a": 1, "b": ["x", "y"]}) == ["spec:", "  a: 1", "  b: [x, y]"]


def test_short_values_stand_in_their_line() -> None:
    assert written(observe={"p": "I"}, trial={"p": "I"}, enforce={"p": "F"}) == [
        "spec:",
        '  p: {{ if eq .Values.mode "enforce" }}F{{ else }}I{{ end }}',
    ]


def test_a_value_that_is_the_choice_itself_is_taken_from_the_values() -> None:
    specs = {mode: {"mode": mode} for mode in ("observe", "trial", "enforce")}

    assert written(**specs) == ["spec:", "  mode: {{ .Values.mode }}"]


def test_a_field_that_some_have_is_put_between_conditions() -> None:
    plain, more = {"z": 1}, {"a": {"b": 1}, "z": 1}

    assert written(observe=plain, trial=plain, enforce=more) == [
        "spec:",
        '  {{- if eq .Values.mode "enforce" }}',
        "  a:",
        "    b: 1",
        "  {{- end }}",
        "  z: 1",
    ]


def test_items_are_merged_by_their_names() -> None:
    first, second = {"name": "first", "x": 1}, {"name": "second"}
    specs = {"observe": [first], "trial": [first], "enforce": [{**first, "x": 2}, second]}

    assert written(**{mode: {"items": items} for mode, items in specs.items()}) == [
        "spec:",
        "  items:",
        "  - name: first",
        '    x: {{ if eq .Values.mode "enforce" }}2{{ else }}1{{ end }}',
        '  {{- if eq .Values.mode "enforce" }}',
        "  - name: second",
        "  {{- end }}",
    ]


def test_an_empty_list_stays_one() -> None:
    some = [{"name": "first"}]

    assert written(observe={"items": []}, trial={"items": some}, enforce={"items": some}) == [
        "spec:",
        '  {{- if eq .Values.mode "observe" }}',
        "  items: []",
        "  {{- else }}",
        "  items:",
        "  - name: first",
        "  {{- end }}",
    ]


def test_lists_in_another_order_are_written_each() -> None:
    assert written(observe={"l": ["a", "b"]}, trial={"l": ["b", "a"]}, enforce={"l": ["b", "a"]}) == [
        "spec:",
        '  {{- if eq .Values.mode "observe" }}',
        "  l: [a, b]",
        "  {{- else }}",
        "  l: [b, a]",
        "  {{- end }}",
    ]


def test_an_object_that_some_have_is_put_between_conditions() -> None:
    assert template(documents(by_mode(enforce={}))).splitlines() == [
        '{{- if eq .Values.mode "enforce" }}',
        "---",
        "kind: A",
        "metadata:",
        "  name: a",
        "spec: {}",
        "{{- end }}",
    ]


def test_values_of_the_chart_come_to_their_places() -> None:
    spec = {
        "count": Expression(".Values.count"),
        "block": Block("toYaml .Values.block"),
        "text": Block('include "text" .', literal=True),
        "optional": Optional(".Values.optional"),
        "built-in": Optional(".Values.other", otherwise={"a": 1}),
        "labels": {"own": "x", "": More(".Values.labels")},
        "list": ["x", Optional(".Values.item", Expression(".")), Each(".Values.each", {"cidr": Expression(".")})],
    }

    assert (
        "\n".join(same(spec))
        == """\
spec:
  count: {{ .Values.count }}
  block:
    {{- toYaml .Values.block | nindent 4 }}
  text: |
    {{- include "text" . | nindent 4 }}
  {{- with .Values.optional }}
  optional:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.other }}
  built-in:
    {{- toYaml . | nindent 4 }}
  {{- else }}
  built-in:
    a: 1
  {{- end }}
  labels:
    own: x
    {{- with .Values.labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  list:
  - x
  {{- with .Values.item }}
  - {{ . }}
  {{- end }}
  {{- range .Values.each }}
  - cidr: {{ . }}
  {{- end }}"""
    )


def test_braces_in_an_object_are_text() -> None:
    assert same({"a": "{{ $value }} nodes"}) == ["spec:", """  a: '{{ "{{" }} $value }} nodes'"""]


def test_what_no_condition_tells_apart_is_an_error() -> None:
    odd = frozenset(one for one in COMBINATIONS if (one[0] == "trial") != (one[-2] == "set"))
    variants = [
        (some, [{"kind": "A", "metadata": {"name": name}}]) for some, name in ((odd, "a"), (COMBINATIONS - odd, "b"))
    ]

    with pytest.raises(ApartError):
        documents(variants)
