"""Keeps what a serving process holds in its memory (a private key, pods with their environment) out of files."""

import resource


def without_core_dumps() -> None:
    """Let the kernel write no core dump of this process.

    A limit of 0 bytes stops files only. One of 1, too little for any dump, also stops those that the kernel pipes to a
    collector (fs/coredump.c); a process that was given 0 may not raise it, and keeps it.
    """
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    limit = 0 if most == 0 else 1
    resource.setrlimit(resource.RLIMIT_CORE, (limit, limit))
