"""Corpora that can be scanned: the built-in probe corpus, the operator's files, and uploads.

Each is prepared once, in a process of its own, into a folder beside the atlases; other servers may use the same folder.
All bookkeeping happens on the event loop's thread, so there are no locks.
"""

import asyncio
import hashlib
import os
import secrets
import shutil
import time
from collections.abc import AsyncIterator, Collection, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from attention_core import foreign_files
from attention_core.atlas.corpus.document import CorpusBounds
from attention_core.atlas.corpus.errors import CorpusError, reading_ended
from attention_core.atlas.corpus.facts import FILE, CorpusFacts, read_facts
from attention_core.atlas.corpus.formats import is_corpus
from attention_core.atlas.corpus.worker import Prepared, PrepareOrder, prepare_there
from attention_core.foreign_files import ForeignFileError
from attention_core.refusal import Refusal, Sentence
from ..settings import Settings
from ..web import owners
from ..web.errors import ApiError
from . import corpus_locks
from .child_process import result_of
from .corpus_locks import in_use, is_used, out_of_use, refuse_unknown
from .kept_owners import SUFFIX, KeptOwners, leaving

PROBE = "probe"
"""The id of the built-in corpus."""
UPLOADED = "upload-"
"""How the ids of uploads begin; a hash of the documents follows."""
AT_ONCE = 2
"""Corpora that are prepared at the same time."""
DIGITS = 16

State = Literal["preparing", "ready", "failed"]


@dataclass(frozen=True)
class Corpus:
    """A corpus that can be scanned, or why it cannot."""

    id: str
    name: str
    state: State
    folder: Path
    """Where it is prepared."""
    uploaded: bool = False
    facts: CorpusFacts | None = None
    """None before it is prepared."""
    reason: Sentence | None = None
    """Why it cannot be scanned."""
    owners: Collection[str] = ()
    """The marks of who has uploaded it; none: nobody's."""


@dataclass(frozen=True)
class _Source:
    """A corpus of this server, prepared or not."""

    id: str
    name: str
    path: Path | None
    """The file; None for the probe corpus."""
    folder: Path


class Corpora:
    """The corpora of this server. Created and used on one event loop."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._folder = settings.atlases_folder / "corpora"
        self._owners = KeptOwners(self._folder)
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._preparing: dict[Path, asyncio.Task[CorpusFacts]] = {}
        """By the folder of what was prepared, done or not."""

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
                facts = await asyncio.shield(self._prepared(source))
        except TimeoutError:
            raise self._too_slow() from None
        return Corpus(source.id, source.name, "ready", source.folder, facts=facts)

    @contextmanager
    def used(self, corpus_id: str) -> Iterator[None]:
        """Keep a corpus while it is being scanned: no server deletes it. Raises ApiError 404 if one has by now."""
        with in_use(self._folder / corpus_id) if corpus_id.startswith(UPLOADED) else nullcontext():
            yield

    async def upload(self, name: str, chunks: AsyncIterator[bytes]) -> Corpus:
        """Prepare an uploaded file and keep it under the hash of its documents; the file itself is not kept.

        Raises CorpusError for a file that is no corpus, and the errors of ``chunks``.
        """
        incoming = self._folder / f"incoming-{secrets.token_hex(8)}"
        try:
            await asyncio.to_thread(incoming.mkdir, parents=True)
            path = incoming / f"file{_suffix(name)}"
            with path.open("wb") as file:
                async for chunk in chunks:
                    await asyncio.to_thread(file.write, chunk)
            order = self._order(path, incoming / "corpus", name)
            try:
                async with asyncio.timeout(self._settings.analysis_timeout_s):
                    facts = await self._prepare(order)
            except TimeoutError:
                raise self._too_slow() from None
            return await asyncio.to_thread(self._keep, facts, incoming / "corpus", owners.claim())
        finally:
            shutil.rmtree(incoming, ignore_errors=True)

    async def remove(self, corpus_id: str) -> None:
        """Delete an upload; what others have uploaded too stays theirs.

        Raises ApiError 404, 403 if it is another's or nobody may delete, and 409 for a corpus of the operator or one
        being scanned.
        """
        found = await asyncio.to_thread(self._find, corpus_id)
        if isinstance(found, _Source):
            raise ApiError(
                409, "corpus_kept", "Only uploaded corpora can be deleted; this is the server's own.", field="corpus_id"
            )
        owners.check_may_end(found.owners, self._settings)
        if await asyncio.to_thread(self._owners.leave, corpus_id, owners.owner()):
            return
        await asyncio.to_thread(self._discard, found.folder)

    async def own_hashes(self) -> set[str]:
        """The hashes of the probe corpus and of the operator's, as far as they are prepared."""
        own = await asyncio.to_thread(lambda: list(self._own()))
        return {corpus.facts.hash for corpus in map(self._corpus, own) if corpus.facts}

    async def close(self) -> None:
        """Stop preparing."""
        for task in self._preparing.values():
            task.cancel()
        await asyncio.gather(*self._preparing.values(), return_exceptions=True)

    def _own(self) -> Iterator[_Source]:
        yield _Source(PROBE, PROBE, None, self._folder / PROBE)
        folder = self._settings.corpora_dir
        with suppress(ForeignFileError):
            for path in foreign_files.entries(folder) if folder is not None else ():
                if path.name[0] == "." or not path.name.isprintable() or foreign_files.is_folder(path):
                    continue
                size, changed = foreign_files.state_of(path) or (0, 0)
                digest = hashlib.sha256(
                    f"{path.absolute()}/{size}/{changed}".encode("utf-8", "surrogateescape")
                ).hexdigest()[:DIGITS]
                yield _Source(path.name, path.name, path, self._folder / f"own-{digest}")

    def _uploads(self) -> Iterator[Corpus]:
        for folder in sorted(self._folder.glob(f"{UPLOADED}*")):
            if folder.suffix not in {SUFFIX, corpus_locks.SUFFIX}:
                with suppress(CorpusError):
                    yield self._upload(folder, CorpusFacts.read(folder))

    def _upload(self, folder: Path, facts: CorpusFacts) -> Corpus:
        whose = self._owners.of(folder.name)
        return Corpus(folder.name, facts.name, "ready", folder, uploaded=True, facts=facts, owners=whose)

    def _find(self, corpus_id: str) -> _Source | Corpus:
        for source in self._own():
            if source.id == corpus_id:
                return source
        for upload in self._uploads():
            if upload.id == corpus_id:
                with suppress(OSError):
                    _use(upload.folder)
                return upload
        return refuse_unknown()

    def _corpus(self, source: _Source) -> Corpus:
        if source.path is None:  # made when it is asked for
            found = read_facts(source.folder)
            return Corpus(source.id, source.name, "ready", source.folder, facts=None if found is None else found[0])
        task = self._prepared(source)
        if not task.done():
            return Corpus(source.id, source.name, "preparing", source.folder)
        error = None if task.cancelled() else task.exception()
        if task.cancelled() or error is not None:
            reason = error.sentence if isinstance(error, Refusal) else Sentence("It cannot be read.")
            return Corpus(source.id, source.name, "failed", source.folder, reason=reason)
        return Corpus(source.id, source.name, "ready", source.folder, facts=task.result())

    def _prepared(self, source: _Source) -> "asyncio.Task[CorpusFacts]":
        """The preparation of a corpus of this server, which is begun at the first call."""
        task = self._preparing.get(source.folder)
        if task is None:
            order = self._order(source.path, source.folder, source.name)
            task = self._preparing[source.folder] = asyncio.create_task(self._prepare(order))
            task.add_done_callback(_seen)
        return task

    async def _prepare(self, order: PrepareOrder) -> CorpusFacts:
        if order.path is not None and not is_corpus(order.path.name):
            raise CorpusError("{name} has an unknown format.", order.name or order.path.name)
        async with self._turns:
            found: Prepared | None = await result_of(prepare_there, order)
        if found is None:
            raise reading_ended(order.name or "", order.max_memory_bytes)
        if found.facts is None:
            raise found.error or CorpusError("{name} cannot be read.", order.name or "")
        return found.facts

    def _order(self, path: Path | None, folder: Path, name: str) -> PrepareOrder:
        settings = self._settings
        bounds = CorpusBounds(
            max_bytes=settings.max_corpus_bytes,
            max_documents=settings.max_corpus_documents,
            max_characters=settings.max_corpus_characters,
            max_document_characters=settings.max_document_characters,
        )
        return PrepareOrder(path, folder, bounds, name, settings.max_corpus_memory_bytes)

    def _keep(self, facts: CorpusFacts, prepared: Path, mark: str) -> Corpus:
        folder = self._folder / f"{UPLOADED}{facts.hash[:DIGITS]}"
        with suppress(OSError):  # it is there already
            prepared.rename(folder)
        _use(folder)
        self._owners.add(folder.name, mark)
        found = sorted(self._folder.glob(f"{UPLOADED}*/{FILE}"), key=foreign_files.changed_at)
        kept = [(path.parent.name, self._owners.of(path.parent.name).values(), 1) for path in found]
        staying = {folder.name, *(path.parent.name for path in found if is_used(path.parent))}
        for name in leaving(kept, self._settings.kept_corpora, staying):
            with suppress(ApiError):
                self._discard(self._folder / name)
        return self._upload(folder, facts)

    def _discard(self, folder: Path) -> None:
        """Delete a folder, renamed first, so that no half of it is found. Raises ApiError 409 while it is scanned."""
        gone = folder.with_name(f"deleted-{secrets.token_hex(8)}")
        with suppress(OSError), out_of_use(folder):
            folder.rename(gone)
            self._owners.forget(folder.name)
            shutil.rmtree(gone, ignore_errors=True)

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


def _suffix(name: str) -> str:
    """What the format is known by, with that of a compressed file."""
    path = Path(name.lower())
    return "".join(path.suffixes[-2:]) if path.suffix == ".gz" else path.suffix


def _use(folder: Path) -> None:
    """Note that an upload is used now. The file system's own clock ticks in milliseconds: two uses may fit in one."""
    now = time.time_ns()
    os.utime(folder / FILE, ns=(now, now))


def _seen(task: "asyncio.Task[CorpusFacts]") -> None:
    """Mark the exception as retrieved, even if nobody waits."""
    if not task.cancelled():
        task.exception()
