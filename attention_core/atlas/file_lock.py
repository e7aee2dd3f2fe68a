"""Lock a file between processes; the system releases it when its holder dies."""

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(path: Path, wait: Callable[[], None] | None = None, *, together: bool = False) -> Iterator[None]:
    """Hold the file, which is made if it is not there, with its folder: alone, or ``together`` with others like it.

    While another process holds it, ``wait`` is called before each new attempt; it may raise to give up. Without it,
    the system waits.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        how = fcntl.LOCK_SH if together else fcntl.LOCK_EX
        while True:
            try:
                fcntl.flock(file, how if wait is None else how | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                assert wait is not None  # noqa: S101 - else the call blocks
                wait()
        yield
