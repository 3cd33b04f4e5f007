"""Laws of scenarios: whatever is written is answered or refused in one line, and hides no other scenario."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from strategies import any_objects
from strategies import json_values
from strategies import pods

from webhook.domain.answer import as_json
from webhook.domain.errors import InputError
from webhook.domain.scenario import play
from webhook.domain.visible import visible
from webhook.sources.scenario import parse_scenarios

CELLS: list[dict[str, Any]] = [
    {"id": cell, "memory": "128Gi", "coreCount": 8, "threadsPerCore": 2, "distances": [10, 20]} for cell in (0, 1)
]
MACHINE: dict[str, Any] = {
    "numa": CELLS,
    "devices": {"nvidia.com/gpu": {"0": 4, "1": 4}},
    "kubelet": {
        "cpuManagerPolicy": "static",
        "memoryManagerPolicy": "Static",
        "topologyManagerPolicy": "single-numa-node",
        "reservedSystemCPUs": "0,16",
        "nodeAllocatableReservation": {"memory": "2Gi"},
        "reservedMemory": [{"numaNode": 0, "limits": {"memory": "2Gi"}}],
    },
}
GOOD = json.dumps({"name": "good", **MACHINE})


@st.composite
def scenarios(draw: st.DrawFn) -> Any:
    """Draw a good scenario in which something was replaced by JSON of any shape."""
    made: Any = {
        "name": "s",
        **json.loads(json.dumps(MACHINE)),
        "pods": draw(st.lists(pods() | any_objects(), max_size=2)),
    }
    place: Any = made
    for _ in range(draw(st.integers(0, 5))):
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            break
        key = draw(st.sampled_from(keys))
        if not isinstance(place[key], dict | list) or not draw(st.integers(0, 4)):
            place[key] = draw(json_values | st.sampled_from((-1, 2**70, "1e1000000", "static", "restricted", "0-9")))
            break
        place = place[key]
    return made


def answers(text: str) -> list[str]:
    """Answer one line of JSON or one error for each scenario."""
    lines = [
        str(found) if isinstance(found, InputError) else json.dumps(as_json(play(found)), allow_nan=False)
        for found in parse_scenarios(text, "f")
    ]
    assert [line for line in map(visible, lines) if "\n" in line] == []
    return lines


@given(scenarios() | json_values)
def test_any_json_is_answered_or_refused_in_one_line_and_hides_no_other(scenario: Any) -> None:
    lines = answers(f"{GOOD}\n{json.dumps(scenario)}\n{GOOD}\n")

    assert lines[0] == lines[-1] == '{"name": "good", "pods": []}'
    assert len(lines) in {2, 3}


@given(scenarios())
def test_a_scenario_over_several_lines_is_answered_as_on_one(scenario: Any) -> None:
    one, several = answers(json.dumps(scenario)), answers(json.dumps(scenario, indent=1))

    assert [line.split(": ", 1)[1] for line in several] == [line.split(": ", 1)[1] for line in one]


@given(st.text(max_size=40) | st.text(alphabet='{}[]":,-\n ab1', max_size=40))
def test_no_text_makes_the_reader_raise(text: str) -> None:
    answers(text)
