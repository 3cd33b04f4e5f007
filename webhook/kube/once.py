"""Says a thing once: an API server that is away for an hour is worth one line of the log, not hundreds."""

import logging


class Once:
    """A logger of warnings that leaves out what it has just said; `again` after the trouble is over."""

    def __init__(self, logger: logging.Logger) -> None:
        self._logger = logger
        self._said = ""

    def warn(self, message: str, *, trouble: str = "") -> None:
        """Log the message, unless it is the last one again, or of the same `trouble` in other words."""
        said = trouble or message
        if said != self._said:
            self._logger.warning("%s", message)
        self._said = said

    def again(self) -> None:
        """Forget what was said: it would be news."""
        self._said = ""
