"""A fair queue: first in, first out per client, clients served round-robin."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

Work = TypeVar("Work")


class FairQueue(Generic[Work]):
    """First in, first out per client; clients are served round-robin."""

    def __init__(self) -> None:
        self._lines: OrderedDict[str, OrderedDict[int, Work]] = OrderedDict()
        """Queues by client; the next client to be served is first."""

    def __len__(self) -> int:
        return sum(map(len, self._lines.values()))

    def held_by(self, client: str) -> int:
        """Number of queued items of this client."""
        return len(self._lines.get(client, ()))

    def add(self, client: str, work: Work) -> None:
        """Append to the client's line; a client without one goes last in the rotation."""
        self._lines.setdefault(client, OrderedDict())[id(work)] = work

    def next(self, may: Callable[[str], bool] = lambda _: True) -> Work | None:
        """Take the oldest item of the client whose turn it is, of those who ``may``; None if there is none."""
        client = next(filter(may, self._lines), None)
        if client is None:
            return None
        line = self._lines[client]
        _, work = line.popitem(last=False)
        if line:
            self._lines.move_to_end(client)
        else:
            del self._lines[client]
        return work

    def take(self, wanted: Callable[[Work], bool], most: int, *, of: str, may: Callable[[str], bool]) -> list[Work]:
        """Take up to ``most`` items out of their turn, to go with one of this client's, which is taken already.

        Each client's oldest come first, and of each other that ``may`` no more than of this one: nobody waits longer
        for many of another's than for one's own.
        """
        lines = {client: [work for work in line.values() if wanted(work)] for client, line in self._lines.items()}
        own = lines.pop(of, [])
        others = [(client, work) for client, line in lines.items() if may(client) for work in line[: 1 + len(own)]]
        taken = [*((of, work) for work in own), *others][: max(0, most)]
        for client, work in taken:
            self.remove(client, work)
        return [work for _, work in taken]

    def remove(self, client: str, work: Work) -> None:
        """Remove this item from its line."""
        line = self._lines[client]
        del line[id(work)]
        if not line:
            del self._lines[client]
