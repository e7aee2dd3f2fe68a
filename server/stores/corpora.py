"""Corpora that can be scanned: the built-in probe corpus, the operator's files, and uploads.

Each is prepared once, in a process of its own, into a folder beside the atlases; other servers may use the same folder.
All bookkeeping happens on the event loop's thread, so there are no locks.
"""

import asyncio
import hashlib
import os
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from attention_core import foreign_files
from attention_core.atlas.corpus.errors import CorpusError
from attention_core.atlas.corpus.facts import FILE, CorpusFacts, read_facts
from attention_core.atlas.file_lock import is_held
from attention_core.disk_room import NoRoomError, room_in
from attention_core.foreign_files import ForeignFileError
from attention_core.refusal import Refusal, Sentence
from ..settings import Settings
from ..web import owners
from ..web.errors import ApiError
from . import corpus_locks
from .corpus import Corpus, CorpusSource
from .corpus_locks import in_use, is_used, out_of_use, refuse_unknown
from .folders import ATLASES
from .kept_owners import SUFFIX, KeptOwners, leaving
from .leftovers import DAY_S, discard, entries_of, incoming_folder, is_old, sweep
from .preparations import Preparations

PROBE = "probe"
"""The id of the built-in corpus."""
OWN = "own-"
"""How the folders of the operator's begin; a hash of the file's path, size and date follows."""
UPLOADED = "upload-"
"""How the ids of uploads begin; a hash of the documents follows."""
DIGITS = 16
NAME_CHARACTERS = 50
"""Of the name under which an upload is written down while it is read; four bytes each, at most."""


class Corpora:
    """The corpora of this server. Created and used on one event loop."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._folder = settings.atlases_folder / "corpora"
        self._owners = KeptOwners(self._folder)
        self._preparations = Preparations(settings)

    async def all(self) -> list[Corpus]:
        """The probe corpus, the operator's files, then uploads. Files that are not prepared yet are from now on."""
        own, uploads = await asyncio.to_thread(lambda: (list(self._own()), list(self._uploads())))
        return [*(self._corpus(source) for source in own), *uploads]

    async def ready(self, corpus_id: str) -> Corpus:
        """A prepared corpus, waiting for its preparation.

        Raises ApiError 404 if there is none, 503 if it takes too long, CorpusError for a file that is no corpus.
        """
        source = await asyncio.to_thread(self._find, corpus_id)
        if isinstance(source, Corpus):
            return source
        patience = self._settings.analysis_timeout_s
        try:
            async with asyncio.timeout(patience):
                facts = await asyncio.shield(self._preparations.of(source, is_asked=True))
        except TimeoutError:
            raise self._too_slow() from None
        return Corpus(source.id, source.name, "ready", source.folder, facts=facts)

    @contextmanager
    def used(self, corpus: Corpus) -> Iterator[None]:
        """Keep a corpus while it is being scanned: no server deletes it. Raises ApiError 404 if one has by now."""
        with in_use(corpus.folder):
            yield

    async def upload(self, name: str, chunks: AsyncIterator[bytes], column: str | None = None) -> Corpus:
        """Prepare an uploaded file and keep it under the hash of its documents; the file itself is not kept.

        ``column``: where it has the texts, see ``read_corpus``. Raises CorpusError for a file that is no corpus,
        NoRoomError, and the errors of ``chunks``.
        """
        with room_in(ATLASES), incoming_folder(self._folder) as incoming:
            path = incoming / _short(name)
            with path.open("wb") as file:
                async for chunk in chunks:
                    await asyncio.to_thread(file.write, chunk)
            order = self._preparations.order(path, incoming / "corpus", name, column)
            try:
                async with asyncio.timeout(self._settings.analysis_timeout_s):
                    facts = await self._preparations.prepare(order)
            except TimeoutError:
                raise self._too_slow() from None
            return await asyncio.to_thread(self._keep, facts, incoming / "corpus", owners.claim())

    async def remove(self, corpus_id: str) -> None:
        """Delete an upload; what others have uploaded too stays theirs.

        Raises ApiError 404, 403 if it is another's or nobody may delete, and 409 for a corpus of the operator or one
        being scanned.
        """
        corpus = await asyncio.to_thread(self._find, corpus_id)
        if isinstance(corpus, CorpusSource):
            raise ApiError(
                409, "corpus_kept", "Only uploaded corpora can be deleted; this is the server's own.", field="corpus_id"
            )
        owners.check_may_end(corpus.owners, self._settings)
        if await asyncio.to_thread(self._owners.leave, corpus_id, owners.owner()):
            return
        await asyncio.to_thread(self._discard, corpus.folder)

    async def own_hashes(self) -> set[str]:
        """The hashes of the probe corpus and of the operator's, as far as they are prepared."""
        own = await asyncio.to_thread(lambda: list(self._own()))
        return {corpus.facts.hash for corpus in map(self._corpus, own) if corpus.facts}

    async def folders(self) -> set[str]:
        """The names of the folders in which corpora are prepared, or will be."""
        there = await asyncio.to_thread(lambda: [*self._own_folders(), *entries_of(self._folder)])
        return {path.name for path in there}

    async def sweep(self) -> None:
        """Delete what a server that was killed has left, and what files of the operator were before they changed."""

        def sweep_folder() -> None:
            own = self._own_folders()
            sweep(self._folder, lambda path: path.name.startswith(OWN) and path not in own and not is_used(path))
            for path in entries_of(self._folder):
                is_lock = path.suffix == corpus_locks.SUFFIX and not is_held(path)
                is_left = is_lock or (path.suffix == SUFFIX and is_old(path, DAY_S))
                if is_left and not foreign_files.is_there(path.with_suffix("")):
                    with suppress(OSError):
                        path.unlink()

        await asyncio.to_thread(sweep_folder)

    async def close(self) -> None:
        """Stop preparing."""
        await self._preparations.close()

    def _own(self) -> Iterator[CorpusSource]:
        yield CorpusSource(PROBE, PROBE, None, self._folder / PROBE)
        folder = self._settings.corpora_dir
        with suppress(ForeignFileError):
            for path in foreign_files.entries(folder) if folder is not None else ():
                if path.name[0] == "." or not path.name.isprintable() or foreign_files.is_folder(path):
                    continue
                size, changed = foreign_files.state_of(path) or (0, 0)
                digest = hashlib.sha256(
                    f"{path.absolute()}/{size}/{changed}".encode("utf-8", "surrogateescape")
                ).hexdigest()[:DIGITS]
                yield CorpusSource(path.name, path.name, path, self._folder / f"{OWN}{digest}")

    def _own_folders(self) -> set[Path]:
        return {source.folder for source in self._own()}

    def _uploads(self) -> Iterator[Corpus]:
        for folder in sorted(self._folder.glob(f"{UPLOADED}*")):
            if folder.suffix not in {SUFFIX, corpus_locks.SUFFIX}:
                with suppress(CorpusError):
                    yield self._upload(folder, CorpusFacts.read(folder))

    def _upload(self, folder: Path, facts: CorpusFacts) -> Corpus:
        whose = self._owners.of(folder.name)
        return Corpus(folder.name, facts.name, "ready", folder, uploaded=True, facts=facts, owners=whose)

    def _find(self, corpus_id: str) -> CorpusSource | Corpus:
        for source in self._own():
            if source.id == corpus_id:
                return source
        for upload in self._uploads():
            if upload.id == corpus_id:
                with suppress(OSError):
                    _use(upload.folder)
                return upload
        return refuse_unknown()

    def _corpus(self, source: CorpusSource) -> Corpus:
        if source.path is None:  # made when it is asked for
            facts = read_facts(source.folder)
            return Corpus(source.id, source.name, "ready", source.folder, facts=None if facts is None else facts[0])
        task = self._preparations.of(source, is_asked=False)
        if not task.done():
            return Corpus(source.id, source.name, "preparing", source.folder)
        error = None if task.cancelled() else task.exception()
        if task.cancelled() or error is not None:
            reason = error.sentence if isinstance(error, Refusal) else Sentence("It cannot be read.")
            return Corpus(source.id, source.name, "failed", source.folder, reason=reason)
        return Corpus(source.id, source.name, "ready", source.folder, facts=task.result())

    def _keep(self, facts: CorpusFacts, prepared: Path, mark: str) -> Corpus:
        folder = self._folder / f"{UPLOADED}{facts.hash[:DIGITS]}"
        self._owners.add(folder.name, mark)  # first, so that it is never nobody's
        try:
            prepared.rename(folder)
        except OSError:
            if read_facts(folder) is None:  # else it is there already
                raise
        with suppress(OSError):
            _use(folder)
        files = sorted(self._folder.glob(f"{UPLOADED}*/{FILE}"), key=foreign_files.changed_at)
        kept = [(path.parent.name, self._owners.of(path.parent.name).values(), 1) for path in files]
        staying = {folder.name, *(path.parent.name for path in files if is_used(path.parent))}
        for name in leaving(kept, self._settings.kept_corpora, staying):
            with suppress(OSError, NoRoomError, ApiError):
                self._discard(self._folder / name)
        return self._upload(folder, facts)

    def _discard(self, folder: Path) -> None:
        """Delete a folder. Raises ApiError 409 while it is scanned, and NoRoomError."""
        with room_in(ATLASES), out_of_use(folder):
            with suppress(FileNotFoundError):
                discard(folder)
            self._owners.forget(folder.name)

    def _too_slow(self) -> ApiError:
        patience = self._settings.analysis_timeout_s
        return ApiError(
            503,
            "timeout",
            "Reading this corpus took longer than {seconds} seconds (OBSERVATORY_ANALYSIS_TIMEOUT_S).",
            f"{patience:g}",
            limit=patience,
            headers={"Retry-After": "5"},
        )


def _short(name: str) -> str:
    """A file's name as errors call it, as long as every file system has it."""
    path = Path(name)
    suffix = "".join(path.suffixes[-2:]) if path.suffix.lower() == ".gz" else path.suffix
    stem = name.removesuffix(suffix)
    return (stem if len(stem) <= NAME_CHARACTERS else f"{stem[: NAME_CHARACTERS - 1]}…") + suffix


def _use(folder: Path) -> None:
    """Note that an upload is used now. The file system's own clock ticks in milliseconds: two uses may fit in one."""
    now = time.time_ns()
    os.utime(folder / FILE, ns=(now, now))
