"""Which corpora are in use: a file beside each, locked by the scans of every server with this folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from attention_core.atlas.file_lock import locked
from ..web.errors import ApiError

SUFFIX = ".lock"


@contextmanager
def in_use(folder: Path) -> Iterator[None]:
    """Keep a corpus from being deleted, by any server. Raises ApiError 404 where it has been by now."""
    _check_there(folder)
    with locked(_beside(folder), refuse_unknown, is_shared=True):
        _check_there(folder)  # still
        yield


@contextmanager
def out_of_use(folder: Path) -> Iterator[None]:
    """Keep a corpus from being scanned while it is deleted. Raises ApiError 409 while any server scans it."""
    lock = _beside(folder)
    with locked(lock, _refuse_used):
        yield
        if not folder.exists():
            lock.unlink(missing_ok=True)


def is_used(folder: Path) -> bool:
    """Whether any server scans a corpus."""
    try:
        with out_of_use(folder):
            return False
    except ApiError:
        return True


def refuse_unknown() -> NoReturn:
    """Raise ApiError 404."""
    raise ApiError(
        404, "unknown_corpus", "There is no such corpus; GET /api/corpora lists those there are.", field="corpus"
    )


def _check_there(folder: Path) -> None:
    if not folder.is_dir():
        refuse_unknown()


def _beside(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}{SUFFIX}")


def _refuse_used() -> NoReturn:
    raise ApiError(409, "corpus_in_use", "This corpus is being scanned; stop the scan first.", field="corpus_id")
