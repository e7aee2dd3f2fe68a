"""Make the ids of a corpus unique in eight bytes a document, however many there are."""

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from jaxtyping import UInt64


class SeenIds:
    """The ids of all documents so far, as sorted arrays of 64-bit digests, each over twice as long as the next.

    A later document with an id that was there gets a suffix: ``id#2``, ``id#3`` …. Two different ids with the same
    digest (3 in a million corpora of ten million documents) are taken for one, which costs nothing but a suffix.
    """

    def __init__(self) -> None:
        self.levels: list[UInt64[np.ndarray, " ids"]] = []
        self.copies: dict[int, int] = {}
        """How often each repeated id has occurred, by its digest."""
        self.renamed = 0

    def unique(self, ids: Sequence[str]) -> list[str]:
        """Return the ids of the next documents, with suffixes where they are needed."""
        digests = [_digest(name) for name in ids]
        known = self._known(np.array(digests, np.uint64))
        new: set[int] = set()
        names = []
        for name, digest, is_known in zip(ids, digests, known, strict=True):
            if is_known or digest in new:
                name, digest = self._renamed(name, digest, new)  # noqa: PLW2901
            new.add(digest)
            names.append(name)
        self._add(np.array(sorted(new), np.uint64))
        return names

    def _renamed(self, name: str, digest: int, new: set[int]) -> tuple[str, int]:
        self.renamed += 1
        while True:
            copy = self.copies[digest] = self.copies.get(digest, 1) + 1
            other = f"{name}#{copy}"
            key = _digest(other)
            if key not in new and not self._known(np.array([key], np.uint64))[0]:
                return other, key

    def _known(self, digests: UInt64[np.ndarray, " ids"]) -> list[bool]:
        known = np.zeros(len(digests), bool)
        for level in self.levels:
            places = np.minimum(np.searchsorted(level, digests), len(level) - 1)
            known |= level[places] == digests
        return known.tolist()

    def _add(self, digests: UInt64[np.ndarray, " ids"]) -> None:
        if len(digests):
            self.levels.append(digests)
        while len(self.levels) > 1 and len(self.levels[-2]) <= 2 * len(self.levels[-1]):
            self.levels[-2:] = [np.sort(np.concatenate(self.levels[-2:]))]


def _digest(name: str) -> int:
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "little")
