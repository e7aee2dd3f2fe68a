"""Scan a corpus with a model: fold shard after shard, merge, and write an atlas.

Each shard's summary is a file in ``parts``, written whole or not at all. A scan that is interrupted goes on with the
shards that are left; summaries that belong to other settings, another model or another corpus are not used.
"""

import json
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from attention_core.atlas.corpus.facts import CorpusFacts
from attention_core.atlas.folding.fold import folding
from attention_core.atlas.folding.scanned_model import ScannedModel
from attention_core.atlas.settings import ScanSettings, atlas_id
from attention_core.atlas.summaries.summary import Summary
from attention_core.atlas.texts.batches import batches
from attention_core.atlas.texts.plan import Plan, PlannedShard, make_plan
from attention_core.atlas.texts.shard_windows import ShardWindows
from attention_core.atlas.writing.atlas_file import FILE, read_atlas_file, write_atlas_file
from attention_core.atlas.writing.examples import mentioned_windows
from attention_core.atlas.writing.tables import HeadNames, write_head_tables
from attention_core.atlas.writing.window_table import write_windows
from attention_core.disk_room import replacing
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.running.cancellation import stopping

PARTS = "parts"
PLAN = "plan.json"
PARTS_FORMAT = 6
"""Changes when parts of an earlier version must not be merged with those of this one."""
CELLS = {"cpu": 2**19, "other": 2**26}
"""Weights (batch × heads × queries × keys) that are worked on at once: few enough for a processor's cache."""

Progress = Callable[[int, int, int, int], None]
"""Called with shards done, all shards, tokens done, and all tokens: at the start, and after each batch and shard."""


@dataclass(frozen=True)
class ScanResult:
    """What was scanned."""

    id: str
    """The atlas' id."""
    documents: int
    tokens: int
    windows: int
    skipped: int
    """Places in the corpus' file that could not be read."""
    scanned_tokens: int
    """Tokens of the shards that this call scanned itself; the others were there already."""


def scan(
    loaded: LoadedModel,
    corpus: Path,
    out: Path,
    settings: ScanSettings | None = None,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
    *,
    threads: int = 1,
) -> ScanResult:
    """Make an atlas in ``out`` from a prepared corpus folder; does nothing if it is there already.

    ``cancelled`` is called between batches; once it returns true, Cancelled is raised, and a later call goes on. A
    processor adds numbers in another order on another number of ``threads``, so the last bits of an atlas depend on it.
    """
    with computing_on(threads):
        job = ScanJob(loaded, corpus, out, settings or ScanSettings(), stopping(cancelled, "scan"), threads=threads)
        return _scan_missing(job, progress)


@contextmanager
def computing_on(threads: int) -> Iterator[None]:
    """Have torch compute on so many threads of the processor."""
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _scan_missing(job: "ScanJob", progress: Progress | None) -> ScanResult:
    if (finished := job.finished()) is not None:
        return finished
    report = progress or (lambda _done, _shards, _tokens, _planned: None)
    plan, missing = job.plan(), job.missing()
    shards, left = len(plan.shards), sum(shard.tokens for shard in missing)
    report(shards - len(missing), shards, plan.tokens - left, plan.tokens)
    for number, shard in enumerate(missing):

        def step(scanned: int, done: int = shards - len(missing) + number, before: int = plan.tokens - left) -> None:
            job.check()
            if scanned:
                report(done, shards, before + scanned, plan.tokens)

        scan_shard(job.model, job.texts, plan, shard, step).save(job.part(shard))
        left -= shard.tokens
        report(shards - len(missing) + number + 1, shards, plan.tokens - left, plan.tokens)
    return job.finish(sum(shard.tokens for shard in missing))


def scan_shard(
    model: ScannedModel,
    texts: ShardWindows,
    plan: Plan,
    shard: PlannedShard,
    step: Callable[[int], None] = lambda _scanned: None,
) -> Summary:
    """The summary of one shard. ``step`` is called before each batch with the tokens before it, and may raise."""
    windows = texts.cut(shard.index, shard.first_document).windows[: shard.windows]
    cells = CELLS["cpu" if model.device.type == "cpu" else "other"] // model.heads
    scanned = 0
    with folding(model, plan, shard) as fold:
        for batch in batches(windows, cells):
            step(scanned)
            fold.add(batch)
            scanned += int(batch.real.sum())
        return fold.result()


class ScanJob:
    """The folder of a scan: its plan, its parts, and at the end the atlas."""

    def __init__(
        self,
        loaded: LoadedModel,
        corpus: Path,
        out: Path,
        settings: ScanSettings,
        check: Callable[[], None],
        device: str | None = None,
        *,
        threads: int,
    ) -> None:
        self.model = ScannedModel(loaded)
        self.corpus = corpus
        self.facts = CorpusFacts.read(corpus)
        self.out = out
        self.settings = settings
        self.check = check
        self.device = device or loaded.device.type
        """Kind of device that folds the shards; its rounding is its own."""
        self.threads = threads
        self.id = atlas_id(loaded.fingerprint, self.facts.hash, settings)
        self.window_tokens = min(settings.window_tokens, loaded.entry.max_tokens or settings.window_tokens)
        self.texts = ShardWindows(self.model.tokeniser, corpus, self.window_tokens)
        self._plan: Plan | None = None

    @property
    def parts(self) -> Path:
        """Where summaries of shards are kept until the end."""
        return self.out / PARTS

    @property
    def plan_file(self) -> Path:
        """Where the plan is kept."""
        return self.parts / PLAN

    def part(self, shard: PlannedShard) -> Path:
        """The file of one shard's summary."""
        return self.parts / f"{shard.index:06d}.npz"

    def finished(self) -> ScanResult | None:
        """The result, if the atlas is there already."""
        about = read_atlas_file(self.out)
        if about is None or about.get("id") != self.id:
            return None
        counts = (about["documents"], about["tokens"], about["windows"])
        return ScanResult(self.id, *counts, skipped=self.facts.skipped, scanned_tokens=0)

    def plan(self) -> Plan:
        """The plan of this scan, made now or by an earlier call; parts of any other scan are removed."""
        loaded = self.model.loaded
        key = {
            "id": self.id,
            "parts": PARTS_FORMAT,
            "device": self.device,
            "dtype": str(loaded.dtype),
            "threads": self.threads,
            "torch": torch.__version__,
        }
        note = self.parts / "scan.json"
        try:
            if json.loads(note.read_text("utf-8")) == key:
                self._plan = Plan.load(self.plan_file)
                return self._plan
        except (OSError, ValueError, LookupError, TypeError):
            pass
        shutil.rmtree(self.parts, ignore_errors=True)
        self.parts.mkdir(parents=True)
        self._plan = make_plan(self.texts, self.facts.shards, self.settings, self.check)
        self._plan.save(self.plan_file)
        note.write_text(json.dumps(key), "utf-8")
        return self._plan

    def missing(self) -> list[PlannedShard]:
        """Shards whose summary is not there."""
        return [shard for shard in self.plan().shards if not self.part(shard).is_file()]

    def keep(self, shard: PlannedShard, summary: bytes) -> None:
        """Write the summary of a shard that another process made, whole or not at all."""
        with replacing(self.part(shard)) as partial:
            partial.write_bytes(summary)

    def finish(self, scanned_tokens: int) -> ScanResult:
        """Merge the parts, write the atlas, ``atlas.json`` last, and remove the parts."""
        plan = self._plan or self.plan()
        part = self.model.part
        names = HeadNames("encoder" if part.name == "encoder" else "decoder", part.layers, part.heads)
        summary = merged(
            (Summary.load(self.part(shard)) for shard in plan.shards), Summary.empty(len(names), plan.window_tokens)
        )
        (self.out / FILE).unlink(missing_ok=True)
        tokeniser = self.model.tokeniser
        frequent = [tokeniser.text(token) for token in plan.frequent]
        stress = write_head_tables(self.out, summary, names, frequent, plan.window_tokens)
        write_windows(self.out, self.texts, plan, mentioned_windows(summary))
        settings = replace(self.settings, window_tokens=plan.window_tokens)
        write_atlas_file(self.out, self.id, self.model.loaded, part, self.facts, settings, summary, plan, stress)
        shutil.rmtree(self.parts)
        documents, windows, tokens = summary.totals.tolist()
        return ScanResult(self.id, documents, tokens, windows, self.facts.skipped, scanned_tokens)


def merged(summaries: Iterable[Summary], start: Summary) -> Summary:
    """All summaries, one in memory at a time."""
    for each in summaries:
        start = start.merged(each)
    return start
