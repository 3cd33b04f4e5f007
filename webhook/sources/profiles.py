"""The text of NodeProfile documents, as their authors wrote it, with comments."""

from dataclasses import dataclass
from pathlib import Path

from webhook.config.document import read_stream
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.sources.chunk import split
from webhook.sources.machines import FOLDER


@dataclass(frozen=True, slots=True)
class ProfileText:
    """A document: its name, its annotation `title` (or ""), and its text without separators."""

    name: str
    title: str
    text: str


def library_text(name: str) -> ProfileText:
    """Answer the document of a library machine, by its own name."""
    return texts_of(FOLDER / f"{name}.yaml")[0]


def texts_of(file: str | Path) -> tuple[ProfileText, ...]:
    """Answer the NodeProfile documents of a file that was loaded before, in their order."""
    found = []
    for chunk in split(str(file), Path(file).read_text(encoding="utf-8")):
        for document in read_stream(chunk.text, str(file)):
            if document.kind == "NodeProfile":
                metadata = get_object(document.data, "metadata")
                title = get_text(get_object(metadata, "annotations"), "title")
                found.append(ProfileText(get_text(metadata, "name"), title, chunk.text[chunk.body :].strip("\n")))
    return tuple(found)
