"""Corpora being prepared, each in a process of its own; what has failed for a reason that passes is tried again.

All bookkeeping happens on the event loop's thread, so there are no locks.
"""

import asyncio
import os
from pathlib import Path

from attention_core import foreign_files
from attention_core.atlas.corpus.document import CorpusBounds
from attention_core.atlas.corpus.errors import CorpusError, reading_ended
from attention_core.atlas.corpus.facts import FILE, CorpusFacts
from attention_core.atlas.corpus.formats import is_corpus
from attention_core.atlas.corpus.worker import Prepared, PrepareOrder, prepare_there
from attention_core.disk_room import free_bytes
from ..settings import Settings
from .child_process import result_of
from .corpus import CorpusSource
from .folders import ATLASES

AT_ONCE = 2
"""Corpora that are prepared at the same time."""
MORE_ROOM = 2**16
"""Bytes that must have become free before a list of corpora has what found no room prepared again."""

Preparing = asyncio.Task[CorpusFacts]


class Preparations:
    """The preparations of the corpora of one server, done or not. Created and used on one event loop."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._begun: dict[Path, Preparing] = {}
        """By folder."""
        self._room: dict[Path, int] = {}
        """Bytes that were free where one has failed."""

    def of(self, source: CorpusSource, *, is_asked: bool) -> Preparing:
        """The preparation of a corpus, begun at the first call.

        It is begun anew where its folder is gone, and where it failed for another reason than its file (no room on the
        disk, say): at once where somebody asks for this corpus, else when there is more room.
        """
        task = self._begun.get(source.folder)
        if task is None or self._is_to_be_repeated(task, source, is_asked):
            task = asyncio.create_task(self.prepare(self.order(source.path, source.folder, source.name)))
            task.add_done_callback(lambda done: self._ended(source.folder, done))
            self._begun[source.folder] = task
        return task

    def order(self, path: Path | None, folder: Path, name: str, column: str | None = None) -> PrepareOrder:
        """What is to be done to prepare a file (None: the probe corpus) in a folder, within the operator's limits.

        ``column``: where it has the texts, see ``read_corpus``.
        """
        settings = self._settings
        bounds = CorpusBounds(
            max_bytes=settings.max_corpus_bytes,
            max_documents=settings.max_corpus_documents,
            max_characters=settings.max_corpus_characters,
            max_document_characters=settings.max_document_characters,
        )
        return PrepareOrder(path, folder, bounds, name, column, settings.max_corpus_memory_bytes, place=ATLASES)

    async def prepare(self, order: PrepareOrder) -> CorpusFacts:
        """Prepare a corpus when there is a turn for it.

        Raises CorpusError for a file that is none, NoRoomError for a folder that cannot hold it.
        """
        if order.path is not None and not is_corpus(order.path.name):
            raise CorpusError("{name} has an unknown format.", order.name or order.path.name)
        async with self._turns:
            prepared: Prepared | None = await result_of(prepare_there, order)
        if prepared is None:
            raise reading_ended(order.name or "", order.max_memory_bytes)
        if prepared.facts is None:
            raise prepared.error or CorpusError("{name} cannot be read.", order.name or "")
        return prepared.facts

    async def close(self) -> None:
        """Stop preparing."""
        for task in self._begun.values():
            task.cancel()
        await asyncio.gather(*self._begun.values(), return_exceptions=True)

    def _is_to_be_repeated(self, task: Preparing, source: CorpusSource, is_asked: bool) -> bool:
        if not task.done():
            return False
        if task.cancelled() or (error := task.exception()) is None:
            return task.cancelled() or not foreign_files.is_there(source.folder / FILE)
        has_room = _writable_bytes(source.folder) >= self._room[source.folder] + MORE_ROOM
        return not isinstance(error, CorpusError) and (is_asked or has_room)

    def _ended(self, folder: Path, task: Preparing) -> None:
        if not task.cancelled() and task.exception() is not None:  # which marks it as retrieved
            self._room[folder] = _writable_bytes(folder)


def _writable_bytes(folder: Path) -> int:
    """Bytes that may be written to a folder now: none where it is read-only."""
    free = free_bytes(folder)
    return free if free is not None and os.access(folder.parent, os.W_OK) else 0
