"""What is known of the heads after some shards of a corpus; summaries of disjoint shards can be merged.

Everything is an integer, a list with a total order, or a sample that was decided before. So merging is associative and
commutative, and equal scans give the same bytes in whatever order shards are merged.
"""

from dataclasses import dataclass, fields, is_dataclass
from io import BufferedIOBase
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Int64

from attention_core.atlas.measures import PER_QUERY
from attention_core.atlas.summaries.exact_sums import added
from attention_core.atlas.summaries.pair_counts import PairCounts
from attention_core.atlas.summaries.relation_counts import RelationCounts
from attention_core.atlas.summaries.sampled import SampledHeads
from attention_core.atlas.summaries.strongest import StrongestLists
from attention_core.disk_room import replacing

BINS = 50
"""Bins of a histogram."""
PARTS_OF_SPEECH = (
    *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM"),
    *("PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X"),
)
"""Universal parts of speech (UD version 2); the class after the last is for tokens of no word."""


@dataclass(frozen=True, eq=False)
class Summary:
    """Counts and sums by head; heads are numbered layer by layer."""

    totals: Int64[np.ndarray, "3"]
    """Documents, windows and tokens."""
    queries: Int64[np.ndarray, " M"]
    """Queries that have a value, for each measure of PER_QUERY."""
    sums: Int64[np.ndarray, "M G 2"]
    """Of each measure over its queries, see ``exact_sums``."""
    histograms: Int64[np.ndarray, "M G B"]
    offset_weights: Int64[np.ndarray, "G O"]
    """Weight by ``key − query``, summed over queries, in multiples of 2⁻²⁴; the middle is offset 0."""
    offset_strongest: Int64[np.ndarray, "G O"]
    """Queries by the offset of their strongest key."""
    token_pairs: PairCounts
    """Keys are ``(head · 2 + without sinks) << 16 | class of query << 8 | class of key``."""
    upos_pairs: PairCounts
    """The same with parts of speech as classes."""
    relations: RelationCounts
    strongest: StrongestLists
    sampled: SampledHeads
    divergences: Int64[np.ndarray, " pairs"]
    """Jensen–Shannon divergence of each pair of heads, first < second, summed over the sampled queries (2⁻²⁴)."""

    @classmethod
    def empty(cls, heads: int, window_tokens: int) -> "Summary":
        """The summary of nothing, to which any other can be added."""
        measures, offsets = len(PER_QUERY), 2 * window_tokens - 1

        def zeros(*shape: int) -> np.ndarray:
            return np.zeros(shape, dtype=np.int64)

        return cls(
            totals=zeros(3),
            queries=zeros(measures),
            sums=zeros(measures, heads, 2),
            histograms=zeros(measures, heads, BINS),
            offset_weights=zeros(heads, offsets),
            offset_strongest=zeros(heads, offsets),
            token_pairs=PairCounts.empty(),
            upos_pairs=PairCounts.empty(),
            relations=RelationCounts.empty(heads),
            strongest=StrongestLists.empty(heads),
            sampled=SampledHeads.empty(),
            divergences=zeros(heads * (heads - 1) // 2),
        )

    def merged(self, other: "Summary") -> "Summary":
        """The summary of both; they have no window in common."""
        return Summary(
            totals=self.totals + other.totals,
            queries=self.queries + other.queries,
            sums=added(self.sums, other.sums),
            histograms=self.histograms + other.histograms,
            offset_weights=self.offset_weights + other.offset_weights,
            offset_strongest=self.offset_strongest + other.offset_strongest,
            token_pairs=self.token_pairs.merged(other.token_pairs),
            upos_pairs=self.upos_pairs.merged(other.upos_pairs),
            relations=self.relations.merged(other.relations),
            strongest=self.strongest.merged(other.strongest),
            sampled=self.sampled.merged(other.sampled),
            divergences=self.divergences + other.divergences,
        )

    def save(self, path: Path) -> None:
        """Write it, whole or not at all."""
        with replacing(path) as partial, partial.open("wb") as file:
            self.write(file)

    def write(self, file: BufferedIOBase) -> None:
        """Write it as ``save`` does, to an open file."""
        arrays: dict[str, Any] = _arrays(self)
        np.savez(file, **arrays)

    @classmethod
    def load(cls, path: Path) -> "Summary":
        """Read what ``save`` wrote. Raises OSError or ValueError for anything else."""
        with np.load(path, allow_pickle=False) as kept:
            return _built(cls, "", dict(kept))


def _arrays(one: Any, before: str = "") -> dict[str, np.ndarray]:
    """Every array by its path of field names."""
    arrays = {}
    for each in fields(one):
        value = getattr(one, each.name)
        if is_dataclass(value):
            arrays.update(_arrays(value, f"{before}{each.name}."))
        else:
            arrays[before + each.name] = value
    return arrays


def _built(kind: Any, before: str, arrays: dict[str, np.ndarray]) -> Any:
    inner = {
        "token_pairs": PairCounts,
        "upos_pairs": PairCounts,
        "relations": RelationCounts,
        "strongest": StrongestLists,
        "sampled": SampledHeads,
    }
    return kind(
        **{
            each.name: _built(inner[each.name], f"{before}{each.name}.", arrays)
            if not before and each.name in inner
            else arrays[before + each.name]
            for each in fields(kind)
        }
    )
