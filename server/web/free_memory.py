"""Give memory that is free back to the system.

The C library keeps what is freed between other allocations. After large answers or long computations that is most of
what they took, so that a server would stand for ever at its busiest moment.
"""

import ctypes
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

LONG_S = 0.25
"""Seconds of a computation after which giving back costs little beside it."""


def trim() -> None:
    """Give back what is free, a matter of milliseconds; what is needed next is asked for anew."""
    with suppress(AttributeError, OSError):  # only glibc has it
        ctypes.CDLL(None).malloc_trim(0)


@contextmanager
def trimming() -> Iterator[None]:
    """``trim`` after what is done here, if it took long."""
    began = time.monotonic()
    try:
        yield
    finally:
        if time.monotonic() - began > LONG_S:
            trim()
