"""The text of lint: verdict, findings with lines, what to write, and a summary."""

import pytest
from reports import READ_ERROR
from reports import REQUEST
from reports import UNPINNED
from reports import finding
from reports import hostile
from reports import repaired
from reports import report
from reports import result

from webhook.domain.report import ReadError
from webhook.domain.report import ReportedClass
from webhook.domain.report import ReportedEdit
from webhook.formats.text import FORMAT


def lines(*results: object, **fields: object) -> list[str]:
    return FORMAT.write(report(*results, **fields)).split("\n")  # type: ignore[arg-type]  # results of the builders


def test_a_repair_shows_verdict_reasons_and_what_to_write() -> None:
    assert lines(repaired(), assumed=("generic-2x4",)) == [
        "a.yaml",
        "  REPAIR  Pod llm  spec, line 5",
        "          QoS Burstable, level none; namespace team-a",
        f"          generic-2x4: does not fit as written, fits after the repair ({UNPINNED})",
        f"    line 9: fault unequal-resources: {REQUEST.removeprefix('spec.')}: cpu request 4 is below its limit 8",
        "    write:",
        "      line 9: spec.containers[0].resources.requests[cpu]: 8  (was 4)",
        "",
        "1 pod template in 1 file: 1 repair",
        "assumed node class generic-2x4; name your own with --profile",
    ]


def classes(*fits: str, nodes: int | None = 10) -> tuple[ReportedClass, ...]:
    return tuple(ReportedClass(f"class-{number}", word, word, "", nodes) for number, word in enumerate(fits))


def test_several_classes_are_counted_with_their_nodes() -> None:
    assert lines(result(classes=classes("yes", "no", "unsure")))[3:7] == [
        "          class-0: fits",
        "          class-1: does not fit",
        "          class-2: not known well enough to say",
        "          fits 1 of 3 node classes, 10 of 30 nodes",
    ]


@pytest.mark.parametrize(
    ("gate", "told"),
    [
        ("added", ["its pods get it"]),
        ("present", ["its pods have it"]),
        ("unverified", ["its pods get it where agents verify pods on every node that they may go to"]),
        (None, []),
    ],
)
def test_what_becomes_of_the_readiness_gate_is_told(gate: str | None, told: list[str]) -> None:
    head = "          readiness gate numagate.io/Aligned: "
    shown = [line.removeprefix(head) for line in lines(result(readiness_gate=gate)) if line.startswith(head)]

    assert shown == told


def test_of_many_classes_those_that_do_not_fit_are_told_first() -> None:
    told = lines(result(classes=classes(*(["yes"] * 8), "no", nodes=None)))[3:11]
    assert (told[0], told[1]) == ("          fits 8 of 9 node classes", "          class-8: does not fit")
    assert told[7] == "          and 3 more; --output json has them all"


def test_what_is_fine_takes_three_lines() -> None:
    assert lines(result())[:4] == [
        "a.yaml",
        "  ACCEPT  Pod llm  spec, line 5",
        "          QoS Guaranteed, level aligned; namespace team-a",
        "          generic-2x4: fits",
    ]


def test_results_are_grouped_by_file() -> None:
    text = lines(result(), result(name="b"), result(file="z.yaml"), files=2)
    assert [line for line in text if line and not line.startswith(" ")] == [
        "a.yaml",
        "z.yaml",
        "3 pod templates in 2 files: 3 accept",
    ]


def test_a_class_that_does_not_enforce_says_so() -> None:
    text = lines(result(classes=(ReportedClass("pool", "unenforced", "unenforced", ""),)))
    assert "          pool: does not enforce alignment" in text


def test_an_edit_of_a_new_field_tells_its_note() -> None:
    edit = ReportedEdit(path="spec.x", line=3, old=None, new="8", note="now has a limit")
    assert "      line 3: spec.x: 8  (new; now has a limit)" in lines(repaired(edits=(edit,)))


def test_a_message_that_names_its_field_is_not_given_it_twice() -> None:
    text = lines(repaired(findings=(finding(path="spec.x", message="spec.x is not an object", code="c"),)))
    assert "    line 9: fault c: x: spec.x is not an object" not in text


def test_an_object_without_kind_and_qos_is_still_named() -> None:
    text = lines(result(kind="", name="", qos=None, level=None, decision="unknown", classes=()))
    assert text[1:3] == ["  UNKNOWN object  spec, line 5", "          namespace team-a"]


def test_errors_come_after_the_results_with_what_is_known_of_their_place() -> None:
    whole_file = ReadError(file="c.yaml", document=None, line=None, message="No such file or directory")
    assert lines(errors=(READ_ERROR, whole_file), files=2, ignored=1) == [
        "b.yaml:7 (document 1): cannot be read: key 'a' is given twice: first on line 6",
        "c.yaml: cannot be read: No such file or directory",
        "",
        "0 pod templates in 2 files; 1 object without pods; 2 documents not readable",
    ]


def test_hostile_text_makes_no_line_and_no_command() -> None:
    text = FORMAT.write(report(hostile(), errors=(ReadError("::error::f", None, None, "m\x1b"),)))
    assert all(character.isprintable() for character in text.replace("\n", ""))
    assert not any(line.lstrip().startswith("::") for line in text.split("\n"))
    assert "##[" not in text
    assert "./::error::f: cannot be read: m\\x1b" in text
