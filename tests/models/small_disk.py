"""A disk of a few hundred kilobytes, which a test fills, makes room on, and makes read-only."""

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

READ_ONLY, REMOUNT, DETACH = 1, 32, 2
"""Of mount(2) and umount2(2)."""
BALLAST = "ballast"


@dataclass(frozen=True)
class SmallDisk:
    """A file system in memory."""

    folder: Path

    def fill(self, leaving: int = 0) -> None:
        """Take all room but these bytes."""
        ballast = self.folder / BALLAST
        with ballast.open("wb", buffering=0) as file:
            try:
                while file.write(bytes(4_096)):
                    pass
            except OSError:
                pass
            file.truncate(max(0, file.tell() - leaving))

    def make_room(self) -> None:
        """Give back what ``fill`` has taken."""
        (self.folder / BALLAST).unlink()

    def protect(self, is_protected: bool = True) -> None:
        """Make it read-only, or writable again."""
        _mount(self.folder, REMOUNT | (READ_ONLY if is_protected else 0), None)


@contextmanager
def small_disk(folder: Path, nbytes: int) -> Iterator[SmallDisk]:
    """A disk of this size at a new folder. Skips the test where this account may not mount one."""
    folder.mkdir()
    try:
        _mount(folder, 0, f"size={nbytes}")
    except OSError as error:
        pytest.skip(f"no disk can be mounted here: {error}")
    try:
        yield SmallDisk(folder)
    finally:
        ctypes.CDLL(None).umount2(os.fsencode(folder), DETACH)


def _mount(folder: Path, flags: int, options: str | None) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "mount"):
        raise OSError("this system has no mount(2)")
    given = None if options is None else options.encode()
    if libc.mount(b"tmpfs", os.fsencode(folder), b"tmpfs", ctypes.c_ulong(flags), given):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
