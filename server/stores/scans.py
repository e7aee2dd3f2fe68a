"""Scans of corpora: each a process, few at a time, resumed where they were stopped, kept for a while after their end.

All bookkeeping happens on the event loop's thread, so there are no locks.
"""

import asyncio
from collections import OrderedDict

from attention_core.atlas.worker import ScanReport, scan_there
from attention_core.disk_room import NoRoomError
from attention_core.pretrained.errors import AnalysisError, ReadsImagesError, ReadsSoundsError
from attention_core.pretrained.models.catalog import Catalog
from attention_core.refusal import Sentence
from ..requests.fair_queue import FairQueue
from ..settings import Settings
from ..web import clients, owners
from ..web.errors import ApiError, stopping
from .atlas_library import AtlasLibrary
from .child_process import JOIN_S, ChildProcess
from .corpora import PROBE, Corpora
from .fair_eviction import Holdings
from .model_loading import ModelLoading
from .scan import Scan, State, crashed, loading, stopped
from .scan_orders import ScanOrders
from .scan_slots import CLIENT_SHARE, MOST_WAITING, no_scans, share_waits, too_many_wait
from .stopped_scans import StoppedScan, note, stopped_scan, sweep_stopped

KEPT = 64
"""Ended scans that are kept; of more, the oldest of the client with most leave."""


class Scans:
    """The scans of this server. Created and used on one event loop."""

    def __init__(
        self, settings: Settings, catalog: Catalog, loading: ModelLoading, corpora: Corpora, library: AtlasLibrary
    ) -> None:
        self._settings = settings
        self._catalog = catalog
        self._loading = loading
        self._corpora = corpora
        self._library = library
        self._orders = ScanOrders(settings, catalog, library.folder)
        self._scans: OrderedDict[str, Scan] = OrderedDict()
        self._queue: FairQueue[Scan] = FairQueue()
        self._running: set[Scan] = set()
        self._tidying: asyncio.Task[None] | None = None
        self._is_closed = False

    def all(self) -> list[Scan]:
        """Every scan that is kept, the newest first."""
        return list(reversed(self._scans.values()))

    def get(self, atlas_id: str) -> Scan | None:
        """The scan of this atlas."""
        return self._scans.get(atlas_id)

    async def stopped(self) -> list[StoppedScan]:
        """What earlier servers, and scans that are no longer kept here, have left that can go on."""

        def found() -> list[StoppedScan | None]:
            return [stopped_scan(self._library, folder) for folder in self._library.unfinished()]

        return [each for each in await asyncio.to_thread(found) if each is not None and each.id not in self._scans]

    async def sweep(self) -> None:
        """Delete what stopped scans have left that cannot go on: their corpus is gone, or nobody knows what it was."""
        corpora = await self._corpora.folders()
        busy = {scan.id for scan in self._scans.values() if not scan.is_over}
        await asyncio.to_thread(sweep_stopped, self._library, corpora, busy)

    async def begin(
        self, model: str, corpus: str, max_tokens: int | None = None, window_tokens: int | None = None, seed: int = 0
    ) -> Scan:
        """The scan with these settings: begun, resumed, under way, or finished.

        The model is loaded by the scan's process; only one that must be fetched is loaded here first. Raises ApiError
        503 if this server scans nothing or too many wait, 429 if too many are this client's, NoRoomError, and the
        errors of inspecting or fetching a model and of preparing a corpus.
        """
        self._check_open()
        inspection = await asyncio.to_thread(self._catalog.inspect, model)
        if inspection is None:
            await self._loading.get(model)
            inspection = await asyncio.to_thread(self._catalog.inspect, model)
            assert inspection is not None  # noqa: S101 - it has been fetched
        if inspection.facts.reads == "image":
            raise ReadsImagesError("{model_id} takes images; an atlas is made of texts.", model)
        if inspection.facts.reads == "sound":
            raise ReadsSoundsError("{model_id} takes sounds; an atlas is made of texts.", model)
        ready = await self._corpora.ready(corpus)
        order = self._orders.order(model, inspection.fingerprint, ready, max_tokens, window_tokens, seed)
        atlas = order.out.name
        is_there = await asyncio.to_thread(self._is_there, atlas)
        whose = await asyncio.to_thread(self._library.owners.of, atlas)
        found = self._scans.get(atlas)
        if found is not None and is_there and found.state == "finished":
            return found
        if found is not None and not found.is_over:
            return await self._own(found)
        scan = Scan(model, corpus, order, clients.client(), whose)
        if is_there:
            return await self._finished(scan)
        self._check_room(scan.client)
        scan.held.enter_context(self._corpora.used(ready))
        self._keep(scan)
        self._queue.add(scan.client, scan)
        self._run_next()
        try:
            await asyncio.to_thread(note, scan)
            return await self._own(scan)
        except NoRoomError as error:
            self._stop(scan, "failed", error.sentence)
            raise

    async def remove(self, atlas_id: str) -> None:
        """Stop a scan under way; delete a finished atlas, or what a stopped scan has left.

        What others have asked for too goes on, and stays theirs. Raises ApiError 404, 403 if it is another's or nobody
        may delete, and 409 for an atlas of the server's own corpora.
        """
        scan = self._scans.get(atlas_id)
        if scan is not None and not scan.is_over:
            owners.check_mine(scan.owners)
            if len(scan.owners) > 1:
                scan.owners.discard(owners.owner())
                await asyncio.to_thread(self._library.owners.leave, atlas_id, owners.owner())
            else:
                self._stop(scan, "cancelled", stopped())
            return
        whose = await asyncio.to_thread(self._library.owners.of, atlas_id)
        owners.check_may_end(whose, self._settings)
        if len(whose) > 1:
            await asyncio.to_thread(self._library.owners.leave, atlas_id, owners.owner())
            return
        if scan is not None and scan.process is not None:
            await asyncio.to_thread(scan.process.has_ended, JOIN_S)  # until then it holds the lock
        if await asyncio.to_thread(self._library.has, atlas_id):
            await self._check_deletable(atlas_id)
        elif scan is None and atlas_id not in {each.id for each in await self.stopped()}:
            await asyncio.to_thread(self._library.get, atlas_id)  # which refuses it
        self._scans.pop(atlas_id, None)
        await asyncio.to_thread(self._library.remove, atlas_id)

    async def close(self) -> None:
        """Stop every scan and accept no more."""
        self._is_closed = True
        for scan in tuple(self._scans.values()):
            if not scan.is_over:
                self._stop(scan, "cancelled", Sentence("The server is being stopped."))
        if self._tidying is not None:
            await asyncio.gather(self._tidying, return_exceptions=True)

    async def _own(self, scan: Scan) -> Scan:
        """Make who asks an owner of a scan under way, and of what it makes."""
        mark = owners.claim()
        scan.owners |= {mark} - {owners.NOBODY}
        await asyncio.to_thread(self._library.owners.add, scan.id, mark)
        return scan

    def _check_open(self) -> None:
        if self._is_closed:
            raise stopping()
        if self._settings.scans == 0:
            raise no_scans()

    def _check_room(self, client: str) -> None:
        if len(self._queue) >= MOST_WAITING:
            raise too_many_wait()
        if client and self._queue.held_by(client) >= CLIENT_SHARE:
            raise share_waits()

    def _is_there(self, atlas_id: str) -> bool:
        """Whether the atlas is finished; a damaged one is deleted, to be made anew."""
        if not self._library.has(atlas_id):
            return False
        try:
            self._library.get(atlas_id)
        except AnalysisError:
            self._library.remove(atlas_id)
            return False
        return True

    async def _finished(self, scan: Scan) -> Scan:
        """A scan whose atlas is there, from another time or server."""
        atlas = await asyncio.to_thread(self._library.get, scan.id)
        scan.report = ScanReport("finished", tokens=atlas.facts.tokens, seconds_left=0.0)
        scan.enter("finished")
        self._keep(scan)
        return scan

    def _keep(self, scan: Scan) -> None:
        self._scans.pop(scan.id, None)
        self._scans[scan.id] = scan
        held: Holdings[str] = Holdings()
        for each in self._scans.values():
            if each.is_over:
                held.add(each.id, each.client)
        for leaving in held.leaving(KEPT, (scan.id,)):
            del self._scans[leaving]

    def _run_next(self) -> None:
        while len(self._running) < self._settings.scans and not self._is_closed:
            if (scan := self._queue.next()) is None:
                return
            self._running.add(scan)
            scan.process = ChildProcess(scan_there, scan.order, lambda report, scan=scan: self._hear(scan, report))  # type: ignore[misc]
            scan.enter("waiting", loading())
            deadline = asyncio.get_running_loop().call_later(self._settings.scan_time_s, self._time_out, scan)
            scan.held.callback(deadline.cancel)
            starting = asyncio.ensure_future(asyncio.to_thread(scan.process.start))
            starting.add_done_callback(lambda done, scan=scan: self._started(scan, done))  # type: ignore[misc]

    def _started(self, scan: Scan, done: "asyncio.Future[None]") -> None:
        if done.cancelled() or done.exception() is not None:
            self._stop(scan, "failed", crashed())
            self._leave(scan)
        elif scan.is_over and scan.process is not None:  # stopped while the process began
            scan.process.kill()

    def _hear(self, scan: Scan, report: ScanReport | None) -> None:
        """A report of a process; None: it has ended."""
        if report is None:
            if not scan.is_over:
                scan.enter("failed", crashed())
            self._leave(scan)
            return
        if scan.is_over:
            return
        scan.report = report
        match report.state:
            case "failed":
                scan.enter("failed", None if report.error is None else report.error.sentence)
            case "waiting":
                scan.enter("waiting", Sentence("Another server is scanning the same."))
            case "loading":
                scan.enter("waiting", loading())
            case state:
                scan.enter(state)
        if scan.state == "finished":
            self._make_room()

    def _make_room(self) -> None:
        """Have the oldest atlases of uploaded corpora deleted where all take too many bytes."""

        async def make_room() -> None:
            keep = await self._corpora.own_hashes()
            await asyncio.to_thread(self._library.make_room, self._settings.max_atlases_bytes, keep)

        self._tidying = asyncio.create_task(make_room())

    def _leave(self, scan: Scan) -> None:
        self._running.discard(scan)
        if scan.state != "finished" and not self._is_closed:  # what it has left counts
            self._make_room()
        self._run_next()

    def _time_out(self, scan: Scan) -> None:
        self._stop(
            scan,
            "failed",
            Sentence(
                "The scan took longer than {seconds} seconds (OBSERVATORY_SCAN_TIME_S). The same request goes on with "
                "it.",
                f"{self._settings.scan_time_s:g}",
            ),
        )

    def _stop(self, scan: Scan, state: State, message: Sentence) -> None:
        if scan.is_over:
            return
        if scan.process is None:
            self._queue.remove(scan.client, scan)
        else:
            scan.process.kill()
        scan.enter(state, message)

    async def _check_deletable(self, atlas_id: str) -> None:
        try:
            facts = (await asyncio.to_thread(self._library.get, atlas_id)).facts
        except AnalysisError:  # damaged
            return
        if facts.corpus == PROBE or facts.corpus_hash in await self._corpora.own_hashes():
            raise ApiError(
                409,
                "atlas_kept",
                "Atlases of the server's own corpora are kept; only those of uploaded corpora can be deleted.",
                field="atlas_id",
            )
