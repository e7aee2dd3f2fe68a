"""A cache within a budget of bytes that counts what was found in it, what was not, and what had to leave."""

from collections.abc import Iterator
from typing import Generic, TypeVar

from .fair_eviction import Holdings

Value = TypeVar("Value")


class CountedCache(Generic[Value]):
    """Values by key. Where there is no more room, the least recently used of the client who holds most leave."""

    def __init__(self, maxsize: int) -> None:
        self.maxsize = maxsize
        self.currsize = 0
        """Bytes of all that is kept."""
        self.hits = 0
        self.misses = 0
        """Counted by who then has to make or fetch the value: a mere look at what is there is no miss."""
        self.evictions = 0
        self._kept: dict[str, tuple[Value, int]] = {}
        self._held: Holdings[str] = Holdings()

    def __len__(self) -> int:
        return len(self._kept)

    def __iter__(self) -> Iterator[str]:
        return iter(self._kept)

    def __contains__(self, key: str) -> bool:
        return key in self._kept

    def get(self, key: str) -> Value | None:
        """The value, marked as recently used, but not counted as found."""
        if key not in self._kept:
            return None
        self._held.use(key)
        return self._kept[key][0]

    def find(self, key: str) -> Value | None:
        """The value, counted if it is there, and marked as recently used."""
        value = self.get(key)
        if value is not None:
            self.hits += 1
        return value

    def keep(self, key: str, value: Value, client: str, size: int) -> None:
        """Keep the value as this client's, who has asked for it; one that is larger than all the room is not kept."""
        self._drop(key)
        if size > self.maxsize:
            return
        self._kept[key] = value, size
        self._held.add(key, client, size)
        self.currsize += size
        for leaving in self._held.leaving(self.maxsize, (key,)):
            self._drop(leaving)
            self.evictions += 1

    def clear(self) -> None:
        """Forget everything."""
        for key in tuple(self._kept):
            self._drop(key)

    def _drop(self, key: str) -> None:
        if key in self._kept:
            self.currsize -= self._kept.pop(key)[1]
            self._held.remove(key)
