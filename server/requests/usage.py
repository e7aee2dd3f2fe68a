"""How much each client has had of late, so that who asks for little does not wait for who asks for much.

Threads share the interpreter, so each call at work beside another's makes it as much slower. Whoever has had clearly
more waits, then, while another client's call is at work, and has fewer at work while another comes and goes, who would
else find all of them under way each time. What is had is forgotten within seconds, and a call at work counts as long as
it takes: nobody is kept out for long, and of two who ask for as much, none is.
"""

import math
from collections import defaultdict

HORIZON_S = 2.0
"""Seconds after which a third is left of what somebody has had."""
CLEARLY_S = 0.1
"""How much more one may have had than who is at work, and still begin beside it."""
FORGOTTEN_S = 1e-3


class Usage:
    """Seconds of calls by client, the sooner the more. Times are the caller's clock's."""

    def __init__(self) -> None:
        self._had: dict[str, tuple[float, float]] = {}
        """Seconds, and as of when."""
        self._at_work: defaultdict[str, list[float]] = defaultdict(list)
        """When its calls at work began."""

    def begin(self, client: str, now: float) -> None:
        """A call of this client's is at work from now on."""
        self._at_work[client].append(now)

    def end(self, client: str, now: float) -> None:
        """One of its calls has ended, the oldest one for all that is known."""
        before = self._kept(client, now)
        start = self._at_work[client].pop(0)
        if not self._at_work[client]:
            del self._at_work[client]
        self._had[client] = (before + now - start, now)
        self._had = {each: had for each, had in self._had.items() if had[0] * _left(now - had[1]) > FORGOTTEN_S}

    def of(self, client: str, now: float) -> float:
        """What it has had of late, calls at work included."""
        return self._kept(client, now) + sum(now - start for start in self._at_work.get(client, ()))

    def may_begin(self, client: str, now: float) -> bool:
        """Whether nobody is at work who has had clearly less."""
        others = [self.of(each, now) for each in self._at_work if each not in {client, ""}]
        return not others or self.of(client, now) <= min(others) + CLEARLY_S

    def share(self, client: str, at_once: int, now: float) -> int:
        """Of so many calls at once, how many it may have: half, once it has had clearly more than another of late."""
        others = [self.of(each, now) for each in {*self._had, *self._at_work} - {client, ""}]
        here = [had for had in others if had > FORGOTTEN_S]
        exceeds = bool(here) and self.of(client, now) > min(here) + CLEARLY_S
        return max(1, at_once // 2) if exceeds else at_once

    def _kept(self, client: str, now: float) -> float:
        seconds, when = self._had.get(client, (0.0, now))
        return seconds * _left(now - when)


def _left(seconds: float) -> float:
    return math.exp(-seconds / HORIZON_S)
