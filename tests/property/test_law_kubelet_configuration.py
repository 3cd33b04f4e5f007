"""Laws of judging a kubelet's configuration: nothing raises, whatever lies in its fields."""

import json
from typing import Any

from configurationtable import base
from configurationtable import small
from hypothesis import given
from hypothesis import strategies as st

from webhook.cli.kubelet import show
from webhook.cli.kubelet.examine import examine
from webhook.domain.errors import PolicyError
from webhook.sources.kubelet_versions import load_known

BASE = base()
NODE = small()
WORDS = ("static", "none", "Static", "memory", "cpu", "hugepages-2Mi", "1Gi", "0", "5%", "0-3", "pods", "true", "5s")
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | NUMBERS | st.sampled_from(WORDS) | st.text(max_size=6)
KEYS = st.sampled_from((*WORDS, "numaNode", "limits", "memory.available", "full-pcpus-only", "AllBeta"))
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3))
ALIKE = st.dictionaries(KEYS, st.sampled_from(WORDS), max_size=3) | st.lists(
    st.fixed_dictionaries({"numaNode": st.integers(-1, 3), "limits": st.dictionaries(KEYS, st.sampled_from(WORDS))}),
    max_size=3,
)
FIELDS = st.dictionaries(st.sampled_from(sorted({*BASE, *load_known((1, 37)).fields})), VALUES | ALIKE, max_size=4)


@given(FIELDS, st.sampled_from((None, NODE)))
def test_every_configuration_is_judged_in_lines_that_stand_alone(fields: dict[str, Any], node: Any) -> None:
    text = json.dumps({**BASE, **fields, "kind": "KubeletConfiguration"})
    try:
        examined = examine(text, "file.yaml", version=(1, 37), node=node)
    except PolicyError:
        return

    assert all(line.isprintable() for line in show.as_text(examined, None, ()))
    assert json.dumps(show.as_json(examined, None, ()))
