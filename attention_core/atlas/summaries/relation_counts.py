"""Counts for the relations of a treebank: how often a head's strongest word is the right one."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int64

from attention_core.pretrained.recording.word_attention import best_fixed_offset

DIRECTIONS = ("dependent_to_head", "head_to_dependent")
FARTHEST = 64
"""Offsets in words from −64 to 64 are counted, the ends with everything beyond."""


@dataclass(frozen=True, eq=False)
class RelationCounts:
    """For each relation (by name, in sorted order) and direction."""

    names: np.ndarray
    """(R) strings."""
    arcs: Int64[np.ndarray, " R"]
    found: Int64[np.ndarray, "R 2 G"]
    """Arcs whose reader attends to no word more than to the right one."""
    offsets: Int64[np.ndarray, "R 2 offsets"]
    """Arcs by the offset in words from the reader to the right word."""

    @classmethod
    def empty(cls, heads: int) -> "RelationCounts":
        """No relation met."""
        return cls.counted([], np.zeros((0, 2, heads), dtype=bool), np.zeros(0, dtype=np.int64))

    @classmethod
    def counted(
        cls, relations: Sequence[str], found: np.ndarray, offsets: Int64[np.ndarray, " arcs"]
    ) -> "RelationCounts":
        """From arcs: the relation of each, whether each head found it (arcs, 2, G), and head minus dependent."""
        names = sorted(set(relations))
        number = {name: index for index, name in enumerate(names)}
        which = np.array([number[name] for name in relations], dtype=np.int64)
        totals = np.zeros((len(names), *found.shape[1:]), dtype=np.int64)
        np.add.at(totals, which, found.astype(np.int64))
        histogram = np.zeros((len(names), 2, 2 * FARTHEST + 1), dtype=np.int64)
        size = histogram.shape[-1]
        for direction, signed in enumerate((offsets, -offsets)):
            slots = which * size + signed.clip(-FARTHEST, FARTHEST) + FARTHEST
            histogram[:, direction] = np.bincount(slots, minlength=len(names) * size).reshape(-1, size)
        return cls(_strings(names), np.bincount(which, minlength=len(names)), totals, histogram)

    def merged(self, other: "RelationCounts") -> "RelationCounts":
        """The sum of both."""
        names = np.union1d(self.names, other.names)
        size = len(names)
        arcs = np.zeros(size, dtype=np.int64)
        found_arcs = np.zeros((size, *self.found.shape[1:]), dtype=np.int64)
        offsets = np.zeros((size, *self.offsets.shape[1:]), dtype=np.int64)
        for each in (self, other):
            places = np.searchsorted(names, each.names)
            arcs[places] += each.arcs
            found_arcs[places] += each.found
            offsets[places] += each.offsets
        return RelationCounts(_strings(names.tolist()), arcs, found_arcs, offsets)


def best_offset(histogram: Int64[np.ndarray, " offsets"]) -> tuple[int, int]:
    """The best fixed offset and how often it is right. The ends, with everything beyond, are no offset."""
    counts = dict(zip(range(-FARTHEST + 1, FARTHEST), histogram[1:-1].tolist(), strict=True))
    best = best_fixed_offset(counts)
    return best, counts[best]


def _strings(names: Sequence[str]) -> np.ndarray:
    return np.array(names, dtype=np.str_) if names else np.zeros(0, dtype="<U1")
