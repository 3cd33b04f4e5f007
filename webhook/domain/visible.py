r"""Makes foreign text visible: what a terminal, a log viewer or a CI runner would obey is shown instead.

>>> visible("a\x1b[2Jb\nc")
'a\\x1b[2Jb\\nc'
>>> visible("##vso[task.complete]")
'#\\x23vso[task.complete]'
"""

import re
import unicodedata

_SUSPECT = re.compile(r"[^\x20-\x7e]")
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Control, format (directions, zero width), surrogate, private, unassigned; line and paragraph separators."""
_NAMED = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
_WIDE = 0x100
_COMMAND = re.compile(r"##(?=\w*\[)")
"""Old workflow commands, which runners obey anywhere in a line."""


def visible(text: str) -> str:
    """Answer `text` in one line, with whatever does not print written as an escape."""
    if text.isascii() and text.isprintable() and "##" not in text:
        return text
    return _COMMAND.sub(r"#\\x23", _SUSPECT.sub(_escape, text))


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    if unicodedata.category(character) not in _HIDDEN:
        return character
    code = ord(character)
    if character in _NAMED:
        return _NAMED[character]
    return f"\\x{code:02x}" if code < _WIDE else f"\\u{code:04x}"
