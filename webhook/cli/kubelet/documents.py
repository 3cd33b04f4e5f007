"""Finds the KubeletConfigurations in a text: documents, the answer of /configz, and kubeadm's ConfigMap."""

from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass

from webhook.config.document import Document
from webhook.config.document import Lines
from webhook.config.document import read_stream
from webhook.config.kubelet_configuration import CONFIGZ
from webhook.config.kubelet_configuration import KIND
from webhook.domain.errors import PolicyError
from webhook.domain.pointer import Path
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text

_CONFIG_MAP = "ConfigMap"
_KUBEADM = "kubelet"
"""The key of kube-system/kubelet-config that kubeadm gives to every node."""


@dataclass(frozen=True, slots=True)
class _Within:
    """The lines of what is below a key."""

    lines: Lines
    key: str

    def __contains__(self, path: object) -> bool:
        return isinstance(path, tuple) and (self.key, *path) in self.lines

    def get(self, path: Path, default: int) -> int:
        """Answer the line of a place below the key."""
        return self.lines.get((self.key, *path), default)


def configurations(text: str, source: str) -> tuple[Document, ...]:
    """Answer the configurations in their order; documents of other kinds are passed over.

    Raises:
        PolicyError: the text is no YAML, or holds no KubeletConfiguration.
    """
    documents = read_stream(text, source, as_go=True)
    found = tuple(one for document in documents for one in _inside(document))
    if not found:
        remedy = "name the file that the kubelet reads with --config, or the answer of /configz"
        message = f"no {KIND} in it{_instead(documents)}: {remedy}"
        raise PolicyError(message, source=source)
    return found


def _instead(documents: Sequence[Document]) -> str:
    """Say of the first document what it is."""
    if not documents:
        return ", which is empty"
    return f", but a {documents[0].kind}" if documents[0].kind else f", but a map without kind: {KIND}"


def is_served(document: Document) -> bool:
    """Tell the answer of /configz, which has no apiVersion, from a file."""
    return not get_text(document.data, "kind")


def _inside(document: Document) -> Iterator[Document]:
    if document.kind == KIND:
        yield document
    elif isinstance(document.data.get(CONFIGZ), dict):
        data = get_object(document.data, CONFIGZ)
        repeated = tuple(path[1:] for path in document.repeated if path[0] == CONFIGZ and len(path) > 1)
        yield Document(data, _Within(document.lines, CONFIGZ), document.source, repeated)
    elif document.kind == _CONFIG_MAP:
        written = get_text(get_object(document.data, "data"), _KUBEADM)
        source = f"{document.source} (data.{_KUBEADM})"
        yield from (one for one in read_stream(written, source, as_go=True) if one.kind == KIND)
