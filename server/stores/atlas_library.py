"""The atlases in a folder: what there is, what is damaged, and deleting one. Other servers may use the same folder."""

import re
import secrets
import shutil
from collections.abc import Set
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from attention_core.atlas.file_lock import locked
from attention_core.atlas.reading.atlas import ABOUT, Atlas, AtlasError, open_atlas
from attention_core.refusal import Sentence
from ..web.errors import ApiError

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
        return ID.fullmatch(atlas_id) is not None and (self.folder / atlas_id / ABOUT).is_file()

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

        Raises ApiError 409 if another server is scanning it.
        """
        gone = self.folder / f"deleted-{secrets.token_hex(8)}"
        with suppress(FileNotFoundError), locked(self.folder / f"{atlas_id}.lock", _refuse):
            (self.folder / atlas_id).rename(gone)
        shutil.rmtree(gone, ignore_errors=True)

    def make_room(self, most_bytes: int, keep: Set[str]) -> None:
        """Delete the oldest atlases, except those of these corpora (hashes), until the others are within the bytes."""
        atlases, _ = self.all()
        excess = sum(atlas.facts.nbytes for atlas in atlases) - most_bytes
        for atlas in sorted(atlases, key=lambda each: (each.folder / ABOUT).stat().st_mtime_ns):
            if excess > 0 and atlas.facts.corpus_hash not in keep:
                excess -= atlas.facts.nbytes
                with suppress(ApiError):
                    self.remove(atlas.facts.id)

    def _folders(self) -> list[Path]:
        try:
            return sorted(path for path in self.folder.iterdir() if self.has(path.name))
        except OSError:
            return []


def _refuse() -> None:
    raise ApiError(409, "scan_elsewhere", "Another server is scanning this atlas; stop it there.", field="atlas_id")
