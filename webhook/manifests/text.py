"""YAML as people like to read it: fields in the order they were written, long texts as blocks."""

from collections.abc import Iterable
from collections.abc import Mapping

import yaml

_SHORT = 60


class _Dumper(yaml.SafeDumper):
    """A dumper of its own, so that other users of PyYAML keep their representers."""

    def ignore_aliases(self, data: object) -> bool:
        """Write everything out: an anchor saves a line and costs the reader a search."""
        del data
        return True


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if "\n" in value else None)


def _list(dumper: yaml.SafeDumper, value: list[object]) -> yaml.SequenceNode:
    """Write a short list of plain values in one line."""
    plain = all(isinstance(item, str | int) for item in value)
    short = sum(len(str(item)) + 2 for item in value) < _SHORT
    return dumper.represent_sequence("tag:yaml.org,2002:seq", value, flow_style=plain and short)


_Dumper.add_representer(str, _text)
_Dumper.add_representer(list, _list)


def dump(documents: Iterable[Mapping[str, object]]) -> str:
    r"""Write documents as one YAML stream.

    >>> print(dump([{"kind": "A", "text": "1\n2\n"}, {"kind": "B"}]), end="")
    kind: A
    text: |
      1
      2
    ---
    kind: B
    """
    return "---\n".join(dump_one(document) for document in documents)


def dump_one(document: Mapping[str, object]) -> str:
    """Write one document."""
    return yaml.dump(dict(document), Dumper=_Dumper, sort_keys=False, width=120, allow_unicode=True)


def dump_list(items: Iterable[Mapping[str, object]]) -> str:
    """Write one list, as a patch inside another document is.

    >>> print(dump_list([{"op": "add"}, {"op": "remove"}]), end="")
    - op: add
    - op: remove
    """
    return yaml.dump([dict(item) for item in items], Dumper=_Dumper, sort_keys=False, width=120, allow_unicode=True)
