"""Examples of a head: its strongest, and some of every tenth of the sampled queries."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from attention_core.atlas.summaries.summary import Summary

DECILES = 10
EXAMPLES_OF_DECILE = 10

Row = dict[str, Any]


def head_examples(summary: Summary, head: int) -> Iterator[Row]:
    """The examples of one head (by its number), for both variants."""
    for variant in range(2):
        yield from _strongest(summary, head, variant)
        yield from _of_deciles(summary, head, variant)


def mentioned_windows(summary: Summary) -> list[int]:
    """Every window that an example or a sampled query is in, ascending."""
    strongest = summary.strongest.windows
    return np.union1d(strongest[strongest >= 0], summary.sampled.windows).tolist()


def _strongest(summary: Summary, head: int, variant: int) -> Iterator[Row]:
    lists = summary.strongest
    columns = [each[variant, head].tolist() for each in (lists.windows, lists.queries, lists.keys, lists.weights)]
    for rank, (window, query, key, weight) in enumerate(zip(*columns, strict=True)):
        if window < 0:
            return
        yield _row("strongest", None, variant, rank, window, query, key, weight)


def _of_deciles(summary: Summary, head: int, variant: int) -> Iterator[Row]:
    """Sort the sampled queries by their strongest weight, cut into tenths, and take those with the lowest hashes."""
    sampled = summary.sampled
    met = np.flatnonzero(sampled.keys[:, variant, head] >= 0) if len(sampled.windows) else np.zeros(0, dtype=np.int64)
    weights = sampled.weights[met, variant, head] if len(met) else np.zeros(0)
    order = met[np.lexsort((sampled.hashes[met], weights))]
    for decile in range(DECILES):
        tenth = order[len(order) * decile // DECILES : len(order) * (decile + 1) // DECILES]
        chosen = tenth[np.argsort(sampled.hashes[tenth], kind="stable")[:EXAMPLES_OF_DECILE]]
        for rank, index in enumerate(chosen.tolist()):
            key, weight = int(sampled.keys[index, variant, head]), float(sampled.weights[index, variant, head])
            window, query = int(sampled.windows[index]), int(sampled.queries[index])
            yield _row("decile", decile, variant, rank, window, query, key, weight)


def _row(
    kind: str, decile: int | None, variant: int, rank: int, window: int, query: int, key: int, weight: float
) -> Row:
    return {
        "kind": kind,
        "decile": decile,
        "without_sinks": bool(variant),
        "rank": rank,
        "window": window,
        "query": query,
        "key": key,
        "weight": weight,
    }
