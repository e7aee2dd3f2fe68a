"""Which of what is kept leaves where there is no more room: the oldest of the client who holds most.

If simply the oldest left, one client could put out what all others have, by asking for enough. So each pays for its
own: whoever holds less than others keeps everything. A client is an address (``server/web/clients.py``), since anything
else, such as a cookie, can be had in any number.
"""

from collections import OrderedDict
from collections.abc import Collection
from typing import Generic, TypeVar

Key = TypeVar("Key")


class Holdings(Generic[Key]):
    """Who holds what, and how much it takes. What was added or used last is the youngest."""

    def __init__(self) -> None:
        self._lines: OrderedDict[str, OrderedDict[Key, int]] = OrderedDict()
        """By client, the one that came last at the end; of each its oldest first."""
        self._totals: dict[str, int] = {}
        self._client: dict[Key, str] = {}
        self._taken = 0

    def add(self, key: Key, client: str, size: int = 1) -> None:
        """Count this as the client's, and no longer as anybody's before."""
        self.remove(key)
        self._client[key] = client
        self._lines.setdefault(client, OrderedDict())[key] = size
        self._lines.move_to_end(client)
        self._totals[client] = self._totals.get(client, 0) + size
        self._taken += size

    def use(self, key: Key) -> None:
        """Make this the youngest of its client's."""
        if (client := self._client.get(key)) is not None:
            self._lines[client].move_to_end(key)

    def remove(self, key: Key) -> None:
        """Forget this, if it is known."""
        if (client := self._client.pop(key, None)) is None:
            return
        size = self._lines[client].pop(key)
        self._totals[client] -= size
        self._taken -= size
        if not self._lines[client]:
            del self._lines[client], self._totals[client]

    def leaving(self, most: int, staying: Collection[Key] = ()) -> list[Key]:
        """What leaves, and is no longer counted, so that all takes no more than ``most``: none of those that stay.

        Of two clients with as much, the one that came last gives way.
        """
        evicted: list[Key] = []
        while self._taken > most and (next_one := self._next(staying)) is not None:
            self.remove(next_one)
            evicted.append(next_one)
        return evicted

    def _next(self, staying: Collection[Key]) -> Key | None:
        last_first = list(self._lines)[::-1]
        for client in sorted(last_first, key=lambda each: -self._totals[each]):
            for key in self._lines[client]:
                if key not in staying:
                    return key
        return None
