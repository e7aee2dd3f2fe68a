"""The sampled queries: what each head attends to there, with queries, keys and outputs."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float32, Int64, UInt64


@dataclass(frozen=True, eq=False)
class SampledHeads:
    """The same queries for all heads, in the order of window and query."""

    windows: Int64[np.ndarray, " S"]
    queries: Int64[np.ndarray, " S"]
    hashes: UInt64[np.ndarray, " S"]
    """By which they were sampled."""
    keys: Int64[np.ndarray, "S 2 G"]
    """Strongest key of each query, of all keys and of those that are no sink; −1 if there is none."""
    weights: Float32[np.ndarray, "S 2 G"]
    q: Float32[np.ndarray, "S G D"]
    k: Float32[np.ndarray, "S G D"]
    """Of the strongest key."""
    output: Float32[np.ndarray, "S G V"]
    """The head's output at the query."""

    @classmethod
    def empty(cls) -> "SampledHeads":
        """No queries yet."""
        whole, real = np.zeros(0, dtype=np.int64), np.zeros((0, 0, 0), dtype=np.float32)
        none = np.zeros((0, 2, 0), dtype=np.int64)
        return cls(whole, whole, whole.astype(np.uint64), none, none.astype(np.float32), real, real, real)

    def merged(self, *others: "SampledHeads") -> "SampledHeads":
        """All of them; a query is in one only."""
        parts = [part for part in (self, *others) if len(part.windows)]
        if not parts:
            return self
        names = ("windows", "queries", "hashes", "keys", "weights", "q", "k", "output")
        columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
        order = np.lexsort((columns["queries"], columns["windows"]))
        return SampledHeads(**{name: column[order] for name, column in columns.items()})
