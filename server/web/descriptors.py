"""File descriptors: how many this process may have open."""

import resource
from contextlib import suppress

WANTED = 65_536
"""Descriptors that a server has use for; a system's hard limit may be a billion."""


def raise_limit() -> int:
    """Raise the soft limit of open descriptors as far as the hard one allows; return what it is then."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = WANTED if hard == resource.RLIM_INFINITY else min(WANTED, hard)
    if soft == resource.RLIM_INFINITY or soft >= highest:
        return limit()
    with suppress(ValueError, OSError):  # macOS says infinity, and has a limit of its own
        resource.setrlimit(resource.RLIMIT_NOFILE, (highest, hard))
    return limit()


def limit() -> int:
    """The descriptors that this process may have open at once."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return WANTED if soft == resource.RLIM_INFINITY else soft
