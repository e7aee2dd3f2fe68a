"""Scan in a separate process that reports through a pipe.

The process sends ``ScanReport`` objects. It ends when it has finished or failed, and when the other end of the pipe is
closed. It may be killed at any moment: a later scan goes on with the shards that are left.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Literal

import torch

from attention_core.atlas.file_lock import locked
from attention_core.atlas.scan import scan
from attention_core.atlas.settings import ScanSettings
from attention_core.disk_room import room_in
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.sources import ModelFolder
from attention_core.refusal import Refusal, Sentence

ATTEMPT_S = 0.5
"""Seconds between attempts at a lock that another process holds."""
REPORT_S = 0.5
"""Seconds between two reports of the same shard."""


@dataclass(frozen=True)
class ScanOrder:
    """What to scan with what."""

    model: ModelFolder
    device: str
    dtype: str | None
    max_model_bytes: int
    corpus: Path
    """A prepared corpus."""
    out: Path
    """The folder of the atlas; beside it is its lock."""
    settings: ScanSettings
    threads: int
    place: Sentence | None = None
    """What the folder of the atlas is called where it has no room."""


@dataclass(frozen=True)
class ScanReport:
    """How far a scan has come."""

    state: Literal["waiting", "loading", "running", "finished", "failed"]
    """waiting: another process is scanning the same; loading: the model is being loaded."""
    shards: int = 0
    shards_done: int = 0
    tokens: int = 0
    """Scanned so far, also by an earlier scan and in the shard that is not done."""
    tokens_per_second: float | None = None
    seconds_left: float | None = None
    error: Refusal | None = None
    """Why it failed."""


def scan_there(order: ScanOrder, pipe: Connection) -> None:
    """Scan to completion. The target of a process."""
    torch.set_num_threads(order.threads)  # also while the model is loaded and checked
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):  # the other end is closed
        pipe.send(_scanned(order, pipe))


def _scanned(order: ScanOrder, pipe: Connection) -> ScanReport:
    pace = Pace(time.monotonic)

    def progress(done: int, shards: int, tokens: int, planned: int) -> None:
        if (report := pace.report(done, shards, tokens, planned)) is not None:
            pipe.send(report)

    def wait() -> None:
        pipe.send(ScanReport("waiting"))
        if pipe.poll(ATTEMPT_S):
            raise EOFError

    try:
        with (
            room_in(order.place or order.out),
            locked(order.out.with_suffix(".lock"), wait),
        ):
            pipe.send(ScanReport("loading"))
            catalog = Catalog(
                hub_models=(), device=order.device, dtype=order.dtype, max_model_bytes=order.max_model_bytes
            )
            catalog.add(order.model)
            loaded = catalog.load(order.model.id)
            pipe.send(ScanReport("running"))
            result = scan(loaded, order.corpus, order.out, order.settings, progress, pipe.poll, threads=order.threads)
    except Refusal as error:
        return ScanReport("failed", error=error)
    return replace(pace.last, state="finished", tokens=result.tokens, shards_done=pace.last.shards, seconds_left=0.0)


class Pace:
    """Speed and time left of a scan, from the tokens that it has scanned itself."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.last = ScanReport("running")
        self._now = now
        self._begun: tuple[float, int] | None = None
        """When this process began to scan, with the tokens that were there from an earlier scan."""
        self._told_at = 0.0

    def report(self, done: int, shards: int, tokens: int, planned: int) -> ScanReport | None:
        """The report; None if no shard is finished and the last report is not long ago."""
        now = self._now()
        if self._begun is None:
            self._begun = (now, tokens)
        elif done == self.last.shards_done and now - self._told_at < REPORT_S:
            return None
        self._told_at = now
        seconds, own = now - self._begun[0], tokens - self._begun[1]
        is_known = own > 0 and seconds > 0
        self.last = ScanReport(
            "running",
            shards,
            done,
            tokens,
            tokens_per_second=own / seconds if is_known else None,
            seconds_left=(planned - tokens) * seconds / own if is_known else None,
        )
        return self.last
