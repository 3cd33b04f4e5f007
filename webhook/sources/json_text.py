"""Reads a stream of JSON documents, with the line of every field."""

import json
import math
import re
from collections.abc import Iterator
from typing import NoReturn

from webhook.domain.errors import InputError
from webhook.domain.manifest import Positions
from webhook.sources.chunk import Chunk
from webhook.sources.yaml_scalar import number_value
from webhook.sources.yaml_text import MAX_DEPTH

_SPACE = re.compile(r"[ \t\r\n]*")
_SURROGATE = re.compile("[\ud800-\udfff]")
_INT64_DIGITS = 20


class JsonSyntaxError(InputError):
    """The text is no JSON; it may still be YAML."""


def read_json(chunk: Chunk) -> Iterator[tuple[object, Positions]]:
    """Yield the values of the documents and the lines of their fields.

    Raises:
        JsonSyntaxError: it is no JSON.
        InputError: it is JSON with a key given twice, a number out of range, or nested too deep.
    """
    reader = _Reader(chunk)
    offset = reader.skip(chunk.body)
    while offset < len(chunk.text):
        value, positions, offset = reader.value(offset, 1)
        yield value, positions
        offset = reader.skip(offset)


def read_line(chunk: Chunk) -> tuple[object, Positions] | None:
    """Answer the document of a chunk that is one line, much faster; None where `read_json` has to look closer."""
    text = chunk.text[chunk.body :].strip(" \t\r\n")
    if "\n" in text or "\\u" in text:
        return None
    try:
        value: object = json.loads(
            text, object_pairs_hook=_unique, parse_constant=_refuse, parse_int=_number, parse_float=_number
        )
    except (ValueError, RecursionError):
        return None
    return (value, Positions(line=chunk.first_line)) if _is_flat(value) else None


class _Reader:
    """Reads values at offsets of the text; strings and numbers are left to the standard decoder."""

    def __init__(self, chunk: Chunk) -> None:
        self._chunk = chunk
        self._text = chunk.text
        self._decoder = json.JSONDecoder(parse_constant=_refuse, parse_int=_number, parse_float=_number)

    def skip(self, offset: int) -> int:
        """Answer the offset of the next character that is no space."""
        match = _SPACE.match(self._text, offset)
        return match.end() if match else offset

    def value(self, offset: int, depth: int) -> tuple[object, Positions, int]:
        """Read the value at `offset`; answer it, its places and where it ends."""
        if depth > MAX_DEPTH:
            message = f"nested more than {MAX_DEPTH} levels deep"
            raise self._chunk.error(message, offset)
        opening = self._text[offset : offset + 1]
        if opening == "{":
            return self._object(offset, depth)
        if opening == "[":
            return self._list(offset, depth)
        value, end = self._scalar(offset)
        return value, Positions(line=self._chunk.line(offset)), end

    def _scalar(self, offset: int) -> tuple[object, int]:
        try:
            value, end = self._decoder.raw_decode(self._text, offset)
        except json.JSONDecodeError as error:
            raise self._syntax(error.pos, error.msg) from error
        except ValueError as error:
            raise self._chunk.error(str(error), offset) from error
        # Go reads a lone surrogate as the replacement character
        return (_SURROGATE.sub("\ufffd", value) if isinstance(value, str) else value), end

    def _object(self, start: int, depth: int) -> tuple[object, Positions, int]:
        values: dict[str, object] = {}
        children: dict[str | int, Positions] = {}
        offset = self.skip(start + 1)
        while not self._closes(offset, "}", first=not values):
            place = offset if not values else self.skip(offset + 1)
            if self._text[place : place + 1] != '"':
                raise self._syntax(place, "a key in double quotes was expected")
            key, offset = self._scalar(place)
            name = str(key)
            if name in values:
                message = f"key {name!r} is given twice: first on line {children[name].line}"
                raise self._chunk.error(message, place)
            offset = self.skip(offset)
            if self._text[offset : offset + 1] != ":":
                raise self._syntax(offset, "a colon was expected")
            values[name], positions, offset = self.value(self.skip(offset + 1), depth + 1)
            children[name] = Positions(line=self._chunk.line(place), children=positions.children)
            offset = self.skip(offset)
        return values, Positions(line=self._chunk.line(start), children=children), offset + 1

    def _list(self, start: int, depth: int) -> tuple[object, Positions, int]:
        values: list[object] = []
        children: dict[str | int, Positions] = {}
        offset = self.skip(start + 1)
        while not self._closes(offset, "]", first=not values):
            place = offset if not values else self.skip(offset + 1)
            value, children[len(values)], offset = self.value(place, depth + 1)
            values.append(value)
            offset = self.skip(offset)
        return values, Positions(line=self._chunk.line(start), children=children), offset + 1

    def _closes(self, offset: int, closing: str, *, first: bool) -> bool:
        """Tell whether the list or object ends at `offset`; else a member or a comma must stand there."""
        here = self._text[offset : offset + 1]
        if here == closing:
            return True
        if here == "" or (not first and here != ","):
            raise self._syntax(offset, f"a comma or {closing} was expected")
        return False

    def _syntax(self, offset: int, message: str) -> JsonSyntaxError:
        chunk = self._chunk
        return JsonSyntaxError(
            f"no JSON: {message[:1].lower()}{message[1:]}",
            file=chunk.file,
            document=chunk.document,
            line=chunk.line(offset),
        )


def _number(text: str) -> int | float:
    if len(text) <= _INT64_DIGITS and text.lstrip("-").isdigit() and -(1 << 63) <= int(text) < 1 << 63:
        return int(text)
    number = float(text)
    if not math.isfinite(number):
        message = f"{text[:40]} is out of range"
        raise ValueError(message)
    return number_value(number)


def _refuse(constant: str) -> NoReturn:
    message = f"{constant} is no JSON number"
    raise ValueError(message)


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        message = "a key is given twice"
        raise ValueError(message)
    return members


def _is_flat(value: object) -> bool:
    """Tell whether a value is nested at most `MAX_DEPTH` levels deep."""
    level = [value]
    for _ in range(MAX_DEPTH):
        below: list[object] = []
        for member in level:
            if isinstance(member, dict):
                below.extend(member.values())
            elif isinstance(member, list):
                below.extend(member)
        if not below:
            return True
        level = below
    return False
