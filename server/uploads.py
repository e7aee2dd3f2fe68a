"""Large bodies: few in memory at a time, and none that takes for ever to arrive."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import Request

from server.errors import ApiError

AT_ONCE = 4
RETRY_AFTER_S = 2


class Uploads:
    """Counts the bodies that are held. Used on one event loop."""

    def __init__(self, *, timeout_s: float, at_once: int = AT_ONCE) -> None:
        self._timeout_s = timeout_s
        self._at_once = at_once
        self._held = 0

    @asynccontextmanager
    async def body(self, request: Request) -> AsyncIterator[bytes]:
        """The whole body, which counts as held until the block is left.

        Raises ApiError 503 ``server_busy`` when too many are held, 408 ``timeout`` when it does not arrive in time. Its
        size is bounded before (``BodyLimit``).
        """
        if self._held >= self._at_once:
            message = "Other uploads are under way; try again in a moment."
            raise ApiError(
                503, "server_busy", message, limit=self._at_once, headers={"Retry-After": str(RETRY_AFTER_S)}
            )
        self._held += 1
        try:
            try:
                async with asyncio.timeout(self._timeout_s):
                    data = await request.body()
            except TimeoutError:
                limit = self._timeout_s
                message = f"The upload took longer than {limit:g} seconds (OBSERVATORY_ANALYSIS_TIMEOUT_S)."
                raise ApiError(408, "timeout", message, limit=limit, headers={"Connection": "close"}) from None
            yield data
        finally:
            self._held -= 1
