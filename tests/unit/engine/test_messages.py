"""Words for people: short, on one line, safe to print."""

from dataclasses import replace

import pytest

from webhook.domain.edit import Edit
from webhook.domain.finding import Finding
from webhook.domain.finding import Severity
from webhook.domain.levels import Level
from webhook.engine import messages

HOSTILE = "a\nb\x1b[31m\u202e"


def edit(**changes: str | None) -> Edit:
    fields: dict[str, str | None] = {
        "container": "server",
        "old": None,
        "new": "16",
        "note": "now has a limit",
    } | changes
    return Edit(
        code="unequal-resources",
        container=str(fields["container"]),
        path=("spec", "containers", 0, "resources", "limits", "cpu"),
        old=fields["old"],
        new=str(fields["new"]),
        note=str(fields["note"]),
    )


def test_a_repair_warning_ends_with_what_to_write() -> None:
    assert messages.repair_warning(edit()) == ("server: limits.cpu unset -> 16 (now has a limit); write limits.cpu: 16")


def test_what_somebody_else_injects_is_cured_at_its_source() -> None:
    cure = "Vault injects it: annotate vault.hashicorp.com/agent-requests-cpu: 500m"
    injected = replace(edit(container="vault-agent", old="250m", new="500m", note=""), cure=cure)
    finding = Finding("unequal-resources", Severity.FAULT, Level.GUARANTEED, ("spec",), "m" * 40, "vault-agent")

    assert messages.repair_warning(injected) == f"vault-agent: limits.cpu 250m -> 500m; {cure}"
    assert messages.would_repair_warning(injected) == f"vault-agent: limits.cpu is 250m; {cure}"
    assert messages.finding_warning(replace(finding, cure=cure)) == f"vault-agent: {cure} [unequal-resources]"
    assert (
        messages.line(replace(finding, cure="C")) == f"container vault-agent: {'m' * 40}; C [spec; unequal-resources]"
    )


@pytest.mark.parametrize("name", ["server", "x" * 253, HOSTILE])
def test_warnings_are_one_printable_line_of_at_most_120_characters(name: str) -> None:
    finding = Finding("misfit", Severity.FAULT, Level.ALIGNED, ("spec",), "m" * 300, container=name)
    for text in (
        messages.repair_warning(edit(container=name)),
        messages.would_repair_warning(edit(container=name)),
        messages.finding_warning(finding),
    ):
        assert len(text) <= 120
        assert text.isprintable()


def test_at_most_ten_warnings_are_sent_and_the_tenth_counts_the_rest() -> None:
    capped = messages.capped(f"warning {number}" for number in range(30))

    assert len(capped) == 10
    assert capped[-1] == "numagate: 21 more warnings; numagate lint shows them all"


def test_equal_warnings_are_sent_once() -> None:
    assert messages.capped(["same", "same"]) == ("same",)


def test_causes_are_one_short_line_each_and_a_flood_of_them_is_counted() -> None:
    found = messages.causes([("a\nb" * 400, "é\x1b" * 900)] * 250)

    assert len(found) == messages.MAX_CAUSES
    assert all(text.isprintable() and field.isprintable() for field, text in found)
    assert {len(field.encode()) for field, _ in found} == {messages.MAX_FIELD_BYTES}
    assert max(len(text.encode()) for _, text in found) <= messages.MESSAGE_BYTES
    assert found[-1][1] == "151 more findings; numagate lint shows them all"


def test_all_causes_are_told_where_they_are_few() -> None:
    found = [(f"spec.x{number}", "wrong") for number in range(messages.MAX_CAUSES)]

    assert messages.causes(found) == tuple(found)


def test_a_refusal_holds_what_fits_and_counts_the_rest() -> None:
    text = messages.refusal(["x" * 400, "y" * 400, "z" * 400])

    assert text == "x" * 400 + "; " + "y" * 400 + " (+1 more)"
    assert len(text.encode()) <= 900


def test_one_overlong_finding_is_cut_on_a_character_boundary() -> None:
    text = messages.refusal(["é" * 900])

    assert len(text.encode()) <= 900
    assert text.endswith("…")


def test_a_line_names_container_field_value_and_code() -> None:
    finding = Finding(
        "fractional-cpu",
        Severity.FAULT,
        Level.EXCLUSIVE,
        ("spec", "containers", 0, "resources", "limits", "cpu"),
        "cpu 7500m is not a whole number",
        container="server",
        actual="7500m",
    )

    assert messages.line(finding) == (
        "container server: cpu 7500m is not a whole number "
        "[spec.containers[0].resources.limits[cpu]: 7500m; fractional-cpu]"
    )


def test_control_characters_are_shown_not_sent() -> None:
    assert messages.escape(HOSTILE) == "a\\nb\\x1b[31m\\u202e"


def test_what_to_write_survives_the_cut_of_a_long_explanation() -> None:
    finding = Finding("misfit", Severity.FAULT, Level.ALIGNED, ("spec",), "m" * 300, container="c", wanted="at most 4")

    text = messages.finding_warning(finding)

    assert text.endswith("…: write at most 4 [misfit]")
    assert len(text) == 120


def test_a_pod_of_several_is_named_where_the_whole_field_has_no_room() -> None:
    long = ("spec", "rolesOfTheService", 12, "leaderWorkerPatternOfTheRole", "template", "spec", "containers", 0)
    where = messages.placed(long[:-2], room=48)
    moved = replace(edit(), path=(*long, "resources", "limits", "memory"))

    assert where == "….leaderWorkerPatternOfTheRole.template"
    assert messages.would_repair_warning(moved, where) == (f"server in {where}: write limits.memory: 16 (is unset)")


def test_places_are_counted_where_there_are_many() -> None:
    places = [("spec", "roles", number) for number in range(7)]
    finding = Finding("misfit", Severity.FAULT, Level.ALIGNED, ("spec",), "m")

    assert messages.lines([finding] * 7, places) == [
        "m [spec.roles[0], spec.roles[1], spec.roles[2], spec.roles[3], spec.roles[4] (+2 more); misfit]"
    ]
