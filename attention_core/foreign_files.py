"""Open files of folders that strangers made: regular ones alone, of bounded size, and without ever waiting.

Models, adapters, atlases and corpora are files of others. A named pipe in the place of one would be waited for until
somebody writes, a device never ends, a sparse file of gigabytes costs its maker nothing, and each call of the system
may fail. So whatever reads such a folder asks here: what is there (never raises), and what is in it (raises
``ForeignFileError``, whose sentence says why and what to do).
"""

import errno
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path

from attention_core.refusal import Refusal, Sentence

MAX_ENTRIES = 10_000
"""Of one folder that are looked at."""
LONGEST_NAME = 80
"""Characters of a file's name that a sentence shows."""
WITHOUT_WAITING = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY

KINDS: Mapping[int, Sentence] = {
    stat.S_IFDIR: Sentence("a folder"),
    stat.S_IFIFO: Sentence("a named pipe"),
    stat.S_IFSOCK: Sentence("a socket"),
    stat.S_IFCHR: Sentence("a device"),
    stat.S_IFBLK: Sentence("a device"),
}
FORBIDDEN = Sentence(
    "{name} cannot be read: the account that runs the server is not permitted to. Change its owner or its permissions "
    "(chmod a+rX)."
)
ENDLESS = Sentence("{name} is a link that leads back to itself. Put the file itself in its place.")
NOWHERE = Sentence(
    "{name} is a link to a place that is not there. In a container, mount the folder that it leads to in its stead."
)


class ForeignFileError(Refusal):
    """A file or folder that is not read; the sentence says why and what to do."""

    code = "file_unreadable"


def is_there(path: Path) -> bool:
    """Whether there is anything of this name, a link to nowhere included. Never raises."""
    try:
        return os.path.lexists(path)
    except ValueError:  # a name with a NUL
        return False


def is_file(path: Path) -> bool:
    """Whether this is a regular file, or a link to one. Never raises."""
    status = _stat(path)
    return status is not None and stat.S_ISREG(status.st_mode)


def is_folder(path: Path) -> bool:
    """Whether this is a folder, or a link to one. Never raises."""
    status = _stat(path)
    return status is not None and stat.S_ISDIR(status.st_mode)


def is_dangling(path: Path) -> bool:
    """Whether this is a link that leads to nothing. Never raises."""
    return is_there(path) and _stat(path) is None


def is_endless(path: Path) -> bool:
    """Whether this is a link that leads back to itself. Never raises."""
    try:
        os.stat(path)
    except OSError as error:
        return error.errno == errno.ELOOP
    except ValueError:
        pass
    return False


def resolved(path: Path) -> Path:
    """The path with its links followed, as far as they lead anywhere. Never raises."""
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):  # a loop of links is a RuntimeError before Python 3.13
        return path.absolute()


def state_of(path: Path) -> tuple[int, int] | None:
    """Size and time of modification (ns) of a regular file; None of anything else. Never raises."""
    status = _stat(path)
    return (status.st_size, status.st_mtime_ns) if status is not None and stat.S_ISREG(status.st_mode) else None


def trace_of(path: Path) -> tuple[int, int]:
    """As ``state_of``; of anything else, and of what cannot be looked at, two numbers that change with it."""
    status = _stat(path)
    if status is None:
        try:
            return -1, os.lstat(path).st_mtime_ns
        except (OSError, ValueError):
            return -1, 0
    return status.st_size if stat.S_ISREG(status.st_mode) else -stat.S_IFMT(status.st_mode), status.st_mtime_ns


def changed_at(path: Path) -> int:
    """When a file or folder was modified (ns); 0 where that cannot be known. Never raises."""
    status = _stat(path)
    return 0 if status is None else status.st_mtime_ns


def is_below(path: Path, root: Path) -> bool:
    """Whether a path, links followed, is inside a folder and not that itself. Never raises."""
    inner, top = resolved(path), resolved(root)
    return inner != top and inner.is_relative_to(top)


def entries(folder: Path) -> list[Path]:
    """What is in a folder, sorted. Raises ForeignFileError if it cannot be read, or holds too much."""
    names: list[str] = []
    with reasons(folder), os.scandir(folder) as scanned:
        for entry in scanned:
            names.append(entry.name)
            if len(names) > MAX_ENTRIES:
                raise ForeignFileError(
                    "{name} holds more than {limit} files, the most that are looked at. Move the others elsewhere.",
                    shown(folder.name),
                    limit=MAX_ENTRIES,
                )
    return [folder / name for name in sorted(names)]


def checked(path: Path, max_bytes: int | None = None) -> Path:
    """The path, for a library that opens it itself. Raises ForeignFileError unless it could be opened here."""
    with opened(path, max_bytes):
        return path


@contextmanager
def opened(path: Path, max_bytes: int | None = None) -> Iterator[BufferedReader]:
    """A regular file, open for reading, of at most this size.

    Raises ForeignFileError if it is anything else, also while it is read.
    """
    with reasons(path), _open(path) as file:
        if max_bytes is not None and os.fstat(file.fileno()).st_size > max_bytes:
            raise _too_large(path, max_bytes)
        yield file


def read(path: Path, max_bytes: int) -> bytes:
    """A whole file. Raises ForeignFileError if it is no regular file, or larger."""
    with opened(path, max_bytes) as file:
        content = file.read(max_bytes + 1)
    if len(content) > max_bytes:  # it has grown meanwhile
        raise _too_large(path, max_bytes)
    return content


@contextmanager
def reasons(path: Path) -> Iterator[None]:
    """Raise what the system says of a path as a ForeignFileError."""
    try:
        yield
    except OSError as error:
        raise ForeignFileError(_why(path, error)) from error
    except ValueError as error:
        if "null" not in str(error):  # "embedded null byte", "embedded null character"
            raise
        raise ForeignFileError("{name} is not the name of a file.", shown(path.name)) from error


def why_unreadable(path: Path) -> Sentence | None:
    """Why a file is not read, by what it is; None if it is."""
    try:
        checked(path)
    except ForeignFileError as error:
        return error.sentence
    return None


def shown(name: str) -> str:
    """A file's name as a sentence may show it: short and printable."""
    return name if len(name) <= LONGEST_NAME and name.isprintable() else f"{name[:LONGEST_NAME]!a}…"


def _stat(path: Path) -> os.stat_result | None:
    try:
        return os.stat(path)
    except (OSError, ValueError):
        return None


def _open(path: Path) -> BufferedReader:
    """Looked at before it is opened, since opening a device may do something, and after, since it may be another."""
    _check_regular(path, os.stat(path).st_mode)
    descriptor = os.open(path, WITHOUT_WAITING)
    try:
        _check_regular(path, os.fstat(descriptor).st_mode)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def _check_regular(path: Path, mode: int) -> None:
    if not stat.S_ISREG(mode):
        kind = KINDS.get(stat.S_IFMT(mode), Sentence("something else"))
        raise ForeignFileError("{name} is {kind}, not a file. Put the file in its place.", shown(path.name), kind)


def _too_large(path: Path, limit: int) -> ForeignFileError:
    return ForeignFileError(
        "{name} is larger than {limit} bytes, the most that is read of such a file.", shown(path.name), limit=limit
    )


def _why(path: Path, error: OSError) -> Sentence:
    name = shown(path.name)
    if error.errno in (errno.EACCES, errno.EPERM):
        return Sentence(FORBIDDEN.template, name)
    if error.errno == errno.ELOOP:
        return Sentence(ENDLESS.template, name)
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return Sentence(NOWHERE.template, name) if is_there(path) else Sentence("{name} is missing.", name)
    return Sentence("{name} cannot be read ({problem}).", name, os.strerror(error.errno or 0))
