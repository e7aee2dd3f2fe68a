"""The sampled queries: what each head attends to there, with queries, keys and outputs."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float32, Int64, UInt64

VECTORS = ("q", "k", "output")


@dataclass(frozen=True, eq=False)
class SampledHeads:
    """The same queries for all heads, in the order of window and query."""

    windows: Int64[np.ndarray, " S"]
    queries: Int64[np.ndarray, " S"]
    hashes: UInt64[np.ndarray, " S"]
    """By which they were sampled."""
    keys: Int64[np.ndarray, "S 2 G"]
    """Strongest key of each query, of all keys and of those that are no sink; −1 if there is none to choose."""
    weights: Float32[np.ndarray, "S 2 G"]
    q: Float32[np.ndarray, "S numbers"]
    """Of all heads, one behind the other: layers may differ in their size (Gemma 4)."""
    k: Float32[np.ndarray, "S numbers"]
    """Of the strongest key."""
    output: Float32[np.ndarray, "S numbers_of_output"]
    """The head's output at the query."""
    sizes: Int64[np.ndarray, "3 G"]
    """How many numbers of each head stand in ``q``, ``k`` and ``output``."""

    @classmethod
    def empty(cls) -> "SampledHeads":
        """No queries yet."""
        whole, real = np.zeros(0, dtype=np.int64), np.zeros((0, 0), dtype=np.float32)
        none = np.zeros((0, 2, 0), dtype=np.int64)
        sizes = np.zeros((len(VECTORS), 0), dtype=np.int64)
        return cls(whole, whole, whole.astype(np.uint64), none, none.astype(np.float32), real, real, real, sizes)

    def merged(self, *others: "SampledHeads") -> "SampledHeads":
        """All of them; a query is in one only."""
        parts = [part for part in (self, *others) if len(part.windows)]
        if not parts:
            return self
        names = ("windows", "queries", "hashes", "keys", "weights", *VECTORS)
        columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
        order = np.lexsort((columns["queries"], columns["windows"]))
        return SampledHeads(**{name: column[order] for name, column in columns.items()}, sizes=parts[0].sizes)

    def vectors(self, name: str, head: int) -> Float32[np.ndarray, "S size"]:
        """``q``, ``k`` or ``output`` of one head."""
        ends = np.cumsum(self.sizes[VECTORS.index(name)])
        start = ends[head] - self.sizes[VECTORS.index(name), head]
        return getattr(self, name)[:, start : ends[head]]
