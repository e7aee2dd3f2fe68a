"""Write files whole or not at all, and say which folder has no room for them.

A disk that is full or read-only is nobody's mistake and passes: whoever writes into a folder does so within
``room_in``, which raises what the system says of it as one ``NoRoomError`` that names the folder. It is never
remembered as a fact about what was to be written, so that the same request succeeds once there is room.
"""

import errno
import logging
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import ClassVar

from attention_core.refusal import Refusal, Sentence

FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
UNWRITABLE = frozenset({errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO})
CODE = re.compile(r"\(os error (\d+)\)|\[Errno (\d+)\]")
"""What libraries in Rust, and errors of other processes, say of an error of the system."""
PARTIAL = ".partial"
"""How the names of files end that are not whole yet; they begin with a dot."""

logger = logging.getLogger(__name__)


class NoRoomError(Refusal):
    """A folder that is full or cannot be written; the sentence names it."""

    code: ClassVar[str] = "insufficient_storage"


@contextmanager
def room_in(place: Sentence | Path) -> Iterator[None]:
    """Raise what the system says of a full or read-only disk as a NoRoomError that names the place.

    ``place`` is what the folder is called where a sentence begins, or its path, of which the last part is shown. The
    whole error goes to the log. Any other error stays what it is.
    """
    try:
        yield
    except Exception as error:
        reason = _why_no_room(place, error)
        if reason is None:
            raise
        logger.warning("%s (%s)", reason, error)
        raise NoRoomError(reason) from error


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A path beside ``path`` to write to, which takes its place at the end; where anything is raised, it is removed.

    So no other file system is involved, and nobody ever reads half a file. Who is killed meanwhile leaves it behind;
    ``is_partial`` tells it from what is whole.
    """
    partial = path.with_name(f".{path.name}.{secrets.token_hex(8)}{PARTIAL}")
    try:
        yield partial
        os.replace(partial, path)
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def is_partial(path: Path) -> bool:
    """Whether this is a file that ``replacing`` had begun."""
    return path.name.startswith(".") and path.name.endswith(PARTIAL)


def free_bytes(folder: Path) -> int | None:
    """Bytes that may still be written to the disk of a folder; None where the system does not say.

    A folder that is not there yet will be on the disk of the nearest one above it.
    """
    for place in (folder, *folder.absolute().parents):
        with suppress(OSError, ValueError):
            statistics = os.statvfs(place)
            return statistics.f_bavail * statistics.f_frsize
    return None


def _why_no_room(place: Sentence | Path, error: Exception) -> Sentence | None:
    if isinstance(error, Refusal):
        return None
    number = _error_number(error)
    called = place if isinstance(place, Sentence) else Sentence("The folder {name}", place.name)
    if number in FULL:
        return Sentence("{place} is full. Try again once there is room.", called)
    if number in UNWRITABLE:
        problem = os.strerror(number)
        return Sentence("{place} cannot be written ({problem}). Try again once it can be.", called, problem)
    return None


def _error_number(error: Exception) -> int:
    """The system's number of an error; 0 of any other."""
    if isinstance(error, OSError):
        return error.errno or 0
    match = CODE.search(str(error))
    return 0 if match is None else int(match[1] or match[2])
