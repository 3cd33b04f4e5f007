"""Reads the objects of manifest files: YAML, JSON, Lists, directories and standard input."""

import os
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from webhook.domain.errors import InputError
from webhook.domain.manifest import Manifest
from webhook.domain.manifest import Positions
from webhook.domain.pointer import Path as FieldPath
from webhook.domain.pointer import field_path
from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_list
from webhook.domain.raw import get_text
from webhook.sources.chunk import Chunk
from webhook.sources.chunk import refuse_what_is_no_yaml
from webhook.sources.chunk import split
from webhook.sources.json_text import JsonSyntaxError
from webhook.sources.json_text import read_json
from webhook.sources.yaml_text import read_yaml

STDIN = "-"
SUFFIXES = frozenset({".yaml", ".yml", ".json"})
MAX_BYTES = 64 << 20
"""Larger files are not manifests."""
MAX_LISTS = 8
"""Lists inside Lists."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read: the objects in the order of the files, and one error per document or file that is not readable."""

    files: tuple[str, ...]
    manifests: tuple[Manifest, ...]
    errors: tuple[InputError, ...]


def read_manifests(names: Sequence[str], *, stdin: BinaryIO) -> Reading:
    """Read every file of `names`, every manifest file below a directory, and `stdin` for `-`.

    What cannot be read is an error beside the rest, never an exception.
    """
    errors: list[InputError] = []
    manifests: list[Manifest] = []
    files: dict[str, None] = {}
    for name in names:
        try:
            files.update(dict.fromkeys(_expand(name)))
        except InputError as error:
            errors.append(error)
    for file in files:
        try:
            text = read_text(file, stdin)
        except InputError as error:
            errors.append(error)
            continue
        _collect(file, text, manifests, errors)
    return Reading(files=tuple(files), manifests=tuple(manifests), errors=tuple(errors))


def _expand(name: str) -> list[str]:
    """Answer the files that `name` stands for; hidden folders are left out."""
    if name == STDIN or not Path(name).is_dir():
        return [name]
    found: list[str] = []
    for folder, subfolders, members in os.walk(name):
        subfolders[:] = sorted(sub for sub in subfolders if not sub.startswith("."))
        named = [member for member in sorted(members) if Path(member).suffix.lower() in SUFFIXES]
        paths = (os.path.join(folder, member) for member in named)  # noqa: PTH118 - keeps the name as the user wrote it
        found += [path for path in paths if Path(path).is_file()]
    if not found:
        message = "no .yaml, .yml or .json file in this directory: name another, or a file"
        raise InputError(message, file=name)
    return found


def read_text(file: str, stdin: BinaryIO) -> str:
    """Answer the text of a file, or of `stdin` for `-`.

    Raises:
        InputError: it cannot be read, is too large or no UTF-8.
    """
    try:
        if file == STDIN:
            data = stdin.read(MAX_BYTES + 1)
        else:
            with Path(file).open("rb") as stream:
                data = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(reason, file=file) from error
    if len(data) > MAX_BYTES:
        message = f"larger than {MAX_BYTES >> 20} MiB: split it"
        raise InputError(message, file=file)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"no UTF-8: byte 0x{data[error.start]:02x}; save the file as UTF-8"
        raise InputError(message, file=file, line=line) from error


def _collect(file: str, text: str, manifests: list[Manifest], errors: list[InputError]) -> None:
    more = 0
    for cut in split(file, text):
        chunk = replace(cut, document=cut.document + more)
        try:
            values = _values(chunk)
        except InputError as error:
            errors.append(error)
            continue
        more += max(len(values) - 1, 0)
        for index, (value, positions) in enumerate(values):
            if value is not None:
                root = _Value(file, chunk.document + index, (), value, positions, {})
                _sort(_objects(root), manifests, errors)


def _sort(found: Iterator[Manifest | InputError], manifests: list[Manifest], errors: list[InputError]) -> None:
    for one in found:
        if isinstance(one, Manifest):
            manifests.append(one)
        else:
            errors.append(one)


def _values(chunk: Chunk) -> list[tuple[object, Positions]]:
    """Read a document as JSON where it looks like it, else as YAML, as kubectl does."""
    refuse_what_is_no_yaml(chunk)
    if chunk.text[chunk.body :].lstrip()[:1] in {"{", "["}:
        try:
            return list(read_json(chunk))
        except JsonSyntaxError:
            if chunk.file.endswith(".json"):
                raise
    return [read_yaml(chunk)]


@dataclass(frozen=True, slots=True)
class _Value:
    """A value that should be an object, and where it is."""

    file: str
    document: int
    place: FieldPath
    value: object
    positions: Positions
    parent: JsonObject

    def error(self, message: str) -> InputError:
        """Make the error that names this place."""
        where = f"{field_path(self.place)}: " if self.place else ""
        return InputError(where + message, file=self.file, document=self.document, line=self.positions.line)


def _objects(value: _Value, depth: int = 0) -> Iterator[Manifest | InputError]:
    """Yield the object that `value` is, or the members of the List that it is, or what is wrong with it."""
    content = value.value
    if not isinstance(content, dict):
        yield value.error(f"a Kubernetes object was expected, not {_describe(content)}")
    elif not is_list(content):
        yield Manifest(
            file=value.file,
            document=value.document,
            place=value.place,
            content=_typed(content, value.parent),
            positions=value.positions,
        )
    elif depth == MAX_LISTS:
        yield value.error(f"Lists nested more than {MAX_LISTS} deep")
    else:
        for index, item in enumerate(get_list(content, "items")):
            member = _Value(
                file=value.file,
                document=value.document,
                place=(*value.place, "items", index),
                value=item,
                positions=value.positions.children["items"].children[index],
                parent=content,
            )
            yield from _objects(member, depth + 1)


def is_list(content: JsonObject) -> bool:
    """Tell whether `content` is a List: its kind ends with the word and it has items, or is the core List."""
    kind = get_text(content, "kind")
    items = content.get("items")
    return kind.endswith("List") and (isinstance(items, list) or (items is None and kind == "List"))


def _typed(item: JsonObject, parent: JsonObject) -> JsonObject:
    """Give a member of a typed list (PodList) the kind that the API server leaves out there."""
    kind = get_text(parent, "kind").removesuffix("List")
    if "kind" in item or not kind:
        return item
    return {"apiVersion": parent.get("apiVersion"), "kind": kind, **item}


def _describe(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case list():
            return "a list"
        case str():
            return "text"
        case _:
            return "a number"
