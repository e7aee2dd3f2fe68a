"""The strongest examples of each head: at most one per window, in a list that can be merged."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float32, Int64

LENGTH = 20
"""Examples a list holds."""


@dataclass(frozen=True, eq=False)
class StrongestLists:
    """For each variant (all keys; without sinks) and head, queries with the largest weights on a key.

    In descending order of weight; of equal ones the lower window first. A list that is not full ends with window −1.
    Queries that may attend to one key alone, as the first of a decoder's, are in none; likewise, without sinks, those
    that may attend to one other.
    """

    weights: Float32[np.ndarray, "2 G K"]
    windows: Int64[np.ndarray, "2 G K"]
    queries: Int64[np.ndarray, "2 G K"]
    keys: Int64[np.ndarray, "2 G K"]

    @classmethod
    def empty(cls, heads: int) -> "StrongestLists":
        """Lists of no example."""
        nothing = np.full((2, heads, LENGTH), -1, dtype=np.int64)
        return cls(nothing.astype(np.float32), nothing, nothing, nothing)

    @classmethod
    def of_windows(
        cls,
        weights: Float32[np.ndarray, "2 G Q"],
        keys: Int64[np.ndarray, "2 G Q"],
        windows: Int64[np.ndarray, " Q"],
        queries: Int64[np.ndarray, " Q"],
    ) -> "StrongestLists":
        """The strongest query of each window, all of whose queries are here and follow each other."""
        first = np.flatnonzero(np.diff(windows, prepend=-1))
        largest = np.maximum.reduceat(weights, first, axis=-1)
        counts = np.diff(first, append=len(windows))
        places = np.where(weights == np.repeat(largest, counts, axis=-1), np.arange(len(windows)), len(windows))
        chosen = np.minimum.reduceat(places, first, axis=-1)
        strongest_windows = np.broadcast_to(windows[chosen], chosen.shape)
        return _best(
            largest,
            np.where(largest > 0, strongest_windows, -1),
            queries[chosen],
            np.take_along_axis(keys, chosen, axis=-1),
        )

    def merged(self, other: "StrongestLists") -> "StrongestLists":
        """The strongest of both, which have no window in common."""
        pairs = zip(self._columns(), other._columns(), strict=True)
        return _best(*(np.concatenate(pair, axis=-1) for pair in pairs))

    def _columns(self) -> tuple[np.ndarray, ...]:
        return self.weights, self.windows, self.queries, self.keys


def _best(weights: np.ndarray, windows: np.ndarray, queries: np.ndarray, keys: np.ndarray) -> StrongestLists:
    weights = np.where(windows < 0, np.float32(-1), weights)
    if (short := LENGTH - weights.shape[-1]) > 0:
        more = [(0, 0), (0, 0), (0, short)]
        weights, windows, queries, keys = (
            np.pad(each, more, constant_values=-1) for each in (weights, windows, queries, keys)
        )
    order = np.lexsort((windows, -weights), axis=-1)[..., :LENGTH]
    chosen = [np.take_along_axis(each, order, axis=-1) for each in (weights, windows, queries, keys)]
    none = chosen[1] < 0
    return StrongestLists(chosen[0].astype(np.float32), chosen[1], *(np.where(none, -1, each) for each in chosen[2:]))
