"""Reads the pixels of a screenshot: PNG with 8 bits per channel, as browsers write it."""

import struct
import zlib
from collections.abc import Callable
from collections.abc import Iterator
from typing import Final

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_CHANNELS: Final = {2: 3, 6: 4}
"""Colour types with and without alpha."""


class Picture:
    """A picture in memory; rows are decoded as far down as somebody asks."""

    def __init__(self, data: bytes) -> None:
        """Read the header.

        Raises:
            ValueError: it is no PNG, or of a kind that browsers do not write.
        """
        if data[:8] != SIGNATURE:
            message = "no PNG"
            raise ValueError(message)
        chunks = list(_chunks(data))
        self.width, self.height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", chunks[0][1])
        if depth != 8 or colour not in _CHANNELS or interlaced:
            message = f"depth {depth}, colour type {colour}, interlaced {interlaced}"
            raise ValueError(message)
        self._channels = _CHANNELS[colour]
        self._data = zlib.decompress(b"".join(body for kind, body in chunks if kind == b"IDAT"))
        self._rows: list[bytes] = []

    def pixel(self, left: int, top: int) -> tuple[int, int, int]:
        """Answer red, green and blue of one pixel."""
        while len(self._rows) <= top:
            self._rows.append(self._decoded(len(self._rows)))
        start = left * self._channels
        red, green, blue = self._rows[top][start : start + 3]
        return red, green, blue

    def _decoded(self, number: int) -> bytes:
        size = self.width * self._channels
        start = number * (size + 1)
        above = self._rows[-1] if self._rows else bytes(size)
        return _unfiltered(self._data[start], self._data[start + 1 : start + 1 + size], above, self._channels)


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    position = 8
    while position < len(data):
        size, kind = struct.unpack_from(">I4s", data, position)
        yield kind, data[position + 8 : position + 8 + size]
        position += size + 12


def _unfiltered(kind: int, row: bytes, above: bytes, step: int) -> bytes:
    """Undo the filter of one row."""
    if kind == _NONE:
        return row
    guess = _GUESSES[kind]
    made = bytearray(step) + row
    padded = bytes(step) + above
    for index in range(step, len(made)):
        made[index] = made[index] + guess(made[index - step], padded[index], padded[index - step]) & 0xFF
    return bytes(made[step:])


def _paeth(left: int, above: int, corner: int) -> int:
    to_left, to_above, to_corner = abs(above - corner), abs(left - corner), abs(left + above - 2 * corner)
    if to_left <= to_above and to_left <= to_corner:
        return left
    return above if to_above <= to_corner else corner


_NONE: Final = 0
_GUESSES: Final[dict[int, Callable[[int, int, int], int]]] = {
    1: lambda left, _above, _corner: left,
    2: lambda _left, above, _corner: above,
    3: lambda left, above, _corner: (left + above) // 2,
    4: _paeth,
}
