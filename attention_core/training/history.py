"""History of a run within a byte budget: every update, then every second, fourth, …"""

from collections.abc import Iterator

from attention_core.training.run import Update


class History:
    """Updates in order of their steps. When the budget is exhausted every second one is dropped.

    The remaining updates are at multiples of ``stride``; the first and the newest are always kept.
    """

    def __init__(self, max_nbytes: int) -> None:
        self.stride = 1
        self._max_nbytes = max_nbytes
        self._updates: list[Update] = []

    def __len__(self) -> int:
        return len(self._updates)

    def __iter__(self) -> Iterator[Update]:
        return iter(self._updates)

    @property
    def nbytes(self) -> int:
        """Bytes of the stored updates."""
        return sum(nbytes(update) for update in self._updates)

    @property
    def newest(self) -> Update | None:
        """The latest update; None before the first."""
        return self._updates[-1] if self._updates else None

    def add(self, update: Update) -> None:
        """Raises ValueError for a step that is not after the newest."""
        newest = self.newest
        if newest is not None and update.step <= newest.step:
            raise ValueError(f"update must come after step {newest.step}, not {update.step}")
        if newest is not None and newest.step % self.stride:
            self._updates.pop()
        self._updates.append(update)
        while self.nbytes > self._max_nbytes and len(self._updates) > 2:
            self.stride *= 2
            last = len(self._updates) - 1
            self._updates = [
                kept for index, kept in enumerate(self._updates) if kept.step % self.stride == 0 or index in (0, last)
            ]

    def after(self, step: int) -> Update | None:
        """The first update after this step; None if there is none yet."""
        low, high = 0, len(self._updates)
        while low < high:
            middle = (low + high) // 2
            if self._updates[middle].step > step:
                high = middle
            else:
                low = middle + 1
        return self._updates[low] if low < len(self._updates) else None


def nbytes(update: Update) -> int:
    """Bytes of an update's arrays."""
    return update.maps.nbytes + sum(scores.nbytes for scores in update.scores.values())
