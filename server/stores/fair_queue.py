"""Work that waits, a line for each client, served in turn."""

from collections import OrderedDict
from typing import Generic, TypeVar

Work = TypeVar("Work")


class FairQueue(Generic[Work]):
    """First in, first out for each client; among clients each is served once before any is served again."""

    def __init__(self) -> None:
        self._lines: OrderedDict[str, OrderedDict[int, Work]] = OrderedDict()
        """The next to be served first."""

    def __len__(self) -> int:
        return sum(map(len, self._lines.values()))

    def held_by(self, client: str) -> int:
        """How much of what waits is this client's."""
        return len(self._lines.get(client, ()))

    def add(self, client: str, work: Work) -> None:
        """Have this wait behind the client's other work; a client with none comes last in turn."""
        self._lines.setdefault(client, OrderedDict())[id(work)] = work

    def next(self) -> Work:
        """Take what has waited longest of the client whose turn it is."""
        client, line = next(iter(self._lines.items()))
        _, work = line.popitem(last=False)
        if line:
            self._lines.move_to_end(client)
        else:
            del self._lines[client]
        return work

    def remove(self, client: str, work: Work) -> None:
        """Take this out of its line."""
        line = self._lines[client]
        del line[id(work)]
        if not line:
            del self._lines[client]
