"""Keep freed memory in the process for the next step."""

import ctypes
import ctypes.util

M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_MAX, M_ARENA_MAX = -1, -2, -4, -8
"""As in glibc's malloc.h."""


def keep_freed_memory() -> bool:
    """Tell glibc not to return large blocks to the system; False with another C library.

    Every training step allocates and frees the same hundreds of megabytes. If they are returned to the system, the
    kernel clears them page by page each time, which on two cores took as long as the training itself.
    """
    library = ctypes.util.find_library("c")
    mallopt = getattr(ctypes.CDLL(library), "mallopt", None) if library else None
    if mallopt is None:
        return False
    settings = ((M_MMAP_MAX, 0), (M_TRIM_THRESHOLD, 2**31 - 1), (M_TOP_PAD, 2**28), (M_ARENA_MAX, 1))
    accepted = [mallopt(name, value) == 1 for name, value in settings]
    return all(accepted)
