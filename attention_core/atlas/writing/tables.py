"""Write a summary as an atlas: Parquet files with fixed columns and order, so that equal scans give equal bytes."""

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from attention_core.atlas.measures import MEASURES, PER_QUERY
from attention_core.atlas.summaries.divergences import clusters, plane, square
from attention_core.atlas.summaries.exact_sums import FRACTION_BITS, as_float
from attention_core.atlas.summaries.histograms import bin_edges
from attention_core.atlas.summaries.pair_counts import PairCounts
from attention_core.atlas.summaries.relation_counts import DIRECTIONS, best_offset
from attention_core.atlas.summaries.sampled import VECTORS
from attention_core.atlas.summaries.summary import BINS, PARTS_OF_SPEECH, Summary
from attention_core.atlas.writing.examples import head_examples
from attention_core.atlas.writing.schemas import SCHEMAS

PAIRS = 100
"""Most frequent pairs of tokens that are listed for each head."""
REACH = 64
"""Offsets beyond count as this one."""
OTHER = "…"
"""Stands for any token that is not frequent."""
UNIT = 2.0**-FRACTION_BITS

Row = dict[str, Any]
Columns = dict[str, Any]
"""Values by name of column."""


@dataclass(frozen=True)
class HeadNames:
    """The heads of one part, in order."""

    part: str
    layers: int
    heads: int

    def __len__(self) -> int:
        return self.layers * self.heads

    def __getitem__(self, number: int) -> Row:
        layer, head = divmod(number, self.heads)
        return {"part": self.part, "layer": layer, "head": head}

    def columns(self, number: int, count: int) -> Columns:
        """The same in so many rows."""
        return {name: [value] * count for name, value in self[number].items()}


def write_head_tables(
    folder: Path, summary: Summary, names: HeadNames, frequent: list[str], window_tokens: int
) -> float | None:
    """Write everything but windows.parquet and atlas.json. ``frequent`` are the texts of the frequent tokens.

    Returns the stress of the map of heads; None if no query was sampled.
    """
    distances = _distances(summary, len(names))
    places, stress = (None, None) if distances is None else plane(distances)
    groups = None if distances is None else clusters(distances)
    heads = list(_heads(summary, names))
    for number, row in enumerate(heads):
        row["map_x"], row["map_y"] = (None, None) if places is None else places[number].tolist()
        row["cluster"] = None if groups is None else int(groups[number])
    write_groups(folder, "heads", [heads])
    write_groups(folder, "histograms", _histograms(summary, names, window_tokens))
    write_groups(folder, "offsets", _offsets(summary, names, window_tokens))
    upos = [*PARTS_OF_SPEECH, OTHER]
    by_head = _by_head(summary.token_pairs, len(names)), _by_head(summary.upos_pairs, len(names))
    write_groups(
        folder,
        "token_pairs",
        (
            pa.concat_tables(
                table
                for kind, pairs, texts in (("token", by_head[0][head], frequent), ("upos", by_head[1][head], upos))
                for table in _pairs(names, head, kind, pairs, texts)
            )
            for head in range(len(names))
        ),
    )
    write_groups(
        folder,
        "examples",
        ([names[head] | row for row in head_examples(summary, head)] for head in range(len(names))),
    )
    write_groups(folder, "relations", [list(_relations(summary, names))])
    write_groups(folder, "divergences", _divergences(distances, names))
    write_groups(folder, "vectors", _vectors(summary, names))
    return stress


def write_groups(folder: Path, name: str, groups: Iterable[list[Row] | pa.Table]) -> None:
    """Write a file, a row group for each list of rows that is not empty."""
    schema = SCHEMAS[name]
    with pq.ParquetWriter(folder / f"{name}.parquet", schema, compression="zstd") as writer:
        for rows in groups:
            table = rows if isinstance(rows, pa.Table) else pa.Table.from_pylist(rows, schema)
            if table.num_rows:
                writer.write_table(table, row_group_size=table.num_rows)


def _heads(summary: Summary, names: HeadNames) -> Iterator[Row]:
    sums = as_float(summary.sums)
    for head in range(len(names)):
        means = {
            name: float(sums[row, head] / count) if (count := int(summary.queries[row])) else None
            for row, name in enumerate(PER_QUERY)
        }
        strongest = summary.offset_strongest[head]
        total = int(strongest.sum())
        means["positional_regularity"] = float(strongest.max() / total) if total else None
        ordered = {name: _at_most(means[name], MEASURES[name].unit) for name in MEASURES}
        yield names[head] | {"tokens": int(summary.totals[2])} | ordered


def _at_most(mean: float | None, unit: str) -> float | None:
    """Rounded weights may add up to 1 + 1e-7."""
    return min(mean, 1.0) if mean is not None and unit == "share" else mean


def _histograms(summary: Summary, names: HeadNames, window_tokens: int) -> Iterator[pa.Table]:
    measured = np.flatnonzero(summary.queries)
    if not len(measured):
        return
    edges = np.stack([bin_edges(PER_QUERY[measure], window_tokens) for measure in measured])
    same: Columns = {
        "measure": [PER_QUERY[measure] for measure in measured for _ in range(BINS)],
        "bin": np.tile(np.arange(BINS, dtype=np.int32), len(measured)),
        "low": edges[:, :-1].ravel(),
        "high": edges[:, 1:].ravel(),
    }
    for head in range(len(names)):
        counts = {"count": summary.histograms[measured, head].ravel()}
        yield _table("histograms", names.columns(head, len(same["bin"])) | same | counts)


def _offsets(summary: Summary, names: HeadNames, window_tokens: int) -> Iterator[pa.Table]:
    farthest = min(REACH, window_tokens - 1)
    clipped = np.arange(1 - window_tokens, window_tokens).clip(-farthest, farthest) + farthest
    for head in range(len(names)):
        weights, strongest = (np.zeros(2 * farthest + 1, dtype=np.int64) for _ in range(2))
        np.add.at(weights, clipped, summary.offset_weights[head])
        np.add.at(strongest, clipped, summary.offset_strongest[head])
        means = weights * UNIT / max(int(summary.totals[2]), 1)
        offsets = np.arange(-farthest, farthest + 1, dtype=np.int32)
        columns = {"offset": offsets, "weight": means, "strongest": strongest}
        yield _table("offsets", names.columns(head, len(offsets)) | columns)


def _by_head(pairs: PairCounts, heads: int) -> list[PairCounts]:
    """The table of each head."""
    cuts = np.searchsorted(pairs.keys, np.arange(heads + 1) << 17)
    slices = [slice(*cut) for cut in itertools.pairwise(cuts)]
    return [PairCounts(pairs.keys[each], pairs.counts[each], pairs.weights[each]) for each in slices]


def _pairs(names: HeadNames, head: int, kind: str, pairs: PairCounts, texts: list[str]) -> Iterator[pa.Table]:
    """The most frequent pairs of each variant; tokens with the same text stay apart."""
    texts = texts + [OTHER] * (256 - len(texts))
    for variant in range(2):
        chosen = np.flatnonzero((pairs.keys >> 16 & 1) == variant)
        order = chosen[np.lexsort((pairs.keys[chosen], -pairs.counts[chosen]))][:PAIRS]
        keys, counts, weights = pairs.keys[order], pairs.counts[order], pairs.weights[order]
        columns = {
            "kind": [kind] * len(order),
            "without_sinks": [bool(variant)] * len(order),
            "query": [texts[text_index] for text_index in (keys >> 8 & 255).tolist()],
            "key": [texts[text_index] for text_index in (keys & 255).tolist()],
            "count": counts,
            "weight": weights * UNIT / counts,
            "rank": np.arange(len(order), dtype=np.int32),
        }
        yield _table("token_pairs", names.columns(head, len(order)) | columns)


def _relations(summary: Summary, names: HeadNames) -> Iterator[Row]:
    counts = summary.relations
    for index, relation in enumerate(counts.names.tolist()):
        for number, direction in enumerate(DIRECTIONS):
            arcs = int(counts.arcs[index])
            offset, right = best_offset(counts.offsets[index, number])
            for head in range(len(names)):
                yield {
                    "relation": relation,
                    "direction": direction,
                    **names[head],
                    "count": arcs,
                    "accuracy": int(counts.found[index, number, head]) / arcs,
                    "baseline_offset": offset,
                    "baseline_accuracy": right / arcs,
                }


def _distances(summary: Summary, heads: int) -> np.ndarray | None:
    """The mean divergence of each pair of heads."""
    sampled = len(summary.sampled.windows)
    return square(summary.divergences * UNIT / sampled, heads) if sampled else None


def _divergences(distances: np.ndarray | None, names: HeadNames) -> Iterator[pa.Table]:
    if distances is None:
        return
    every = [names[head] for head in range(len(names))]
    for first in range(len(names) - 1):
        others = every[first + 1 :]
        columns = {f"{name}_a": values for name, values in names.columns(first, len(others)).items()}
        columns |= {f"{name}_b": [other[name] for other in others] for name in every[first]}
        yield _table("divergences", columns | {"divergence": distances[first, first + 1 :]})


def _vectors(summary: Summary, names: HeadNames) -> Iterator[pa.Table]:
    sampled = summary.sampled
    for head in range(len(names)):
        if not len(sampled.windows):
            return
        met = sampled.keys[:, 0, head] >= 0
        count = int(met.sum())
        columns = names.columns(head, count) | {
            "window": sampled.windows[met],
            "query": sampled.queries[met].astype(np.int32),
            "key": sampled.keys[met, 0, head].astype(np.int32),
            "weight": sampled.weights[met, 0, head],
        }
        for name in VECTORS:
            vectors = sampled.vectors(name, head)[met]
            starts = pa.array(np.arange(count + 1, dtype=np.int32) * vectors.shape[1])
            columns[name] = pa.ListArray.from_arrays(starts, pa.array(vectors.ravel()))
        yield _table("vectors", columns)


def _table(name: str, columns: Columns) -> pa.Table:
    return pa.table(columns, schema=SCHEMAS[name])
