"""Makes explanations for the tests of `numagate explain`, from objects as a user writes them."""

import io
from typing import Any

import yaml
from builders import world

from webhook.cli.wiring import load_workloads
from webhook.domain.topology import NodeClass
from webhook.engine.explain import explain
from webhook.engine.explanation import ExplainedClass
from webhook.engine.explanation import ExplainedTemplate
from webhook.engine.explanation import Explanation
from webhook.sources.manifests import read_manifests

HOSTILE = "\x1b[2J\n::error::x\r##vso[a]y\u202e[red]</title><script>alert(1)</script>\"'&\U0001f600"
"""Text that a terminal, a CI runner, a markup renderer or a browser would obey."""


def explained(
    *objects: dict[str, Any],
    classes: tuple[NodeClass, ...] = (),
    machine: str | None = "two-socket-32c",
    as_written: bool = False,
    **changes: Any,
) -> Explanation:
    """Explain `objects` on `classes`, or a machine of the library; `changes` are fields of the policy."""
    return explained_text(
        yaml.safe_dump_all(objects), classes=classes, machine=machine, as_written=as_written, **changes
    )


def explained_text(
    text: str,
    *,
    classes: tuple[NodeClass, ...] = (),
    machine: str | None = "two-socket-32c",
    as_written: bool = False,
    **changes: Any,
) -> Explanation:
    """Explain the documents of a file."""
    reading = read_manifests(["-"], stdin=io.BytesIO(text.encode()))
    return explain(
        reading.manifests,
        reading.errors,
        files=1,
        world=world(*classes, machine=machine, **changes),
        workloads=load_workloads(),
        default_namespace="default",
        as_written=as_written,
    )


def only(explanation: Explanation) -> tuple[ExplainedTemplate, ExplainedClass]:
    """Answer the only template and its only class."""
    (template,) = explanation.templates
    (one,) = template.classes
    return template, one
