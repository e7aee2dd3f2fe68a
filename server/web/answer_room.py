"""Bound what answers hold in memory: each one's bytes, and those of all that are written and not yet read.

An answer stays in memory until its client has read it, and a client need not read. So every byte of a large answer
takes room while it is written and gives it back once it is sent; one client may take half of the room.
"""

import asyncio
from collections import Counter
from contextlib import suppress
from contextvars import ContextVar
from threading import Lock

from ..settings import Settings
from . import clients
from .errors import ApiError
from .free_memory import trim

TRIMMED = 32 * 2**20
"""Bytes that answers have given back, after which the process gives back to the system what they leave behind."""


class AnswerRoom:
    """The account of what answers hold. For any thread: answers are written in several."""

    def __init__(self, settings: Settings) -> None:
        self.most_of_one = settings.max_answer_bytes
        self.most = max(settings.max_answers_bytes, settings.max_answer_bytes)
        self.per_client = max(self.most // 2, settings.max_answer_bytes)
        self._by_client: Counter[str] = Counter()
        self._held = 0
        self._lock = Lock()
        self._given = 0

    def __len__(self) -> int:
        """Bytes held by all answers."""
        return self._held

    def take(self, client: str, nbytes: int) -> None:
        """Hold more for a client. Raises ApiError: 429 where its share is taken, 503 where there is no more room."""
        with self._lock:
            if self._by_client[client] + nbytes > self.per_client:
                raise ApiError(
                    429,
                    "too_many_requests",
                    "This client has answers of {limit} bytes to read first (OBSERVATORY_MAX_ANSWERS_BYTES).",
                    limit=self.per_client,
                    headers={"Retry-After": "1"},
                )
            if self._held + nbytes > self.most:
                raise ApiError(
                    503,
                    "server_busy",
                    "The server holds as many answers as it can that have not been read; try again soon.",
                    limit=self.most,
                    headers={"Retry-After": "1"},
                )
            self._by_client[client] += nbytes
            self._held += nbytes

    def give_back(self, client: str, nbytes: int) -> bool:
        """Hold less for it; whether it is time for ``trim``."""
        with self._lock:
            self._by_client[client] -= nbytes
            self._held -= nbytes
            if not self._by_client[client]:
                del self._by_client[client]
            self._given += nbytes
            is_time = self._given >= TRIMMED
            if is_time:
                self._given = 0
            return is_time


class HeldAnswer:
    """What one answer holds, from its first byte written to its last byte sent."""

    def __init__(self, room: AnswerRoom, client: str) -> None:
        self._room = room
        self._client = client
        self._held = 0
        self._is_over = False
        self._lock = Lock()

    def take(self, nbytes: int) -> None:
        """Hold more. Raises ApiError 422 ``answer_too_large``, and those of ``AnswerRoom.take``."""
        most = self._room.most_of_one
        with self._lock:
            if self._is_over:
                raise asyncio.CancelledError  # nobody waits for what is written here
            if self._held + nbytes > most:
                raise ApiError(
                    422,
                    "answer_too_large",
                    "The answer would be larger than {limit} bytes (OBSERVATORY_MAX_ANSWER_BYTES); "
                    "ask for less at once.",
                    limit=most,
                )
            self._room.take(self._client, nbytes)
            self._held += nbytes

    def close(self) -> None:
        """Give back what it holds. Does nothing the second time."""
        with self._lock:
            self._is_over = True
            held, self._held = self._held, 0
        if held and self._room.give_back(self._client, held):
            with suppress(RuntimeError):  # where no loop runs, as in a test
                asyncio.get_running_loop().run_in_executor(None, trim)


_current: ContextVar[HeldAnswer | None] = ContextVar("held_answer", default=None)


def hold(room: AnswerRoom) -> HeldAnswer:
    """Let what is written for the current request take its room here."""
    held = HeldAnswer(room, clients.client())
    _current.set(held)
    return held


def take(nbytes: int) -> None:
    """Hold more for the current request; nothing where there is none, as at start-up. Raises as ``HeldAnswer.take``."""
    if (held := _current.get()) is not None:
        held.take(nbytes)
