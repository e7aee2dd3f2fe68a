"""Who has made what lies in a folder, across restarts and for every server that uses it.

Beside ``name`` lies ``name.owners``: a JSON object of the owners' marks (``server/web/owners.py``), each with the
client whose room it takes. What has no such file is nobody's: it lay there before, or was made on the command line.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from attention_core import foreign_files
from attention_core.disk_room import replacing, room_in
from attention_core.foreign_files import ForeignFileError
from ..web import clients, owners
from .fair_eviction import Holdings
from .folders import ATLASES

SUFFIX = ".owners"
MOST_OWNERS = 500
"""Of one thing; whoever makes the same after that many others can only look at it."""
MOST_BYTES = 2**18
MOST_CHARACTERS = 128


class KeptOwners:
    """The owners of what is in one folder. Used from any thread. What writes raises NoRoomError."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def of(self, name: str) -> dict[str, str]:
        """The client of each owner, by the owner's mark."""
        path = self._path(name)
        if not foreign_files.is_there(path):
            return {}
        try:
            owners = json.loads(foreign_files.read(path, MOST_BYTES))
        except (ForeignFileError, ValueError, RecursionError):
            owners = None
        if isinstance(owners, dict) and all(isinstance(value, str) for value in owners.values()):
            return owners
        return {"unreadable": clients.NOBODY}  # somebody's, whoever that was

    def add(self, name: str, mark: str) -> None:
        """Make who asks, by this mark, an owner too."""
        known = self.of(name)
        if mark != owners.NOBODY and mark not in known and len(known) < MOST_OWNERS:
            self._write(name, known | {mark: clients.client()[:MOST_CHARACTERS]})

    def leave(self, name: str, mark: str) -> bool:
        """Have one of several owners give up; whether another is left. The last stays its owner."""
        others = {each: client for each, client in self.of(name).items() if each != mark}
        if others:
            self._write(name, others)
        return bool(others)

    def forget(self, name: str) -> None:
        """Forget the owners of what is deleted."""
        with room_in(ATLASES):
            self._path(name).unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}{SUFFIX}"

    def _write(self, name: str, known: Mapping[str, str]) -> None:
        with room_in(ATLASES):
            self._folder.mkdir(parents=True, exist_ok=True)
            with replacing(self._path(name)) as partial:
                partial.write_text(json.dumps(known), encoding="utf-8")


def leaving(kept: Iterable[tuple[str, Collection[str], int]], most: int, staying: Collection[str] = ()) -> list[str]:
    """What leaves of what is kept (name, clients and size of each, the oldest first) so that ``most`` remains.

    What several clients have made counts as that of the one who holds least, so that nobody can put it out by making
    the same.
    """
    known = [(name, set(by) or {clients.NOBODY}, size) for name, by, size in kept]
    totals: Counter[str] = Counter()
    for _, by, size in known:
        for client in by:
            totals[client] += size
    held: Holdings[str] = Holdings()
    for name, by, size in known:
        held.add(name, min(sorted(by), key=totals.__getitem__), size)
    return held.leaving(most, staying)
