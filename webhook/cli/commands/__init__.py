"""One subcommand per file; each module exports COMMAND."""
