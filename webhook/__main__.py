"""Runs the `numagate` program as `python -m webhook`."""

from webhook.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
