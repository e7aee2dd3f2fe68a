"""Folders of uploads on their way, and of what is being deleted: neither is ever found half there.

Several servers may use the folder, so that nothing goes which another holds the lock of.
"""

import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from attention_core.atlas.file_lock import locked

INCOMING = "incoming-"
"""How the folders of uploads on their way begin."""
DELETED = "deleted-"
"""How the folders of what is being deleted begin."""
LOCK = ".lock"


class _InUseError(Exception):
    """Another process holds the lock."""


@contextmanager
def incoming_folder(parent: Path) -> Iterator[Path]:
    """A new folder for what is on its way, removed at the end. A lock beside it says that somebody is at it.

    Raises OSError where it cannot be made.
    """
    folder = parent / f"{INCOMING}{secrets.token_hex(8)}"
    lock = folder.with_suffix(LOCK)
    with locked(lock, _in_use):
        try:
            folder.mkdir(parents=True)
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            with suppress(OSError):
                lock.unlink(missing_ok=True)


def discard(folder: Path) -> None:
    """Delete a folder, renamed first, so that no half of it is found. Raises OSError if it cannot be renamed."""
    gone = folder.with_name(f"{DELETED}{secrets.token_hex(8)}")
    folder.rename(gone)
    shutil.rmtree(gone, ignore_errors=True)


def _in_use() -> None:
    raise _InUseError
