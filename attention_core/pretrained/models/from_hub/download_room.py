"""Whether a model of the Hub may be fetched: by what its files take, before the first byte of them.

It is compared with the limit of models in memory, with what the disk has left, and with what this server may keep of
the Hub. To make room, models go that the server has fetched itself, the oldest first; what others have put into the
cache is theirs.
"""

import shutil
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from attention_core import foreign_files
from attention_core.disk_room import NoRoomError, free_bytes, room_in
from attention_core.foreign_files import ForeignFileError
from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models.entries import beyond_memory
from attention_core.pretrained.models.files.hub_cache import PREFIX, repository_of
from attention_core.refusal import Sentence

CACHE = Sentence("The cache of the Hugging Face Hub (HF_HOME)")
MARK = ".fetched"
"""In the folder of a model that this program has fetched."""
UNFINISHED = ".incomplete"
"""How the names of files end that the Hub's client has begun."""
WIDEST = 4
"""Bytes of a number in files: where it takes fewer in memory, so does the model."""
RESERVE = 2**26
"""Bytes of the disk that a download leaves free."""

_making_room = threading.Lock()


@dataclass(frozen=True)
class DownloadRoom:
    """How much may be fetched."""

    max_model_bytes: int
    max_cache_bytes: int
    number_bytes: int
    """Of a number in memory."""

    def make(self, model_id: str, sizes: Mapping[str, int], cache: Path) -> None:
        """Make room for these files (bytes by name) in a cache, and note that the model is fetched.

        Raises ModelUnavailableError if they are too much for the memory or for the cache, NoRoomError if the disk has
        less left.
        """
        weights = sum(size for name, size in sizes.items() if name.endswith(".safetensors"))
        least = weights * min(self.number_bytes, WIDEST) // WIDEST
        if (reason := beyond_memory(least, self.max_model_bytes)) is not None:
            raise ModelUnavailableError(reason)
        needed = sum(sizes.values())
        if needed > self.max_cache_bytes:
            raise ModelUnavailableError(
                "Its files have {needed} bytes; models of the Hub may take at most {max_hub_cache_bytes} on disk "
                "(max_hub_cache_bytes).",
                f"{needed:,}",
                f"{self.max_cache_bytes:,}",
            )
        repository = repository_of(cache, model_id)
        with _making_room, room_in(CACHE):
            missing = needed - min(needed, _taken(repository))
            left = free_bytes(cache)
            if left is not None and missing + RESERVE > left + sum(map(_taken, _fetched(cache, repository))):
                raise _too_full(missing, left)
            self._discard_oldest(cache, repository, needed, missing)
            repository.mkdir(parents=True, exist_ok=True)
            if not foreign_files.is_there(repository / "snapshots"):
                (repository / MARK).touch()  # what is there already is somebody's

    def _discard_oldest(self, cache: Path, repository: Path, needed: int, missing: int) -> None:
        kept = {folder: _taken(folder) for folder in _fetched(cache, repository)}
        while kept and (sum(kept.values()) + needed > self.max_cache_bytes or _lacks(cache, missing)):
            oldest = next(iter(kept))
            shutil.rmtree(oldest)
            del kept[oldest]


def discard_unfinished(cache: Path, model_id: str) -> None:
    """Remove the files of a model that are not whole, since what they would become is not what was announced."""
    with suppress(OSError, ForeignFileError):
        for path in foreign_files.entries(repository_of(cache, model_id) / "blobs"):
            if path.name.endswith(UNFINISHED):
                path.unlink(missing_ok=True)


def _too_full(needed: int, left: int) -> NoRoomError:
    return NoRoomError(
        "{place} has {left} bytes left; this model needs {needed}. Try again once there is room.",
        CACHE,
        f"{left:,}",
        f"{needed:,}",
    )


def _lacks(cache: Path, needed: int) -> bool:
    left = free_bytes(cache)
    return left is not None and needed + RESERVE > left


def _fetched(cache: Path, aside: Path) -> list[Path]:
    """The folders of the models that were fetched here, the oldest first, one aside."""
    with suppress(ForeignFileError):
        folders = [path for path in foreign_files.entries(cache) if path.name.startswith(PREFIX) and path != aside]
        marked = [path for path in folders if foreign_files.is_file(path / MARK)]
        return sorted(marked, key=lambda path: foreign_files.changed_at(path / MARK))
    return []


def _taken(folder: Path) -> int:
    """Bytes of the files of a model, each once: snapshots are links to blobs."""
    total = 0
    with suppress(ForeignFileError):
        for path in foreign_files.entries(folder):
            if foreign_files.is_folder(path):
                total += 0 if path.is_symlink() else _taken(path)
            elif not path.is_symlink():
                total += (foreign_files.state_of(path) or (0, 0))[0]
    return total
