"""A random sample of queries that does not depend on the order in which they are seen."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Int64, UInt64


def query_hash(
    windows: Int64[np.ndarray, " N"], queries: Int64[np.ndarray, " N"], seed: int
) -> UInt64[np.ndarray, " N"]:
    """A pseudorandom number for each query, from its window's id, its index there and the seed (SplitMix64)."""
    with np.errstate(over="ignore"):
        mixed = _mix(np.full(1, seed, dtype=np.uint64))
        mixed = _mix(mixed ^ windows.astype(np.uint64))
        return _mix(mixed ^ queries.astype(np.uint64))


def _mix(number: UInt64[np.ndarray, " N"]) -> UInt64[np.ndarray, " N"]:
    """Steele, Lea and Flood (2014), figure 1."""
    number = number + np.uint64(0x9E3779B97F4A7C15)
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))


@dataclass(frozen=True, eq=False)
class QuerySample:
    """The queries with the lowest hashes, in their order: a uniform sample without replacement."""

    windows: Int64[np.ndarray, " S"]
    queries: Int64[np.ndarray, " S"]
    hashes: UInt64[np.ndarray, " S"]

    @classmethod
    def empty(cls) -> "QuerySample":
        """No queries."""
        nothing = np.zeros(0, dtype=np.int64)
        return cls(nothing, nothing, nothing.astype(np.uint64))

    @classmethod
    def of_windows(
        cls, windows: Int64[np.ndarray, " W"], lengths: Int64[np.ndarray, " W"], seed: int, size: int
    ) -> "QuerySample":
        """A sample of all queries of these windows."""
        ids = np.repeat(windows, lengths)
        queries = np.arange(len(ids)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return cls(ids, queries, query_hash(ids, queries, seed)).lowest(size)

    def lowest(self, size: int) -> "QuerySample":
        """The ``size`` queries with the lowest hashes."""
        order = np.lexsort((self.queries, self.windows, self.hashes))[:size]
        return QuerySample(self.windows[order], self.queries[order], self.hashes[order])

    def merged(self, other: "QuerySample", size: int) -> "QuerySample":
        """The sample of both."""
        pairs = ((self.windows, other.windows), (self.queries, other.queries), (self.hashes, other.hashes))
        return QuerySample(*(np.concatenate(pair) for pair in pairs)).lowest(size)
