"""Reads the kubelet's configuration: the file it was started with, or what /configz answered."""

from pathlib import Path
from typing import Final

from webhook.config.document import from_object
from webhook.config.document import read_stream
from webhook.config.kubelet_configuration import KIND
from webhook.config.kubelet_configuration import KubeletConfiguration
from webhook.config.kubelet_configuration import read_kubelet_configuration
from webhook.domain.errors import PolicyError
from webhook.domain.raw import JsonObject
from webhook.node.readers import files

_MOST: Final = 1 << 20


def read_kubelet(
    path: Path, configz: JsonObject | None, *, memory: int | None, version: tuple[int, int] | None
) -> KubeletConfiguration:
    """Read what /configz answered, else the file; the file does not know flags and drop-in files, /configz does.

    Raises:
        OSError: the file cannot be read.
        ValueError: it, or a value in it, cannot be understood, or it is of another kind.
    """
    try:
        if configz is not None:
            document = from_object(configz, "/configz")
        else:
            text = files.read(path, most=_MOST).decode("utf-8-sig", "backslashreplace")
            documents = read_stream(text, str(path), as_go=True)
            if len(documents) != 1:
                message = f"{path} holds {len(documents)} documents, not one {KIND}"
                raise ValueError(message)
            document = documents[0]
            if document.kind not in {"", KIND}:  # of the fields that it lacks all would have their defaults
                message = f"{path} is a {document.kind}, not a {KIND}: give the kubelet's own file by --kubelet-config"
                raise ValueError(message)
        return read_kubelet_configuration(document, memory=memory, version=version)
    except PolicyError as error:
        raise ValueError(str(error)) from None
