"""Runs numagate's command line for each request from /run/look/asked: a start takes this guest a long time.

A request is a JSON list of arguments; after the word `record`, what was read meanwhile is printed too. What is printed
is in /run/look/out afterwards, and the status in /run/look/status, which is there last.
"""

import contextlib
import io
import json
import os
from pathlib import Path

import recorder

# Before the first request, which would load these itself.
from webhook.cli.main import main

FOLDER = Path("/run/look")


def run() -> None:
    """Answer requests for ever, one after the other."""
    os.mkfifo(FOLDER / "asked")
    while True:
        arguments = json.loads((FOLDER / "asked").read_text("utf-8"))
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            try:
                status = recorder.run(arguments[1:]) if arguments[0] == "record" else main(arguments)
            except SystemExit as end:
                status = end.code
        (FOLDER / "out").write_text(said.getvalue(), "utf-8")
        (FOLDER / "new").write_text(f"{status}\n", "utf-8")
        (FOLDER / "new").replace(FOLDER / "status")


if __name__ == "__main__":
    run()
