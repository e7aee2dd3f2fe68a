"""Lock a file between processes; the system releases it when its holder dies."""

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(path: Path, wait: Callable[[], None] | None = None, *, is_shared: bool = False) -> Iterator[None]:
    """Hold the file, which is made if it is not there, with its folder.

    While another process holds it, ``wait`` is called before each new attempt; it may raise to give up. Without it,
    the system waits. Several may hold it at the same time if all of them say ``is_shared``.
    """
    kind = fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        while True:
            try:
                fcntl.flock(file, kind if wait is None else kind | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                assert wait is not None  # noqa: S101 - else the call blocks
                wait()
        yield


def is_held(path: Path) -> bool:
    """Whether any process holds the file; one that is not there, nobody does."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        pass
    return False
