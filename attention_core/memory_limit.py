"""Limit the memory that this process may take beyond what it has: what decodes a stranger's file runs under it.

What the readers bound is what a file says of itself. This holds also where a decoder is wrong, or is deceived.
"""

import errno
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

TAKEN = Path("/proc/self/statm")
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
"""Read by Arrow when it is imported: in the processes that are started from here, where it would reserve a gigabyte of
addresses when it is first used, and fail under the limit."""

_most_seconds: float | None = None


@contextmanager
def limited_memory(nbytes: int, most_seconds: float) -> Iterator[None]:
    """Raise MemoryError where more would be allocated than the addresses taken now and these bytes.

    Where not even the exception can be allocated, Python 3.11 tries for ever. So the process is ended (SIGPROF) after
    these seconds of its own time without ``goes_on``.

    It counts addresses, of which little more than what is used are taken. For a process with nothing else to do. Where
    the system has no such limit (it is Linux's), there is none.
    """
    global _most_seconds  # noqa: PLW0603 - of the process, as its limits are
    if resource is None or not TAKEN.is_file():
        yield
        return
    taken = int(TAKEN.read_text().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    wanted = taken + nbytes
    if before[0] != resource.RLIM_INFINITY:
        wanted = min(wanted, before[0])
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (wanted, before[1]))
    _most_seconds = most_seconds
    goes_on()
    try:
        yield
    finally:
        _most_seconds = None
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_AS, before)


def goes_on() -> None:
    """Say under the limit that something has been read, so that the time begins anew."""
    if _most_seconds is not None:
        signal.setitimer(signal.ITIMER_PROF, _most_seconds)


def lacks_memory(error: BaseException | None) -> bool:
    """Whether this was raised for want of memory, or while that was being handled: then cleaning up may fail too.

    Compiled code that is given no memory may fail without an exception, which Python says by a SystemError.
    """
    while error is not None:
        if isinstance(error, MemoryError | SystemError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
            return True
        error = error.__cause__ or error.__context__
    return False
