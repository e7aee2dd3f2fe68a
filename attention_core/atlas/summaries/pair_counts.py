"""Sparse counters: how often each pair of tokens was met, and with what weight."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Int64


@dataclass(frozen=True, eq=False)
class PairCounts:
    """A sorted table of keys that occurred."""

    keys: Int64[np.ndarray, " K"]
    counts: Int64[np.ndarray, " K"]
    weights: Int64[np.ndarray, " K"]
    """Sums of weights in multiples of 2⁻²⁴."""

    @classmethod
    def empty(cls) -> "PairCounts":
        """Nothing counted yet."""
        nothing = np.zeros(0, dtype=np.int64)
        return cls(nothing, nothing, nothing)

    def merged(self, *others: "PairCounts") -> "PairCounts":
        """The sum of all tables."""
        tables = [self, *others]
        keys = np.concatenate([table.keys for table in tables])
        order = np.argsort(keys, kind="stable")  # merges runs that are sorted already
        keys = keys[order]
        first = np.flatnonzero(np.diff(keys, prepend=-1))
        if not len(first):
            return self
        counts, weights = (
            np.add.reduceat(np.concatenate(columns)[order], first)
            for columns in ([table.counts for table in tables], [table.weights for table in tables])
        )
        return PairCounts(keys[first], counts, weights)


def counted(first_key: int, pairs: Int64[np.ndarray, " N"], weights: Int64[np.ndarray, " N"], size: int) -> PairCounts:
    """Count pairs, each a number below ``size``; ``first_key`` is added to their keys."""
    counts = np.bincount(pairs, minlength=size)
    sums = np.bincount(pairs, weights=weights, minlength=size)  # exact: integers below 2⁵³
    present = np.flatnonzero(counts)
    return PairCounts(present + first_key, counts[present], sums[present].astype(np.int64))
