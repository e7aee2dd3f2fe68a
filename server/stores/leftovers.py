"""Uploads on their way and what is being deleted, neither ever found half there; and sweeping what kills have left.

Several servers may use the folder, so that nothing goes which another holds the lock of.
"""

import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from attention_core import foreign_files
from attention_core.atlas.file_lock import is_held, locked
from attention_core.disk_room import is_partial
from attention_core.foreign_files import ForeignFileError

INCOMING = "incoming-"
"""How the folders of uploads on their way begin."""
DELETED = "deleted-"
"""How the folders of what is being deleted begin."""
LOCK = ".lock"
HOUR_S, DAY_S = 3_600, 86_400


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


def sweep(folder: Path, is_left: Callable[[Path], bool] = lambda _path: False) -> None:
    """Delete from a folder what was on its way in or out when a server was killed, and the folders that are left over.

    What somebody holds the lock of stays, and so does what cannot be deleted. ``is_left`` is asked of any other folder.
    """
    for path in entries_of(folder):
        if foreign_files.is_folder(path):
            is_incoming = path.name.startswith(INCOMING) and not is_held(path.with_suffix(LOCK))
            if path.name.startswith(DELETED) or is_incoming or is_left(path):
                shutil.rmtree(path, ignore_errors=True)
            for each in entries_of(path):
                _remove_partial(each)
        elif path.name.startswith(INCOMING) and not is_held(path) and not foreign_files.is_there(path.with_suffix("")):
            with suppress(OSError):
                path.unlink()
        _remove_partial(path)


def entries_of(folder: Path) -> list[Path]:
    """What is in a folder; nothing where that cannot be read."""
    try:
        return foreign_files.entries(folder)
    except ForeignFileError:
        return []


def taken_bytes(folder: Path) -> int:
    """Bytes of the files in a folder and in its folders."""
    return sum(state[0] for path in folder.rglob("*") if (state := foreign_files.state_of(path)) is not None)


def is_old(path: Path, seconds: float) -> bool:
    """Whether this has not changed for so long."""
    return time.time() - foreign_files.changed_at(path) / 1e9 > seconds


def _remove_partial(path: Path) -> None:
    """Delete a file that nobody goes on writing."""
    if is_partial(path) and is_old(path, HOUR_S):
        with suppress(OSError):
            path.unlink()
