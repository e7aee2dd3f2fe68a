"""A cache within a budget of bytes that counts what was found in it, what was not, and what had to leave."""

from typing import TypeVar

from cachetools import LRUCache

Value = TypeVar("Value")


class CountedCache(LRUCache[str, Value]):
    """The least recently used leave."""

    hits = 0
    misses = 0
    """Counted by who then has to make or fetch the value: a mere look at what is there is no miss."""
    evictions = 0

    def find(self, key: str) -> Value | None:
        """The value, counted if it is there, and marked as recently used."""
        value: Value | None = self.get(key)
        if value is not None:
            self.hits += 1
        return value

    def popitem(self) -> tuple[str, Value]:
        """Remove the least recently used."""
        self.evictions += 1
        return super().popitem()
