"""The plan of a scan: one pass of the tokenizer over the corpus decides the rest.

It decides which windows are scanned (up to ``max_tokens``), which token ids are frequent, and which queries are
sampled. So every process of a scan, and a scan that goes on later, agrees on them.
"""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from attention_core.atlas.settings import ScanSettings
from attention_core.atlas.texts.sampling import QuerySample
from attention_core.atlas.texts.shard_windows import ShardWindows
from attention_core.atlas.texts.windows import Window
from attention_core.disk_room import replacing

FREQUENT = 255
"""Token ids that are counted by themselves as queries and keys."""


@dataclass(frozen=True)
class PlannedShard:
    """What one shard of the corpus has."""

    index: int
    first_document: int
    """Ordinal in the corpus of its first document."""
    documents: int
    """Documents with a window that is scanned."""
    windows: int
    """Windows that are scanned: its first ones, which are all of them but in the last shard."""
    tokens: int
    left_out: int = 0
    """Characters that alone have more tokens than a window."""


@dataclass(frozen=True, eq=False)
class Plan:
    """The shards to scan, and what must be the same for all of them."""

    window_tokens: int
    shards: tuple[PlannedShard, ...]
    frequent: tuple[int, ...]
    """Token ids, the most frequent first."""
    sample: QuerySample

    @property
    def tokens(self) -> int:
        """All tokens that will be scanned, special ones included."""
        return sum(shard.tokens for shard in self.shards)

    def save(self, path: Path) -> None:
        """Write it, whole or not at all."""
        kept = {
            "window_tokens": self.window_tokens,
            "shards": [asdict(shard) for shard in self.shards],
            "frequent": self.frequent,
            "sample": [array.tolist() for array in (self.sample.windows, self.sample.queries, self.sample.hashes)],
        }
        with replacing(path) as partial:
            partial.write_text(json.dumps(kept), "utf-8")

    @classmethod
    def load(cls, path: Path) -> "Plan":
        """Read a plan that ``save`` wrote."""
        kept = json.loads(path.read_text("utf-8"))
        windows, queries, hashes = kept["sample"]
        sample = QuerySample(
            np.array(windows, dtype=np.int64), np.array(queries, dtype=np.int64), np.array(hashes, dtype=np.uint64)
        )
        shards = tuple(PlannedShard(**shard) for shard in kept["shards"])
        return cls(kept["window_tokens"], shards, tuple(kept["frequent"]), sample)


def make_plan(
    texts: ShardWindows,
    shards: int,
    settings: ScanSettings,
    check: Callable[[], None] = lambda: None,
) -> Plan:
    """Tokenise shard after shard, and take windows as long as all have at most ``max_tokens`` together; at least one.

    ``check`` is called before each shard and may raise.
    """
    planned: list[PlannedShard] = []
    counts: Counter[int] = Counter()
    sample = QuerySample.empty()
    first_document = tokens = 0
    for index in range(shards):
        check()
        shard = texts.cut(index, first_document)
        windows = _within(shard.windows, settings.max_tokens, tokens)
        if len(windows) == 0 < len(shard.windows):
            break
        lengths = np.array([len(window.tokens) for window in windows], dtype=np.int64)
        ids = np.array([window.id for window in windows], dtype=np.int64)
        own = QuerySample.of_windows(ids, lengths, settings.seed, settings.sampled_queries)
        sample = sample.merged(own, settings.sampled_queries)
        if windows:
            each, how_often = np.unique(np.concatenate([window.tokens.ids for window in windows]), return_counts=True)
            counts.update(dict(zip(each.tolist(), how_often.tolist(), strict=True)))
        with_window = len({window.document for window in windows})
        planned.append(
            PlannedShard(index, first_document, with_window, len(windows), int(lengths.sum()), shard.left_out)
        )
        first_document += shard.documents
        tokens += int(lengths.sum())
        if len(windows) < len(shard.windows):
            break
    frequent = sorted(counts, key=lambda token: (-counts[token], token))[:FREQUENT]
    return Plan(texts.window_tokens, tuple(planned), tuple(frequent), sample)


def _within(windows: list[Window], max_tokens: int | None, before: int) -> list[Window]:
    """The first windows that may still be scanned after so many tokens; the very first in any case."""
    if max_tokens is None:
        return windows
    ends = before + np.cumsum([len(window.tokens) for window in windows], dtype=np.int64)
    count = int(np.searchsorted(ends, max_tokens, side="right"))
    return windows[: max(count, 1 if before == 0 else 0)]
