"""Errors that a person can act on.

NumagateError
├── PolicyError      a policy or profile document is wrong
├── RequestError     a request cannot be read (the HTTP edge answers 4xx)
└── InputError       an input file of a command cannot be read
"""


class NumagateError(Exception):
    """Base of the errors that commands print in one line and end with exit code 2."""


class PolicyError(NumagateError):
    """A policy or profile document is wrong: `source` (file), `line` (1-based, or 0) and `field` name the place."""

    def __init__(self, message: str, *, source: str = "", line: int = 0, field: str = "") -> None:
        """Keep the place apart from the message, so that logs can show both."""
        place = ":".join(part for part in (source, str(line) if line else "") if part)
        super().__init__(": ".join(part for part in (place, field, message) if part))
        self.source = source
        self.line = line
        self.field = field
        self.reason = message


class RequestError(NumagateError):
    """A request cannot be read: answered with HTTP `status` and the Kubernetes `reason`."""

    def __init__(self, message: str, *, status: int = 400, reason: str = "BadRequest") -> None:
        """Keep status and reason for the metav1.Status reply."""
        super().__init__(message)
        self.status = status
        self.reason = reason


class InputError(NumagateError):
    """An input file cannot be read: file, document (0-based) and line (1-based) name the place."""

    def __init__(self, message: str, *, file: str, document: int | None = None, line: int | None = None) -> None:
        """Keep the place apart from the message."""
        place = ":".join([file] + ([str(line)] if line is not None else []))
        which = f" (document {document})" if document is not None else ""
        super().__init__(f"{place}{which}: {message}")
        self.file = file
        self.document = document
        self.line = line
        self.reason = message
