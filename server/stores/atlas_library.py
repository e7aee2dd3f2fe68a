"""The atlases in a folder: what there is, what is damaged, and deleting one. Other servers may use the same folder."""

import re
from collections.abc import Set
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from attention_core import foreign_files
from attention_core.atlas.file_lock import is_held, locked
from attention_core.atlas.reading.atlas import ABOUT, Atlas, AtlasError, open_atlas
from attention_core.disk_room import NoRoomError, room_in
from attention_core.foreign_files import ForeignFileError
from attention_core.refusal import Sentence
from ..web.errors import ApiError
from .folders import ATLASES
from .kept_owners import KeptOwners, leaving
from .leftovers import LOCK, discard, taken_bytes

NOTE = ".scan"
"""Beside an atlas: what it is of."""
ID = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True)
class DamagedAtlas:
    """A folder that cannot be read as an atlas."""

    id: str
    reason: Sentence


class AtlasLibrary:
    """Atlases by id, each a folder of this name. Used from any thread; nothing is kept but the files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.owners = KeptOwners(folder)

    def all(self) -> tuple[list[Atlas], list[DamagedAtlas]]:
        """Those that can be read, and those that cannot."""
        whole, damaged = [], []
        for folder in self._folders():
            try:
                whole.append(open_atlas(folder))
            except AtlasError as error:
                damaged.append(DamagedAtlas(folder.name, error.sentence))
        return whole, damaged

    def has(self, atlas_id: str) -> bool:
        """Whether there is such a folder, damaged or not."""
        return ID.fullmatch(atlas_id) is not None and foreign_files.is_there(self.folder / atlas_id / ABOUT)

    def get(self, atlas_id: str) -> Atlas:
        """An atlas. Raises ApiError 404, and AtlasError for a damaged one."""
        if not self.has(atlas_id):
            raise ApiError(
                404,
                "unknown_atlas",
                "There is no such atlas; GET /api/atlases lists those there are.",
                field="atlas_id",
            )
        return open_atlas(self.folder / atlas_id)

    def remove(self, atlas_id: str) -> None:
        """Delete a folder; those who are reading it may fail. It is renamed first, so that no half of it is found.

        Raises ApiError 409 if another server is scanning it, NoRoomError if nothing can be deleted there.
        """
        with room_in(ATLASES):
            with suppress(FileNotFoundError), locked(self.folder / f"{atlas_id}{LOCK}", _refuse):
                discard(self.folder / atlas_id)
            self.owners.forget(atlas_id)
            (self.folder / f"{atlas_id}{NOTE}").unlink(missing_ok=True)

    def make_room(self, most_bytes: int, keep: Set[str]) -> None:
        """Delete atlases, except those of these corpora (hashes), until all are within the bytes.

        Damaged ones count too, and what stopped scans have left. The oldest of the client whose take most leave.
        """
        atlases, damaged = self.all()
        folders = [*(each.folder for each in atlases), *(self.folder / each.id for each in damaged)]
        folders = sorted((*folders, *self.unfinished()), key=_changed)
        kept = [(folder.name, self.owners.of(folder.name).values(), taken_bytes(folder)) for folder in folders]
        staying = {each.facts.id for each in atlases if each.facts.corpus_hash in keep}
        for atlas_id in leaving(kept, most_bytes, staying):
            with suppress(ApiError, NoRoomError):
                self.remove(atlas_id)

    def unfinished(self) -> list[Path]:
        """The folders of atlases that are not whole, and that no process is scanning."""
        with suppress(ForeignFileError):
            folders = [path for path in foreign_files.entries(self.folder) if ID.fullmatch(path.name)]
            return [
                path
                for path in folders
                if foreign_files.is_folder(path) and not self.has(path.name) and not is_held(path.with_suffix(LOCK))
            ]
        return []

    def _folders(self) -> list[Path]:
        try:
            return [path for path in foreign_files.entries(self.folder) if self.has(path.name)]
        except ForeignFileError:
            return []


def _changed(folder: Path) -> int:
    """When an atlas was finished, or what is there of one was begun (ns)."""
    return foreign_files.changed_at(folder / ABOUT) or foreign_files.changed_at(folder)


def _refuse() -> None:
    raise ApiError(409, "scan_elsewhere", "Another server is scanning this atlas; stop it there.", field="atlas_id")
