"""What scans have left that were stopped before their end: which there are, how far they have come, and of what.

Beside the folder of such an atlas lies a note of the request, with which any server goes on with it.
"""

import json
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attention_core import foreign_files
from attention_core.atlas.scan import PARTS, PLAN
from attention_core.atlas.worker import ScanReport
from attention_core.disk_room import NoRoomError, replacing, room_in
from attention_core.foreign_files import ForeignFileError
from attention_core.refusal import Sentence
from ..web.errors import ApiError
from .atlas_library import ID, NOTE, AtlasLibrary
from .corpora import UPLOADED
from .folders import ATLASES
from .kept_owners import SUFFIX
from .leftovers import DAY_S, entries_of, is_old, sweep
from .scan import Scan, State, stopped

NOTE_BYTES = 2**16
WEEK_S = 7 * DAY_S
PLAN_BYTES = 2**24
"""Of a plan that is read to say how many parts there are."""


@dataclass(frozen=True)
class StoppedScan:
    """A scan that was stopped, by this server or by another, and goes on with the same request."""

    id: str
    model: str
    corpus: str
    """The id of the corpus."""
    prepared: str
    """The name of the folder in which the corpus is prepared."""
    max_tokens: int | None
    window_tokens: int
    seed: int
    owners: Collection[str]
    report: ScanReport
    state: State = "cancelled"
    seconds: float = 0.0

    @property
    def message(self) -> Sentence:
        """What can be done."""
        return stopped()


def note(scan: Scan) -> None:
    """Write down what a scan is of, beside the folder of its atlas. Raises NoRoomError."""
    kept = {
        "model": scan.model,
        "corpus": scan.corpus,
        "prepared": scan.order.corpus.name,
        "max_tokens": scan.max_tokens,
        "window_tokens": scan.window_tokens,
        "seed": scan.seed,
    }
    with room_in(ATLASES):
        scan.order.out.parent.mkdir(parents=True, exist_ok=True)
        with replacing(scan.order.out.with_suffix(NOTE)) as partial:
            partial.write_text(json.dumps(kept), "utf-8")


def sweep_stopped(library: AtlasLibrary, corpora: Collection[str], busy: Collection[str]) -> None:
    """Sweep the folder of atlases.

    What a stopped scan has left goes where its corpus is not among these (names of folders): at once if that was
    uploaded, and after a week if it was the operator's, whose files may be mounted again. So does, after a day, what
    nobody knows what it was of. Those that are ``busy`` stay.
    """
    for folder in library.unfinished():
        if folder.name not in busy and _is_left(folder, stopped_scan(library, folder), corpora):
            with suppress(ApiError, NoRoomError):
                library.remove(folder.name)
    sweep(library.folder)
    for path in entries_of(library.folder):
        is_beside = ID.fullmatch(path.stem) and path.suffix in (NOTE, SUFFIX) and path.stem not in busy
        if is_beside and not foreign_files.is_there(path.with_suffix("")) and is_old(path, DAY_S):
            with suppress(OSError):
                path.unlink()


def _is_left(folder: Path, found: StoppedScan | None, corpora: Collection[str]) -> bool:
    if found is not None and (found.prepared in corpora or found.prepared.startswith(UPLOADED)):
        return found.prepared not in corpora
    patience = DAY_S if found is None else WEEK_S
    return is_old(folder, patience) and is_old(folder / PARTS, patience)


def stopped_scan(library: AtlasLibrary, folder: Path) -> StoppedScan | None:
    """What a scan has left in this folder; None if nobody knows what it was of, so that it cannot go on."""
    try:
        kept = json.loads(foreign_files.read(folder.with_suffix(NOTE), NOTE_BYTES))
        return StoppedScan(
            id=folder.name,
            model=str(kept["model"]),
            corpus=str(kept["corpus"]),
            prepared=str(kept["prepared"]),
            max_tokens=None if kept["max_tokens"] is None else int(kept["max_tokens"]),
            window_tokens=int(kept["window_tokens"]),
            seed=int(kept["seed"]),
            owners=set(library.owners.of(folder.name)),
            report=_report(folder / PARTS),
        )
    except (ForeignFileError, ValueError, LookupError, TypeError, RecursionError):
        return None


def _report(parts: Path) -> ScanReport:
    try:
        planned: Any = json.loads(foreign_files.read(parts / PLAN, PLAN_BYTES))["shards"]
        done = [each for each in planned if foreign_files.is_file(parts / f"{int(each['index']):06d}.npz")]
        return ScanReport("waiting", len(planned), len(done), sum(int(each["tokens"]) for each in done))
    except (ForeignFileError, ValueError, LookupError, TypeError, RecursionError):
        return ScanReport("waiting")
