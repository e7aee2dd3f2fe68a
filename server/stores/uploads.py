"""Limit large uploads: few at a time, and not all from one client."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from fastapi import Request

from ..requests.bodies import read_body
from ..web import clients
from ..web.errors import ApiError

AT_ONCE = 4
RETRY_AFTER_S = 2


class Uploads:
    """Counts the uploads in progress. Used on one event loop."""

    def __init__(self, *, max_bytes: int, at_once: int = AT_ONCE) -> None:
        self._max_bytes = max_bytes
        self._at_once = at_once
        self._share = max(1, at_once - 1)
        self._held: list[str] = []

    @asynccontextmanager
    async def body(self, request: Request) -> AsyncIterator[bytes]:
        """The whole body, counted as held until the block exits. Raises the errors of ``room`` and ``read_body``."""
        with self.room():
            yield await read_body(request, self._max_bytes)

    @contextmanager
    def room(self) -> Iterator[None]:
        """One upload, counted until the block exits.

        Raises ApiError 503 ``server_busy`` if too many are in progress, 429 ``too_many_requests`` if too many are this
        client's.
        """
        client = clients.client()
        if client and self._held.count(client) >= self._share:
            raise ApiError(
                429,
                "too_many_requests",
                "You already have as many uploads in progress as one client may have; try again in a moment.",
                limit=self._share,
                headers={"Retry-After": str(RETRY_AFTER_S)},
            )
        if len(self._held) >= self._at_once:
            raise ApiError(
                503,
                "server_busy",
                "Other uploads are in progress; try again in a moment.",
                limit=self._at_once,
                headers={"Retry-After": str(RETRY_AFTER_S)},
            )
        self._held.append(client)
        try:
            yield
        finally:
            self._held.remove(client)
