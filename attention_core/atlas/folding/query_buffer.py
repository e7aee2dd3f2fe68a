"""Collect the values of some thousand queries, and count them at once: sums, histograms, offsets, pairs, lists."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from attention_core.atlas.folding.batch_facts import BatchFacts
from attention_core.atlas.folding.query_values import StrongestKeys
from attention_core.atlas.folding.scanned_model import ScannedModel
from attention_core.atlas.folding.word_attention import word_tokens
from attention_core.atlas.measures import PER_QUERY
from attention_core.atlas.summaries.exact_sums import FRACTION_BITS, added, fixed, two_limbs
from attention_core.atlas.summaries.histograms import bin_numbers
from attention_core.atlas.summaries.pair_counts import PairCounts, counted
from attention_core.atlas.summaries.strongest import StrongestLists
from attention_core.atlas.summaries.summary import BINS, PARTS_OF_SPEECH
from attention_core.atlas.texts.plan import FREQUENT, Plan

VALUES = 2**23
"""Values (queries × heads) a buffer holds, more or less."""
FEWEST, MOST = 1024, 8192


@dataclass(eq=False)
class Counted:
    """What the buffer counts; see Summary."""

    queries: np.ndarray
    sums: np.ndarray
    histograms: np.ndarray
    offset_strongest: np.ndarray
    token_pairs: PairCounts
    upos_pairs: PairCounts
    strongest: StrongestLists


class QueryBuffer:
    """Values of queries, from which ``Counted`` is made whenever enough have come together."""

    def __init__(self, model: ScannedModel, plan: Plan) -> None:
        self._layers, self._heads = model.layers, model.heads
        self._window_tokens = plan.window_tokens
        self._class_of = {token: number for number, token in enumerate(plan.frequent)}
        heads = self._layers * self._heads
        self._size = max(FEWEST, min(MOST, VALUES // heads), plan.window_tokens)
        shape = (self._heads, self._size)
        self._values = torch.zeros(self._layers, len(PER_QUERY), *shape, device=model.device)
        self._keys = torch.zeros(2, self._layers, *shape, dtype=torch.int32, device=model.device)
        self._weights = torch.zeros(2, self._layers, *shape, device=model.device)
        self._forced = torch.zeros(2, self._layers, *shape, dtype=torch.bool, device=model.device)
        self._has = np.zeros((len(PER_QUERY), self._size), dtype=bool)
        self._windows, self._queries, self._token_class, self._upos_class = (
            np.zeros(self._size, dtype=np.int64) for _ in range(4)
        )
        self._filled = 0
        measures = len(PER_QUERY)
        self._counted = Counted(
            queries=np.zeros(measures, dtype=np.int64),
            sums=np.zeros((measures, heads, 2), dtype=np.int64),
            histograms=np.zeros((measures, heads, BINS), dtype=np.int64),
            offset_strongest=np.zeros((heads, 2 * plan.window_tokens - 1), dtype=np.int64),
            token_pairs=PairCounts.empty(),
            upos_pairs=PairCounts.empty(),
            strongest=StrongestLists.empty(heads),
        )

    def begin(self, facts: BatchFacts) -> None:
        """Make room for a batch."""
        batch = facts.batch
        count = int(batch.real.sum())
        if count > self._size:
            raise RuntimeError(f"a batch has {count} queries, and the buffer room for {self._size}")
        if self._filled + count > self._size:
            self._flush()
        self._facts, self._span = facts, slice(self._filled, self._filled + count)
        span = self._span
        self._has[:, span] = facts.has[:, batch.real]
        self._windows[span] = np.repeat([window.id for window in batch.windows], batch.real.sum(axis=1))
        self._queries[span] = np.nonzero(batch.real)[1]
        ids = batch.ids.numpy()[batch.real]
        self._token_class[span] = [self._class_of.get(token, FREQUENT) for token in ids.tolist()]
        self._upos_class[span] = _upos_classes(facts)

    def add(
        self,
        layer: int,
        values: Float[Tensor, "M B H N"],
        strongest: StrongestKeys,
        forced: Bool[Tensor, "2 B H N"],
    ) -> None:
        """Keep the values of one layer. What a mask has forced is counted, but is no example."""
        self._values[layer, :, :, self._span] = self._real(values)
        self._keys[:, layer, :, self._span] = self._real(strongest.keys).to(torch.int32)
        self._weights[:, layer, :, self._span] = self._real(strongest.weights)
        self._forced[:, layer, :, self._span] = self._real(forced)

    def end(self) -> None:
        """After the last layer."""
        self._filled = self._span.stop

    def result(self) -> Counted:
        """The counts of all batches."""
        self._flush()
        return self._counted

    def _real(self, values: Tensor) -> Tensor:
        """(…, B, H, N) to (…, H, queries), without what is padded."""
        by_head = values.transpose(-2, -3).flatten(-2)
        return by_head if self._facts.real_queries is None else by_head.index_select(-1, self._facts.real_queries)

    def _flush(self) -> None:
        count = self._filled
        if not count:
            return
        has = self._has[:, :count]
        self._counted.queries += has.sum(axis=1)
        self._count_values(count, torch.from_numpy(has).to(self._values.device))
        keys, weights = (each[..., :count].cpu().numpy().reshape(2, -1, count) for each in (self._keys, self._weights))
        keys = keys.astype(np.int64)
        windows, queries = self._windows[:count], self._queries[:count]
        forced = self._forced[..., :count].cpu().numpy().reshape(2, -1, count)
        lists = StrongestLists.of_windows(np.where(forced, np.float32(0), weights), keys, windows, queries)
        self._counted.strongest = self._counted.strongest.merged(lists)
        self._count_offsets(keys[0], queries)
        offsets = np.where(keys < 0, -1, np.arange(count) - queries + keys)
        sums = np.round(weights.astype(np.float64) * 2**FRACTION_BITS).astype(np.int64)
        self._counted.token_pairs = self._counted.token_pairs.merged(
            *_pairs(offsets, sums, self._token_class[:count], 256)
        )
        upos = self._upos_class[:count]
        if (upos < len(PARTS_OF_SPEECH)).any():
            size = len(PARTS_OF_SPEECH) + 1
            self._counted.upos_pairs = self._counted.upos_pairs.merged(*_pairs(offsets, sums, upos, size))
        self._filled = 0

    def _count_values(self, count: int, has: Bool[Tensor, "M Q"]) -> None:
        """Sums and histograms, layer by layer."""
        measures, heads = len(PER_QUERY), self._heads
        slots = torch.arange(measures * heads, device=has.device).view(measures, heads, 1) * (BINS + 1)
        for layer in range(self._layers):
            values = self._values[layer, :, :, :count]
            inside = slice(layer * heads, (layer + 1) * heads)
            sums = fixed(values).mul_(has[:, None]).sum(dim=-1).cpu().numpy()
            self._counted.sums[:, inside] = added(self._counted.sums[:, inside], two_limbs(sums))
            bins = bin_numbers(values, self._window_tokens).masked_fill_(~has[:, None], BINS).add_(slots)
            counts = torch.bincount(bins.flatten(), minlength=measures * heads * (BINS + 1))
            self._counted.histograms[:, inside] += counts.view(measures, heads, -1)[..., :BINS].cpu().numpy()

    def _count_offsets(self, keys: Int64[np.ndarray, "G Q"], queries: Int64[np.ndarray, " Q"]) -> None:
        offsets = 2 * self._window_tokens - 1
        slots = keys - queries + self._window_tokens - 1 + np.arange(len(keys))[:, None] * offsets
        counts = np.bincount(slots[keys >= 0], minlength=len(keys) * offsets)
        self._counted.offset_strongest += counts.reshape(-1, offsets)


def _pairs(
    at: Int64[np.ndarray, "2 G Q"], sums: Int64[np.ndarray, "2 G Q"], classes: Int64[np.ndarray, " Q"], size: int
) -> list[PairCounts]:
    """Pairs of classes of query and strongest key; ``at`` has the key's place among the queries, −1 for none."""
    of_key = classes[at]
    counts = []
    for head in range(at.shape[1]):
        for variant in range(2):
            met = at[variant, head] >= 0
            pairs = (classes << 8 | of_key[variant, head])[met]
            counts.append(counted((head * 2 + variant) << 16, pairs, sums[variant, head][met], size << 8))
    return counts


def _upos_classes(facts: BatchFacts) -> Int64[np.ndarray, " Q"]:
    """The part of speech of each token's word, the first of several."""
    number = {name: index for index, name in enumerate(PARTS_OF_SPEECH)}
    rest = len(PARTS_OF_SPEECH)
    groups = []
    for window in facts.batch.windows:
        if not window.words:
            groups.append(np.full(len(window.tokens), rest))
            continue
        owned = word_tokens(window)
        classes = np.array([number.get(word.upos or "", rest) for word in window.words])
        groups.append(np.where(owned.any(axis=1), classes[owned.argmax(axis=1)], rest))
    return np.concatenate(groups)
