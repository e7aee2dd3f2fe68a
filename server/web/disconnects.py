"""Cancel work when the client disconnects."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from fastapi import Request

from .errors import ApiError

Result = TypeVar("Result")


async def unless_disconnected(request: Request, answer: Awaitable[Result]) -> Result:
    """Await the answer unless the client disconnects first, which cancels work nobody else waits for.

    The request's body must have been read.
    """
    working = asyncio.ensure_future(answer)
    leaving = asyncio.ensure_future(_disconnected(request))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise ApiError(503, "cancelled", "The client closed the connection.")
    finally:
        for task in (working, leaving):
            task.cancel()


async def _disconnected(request: Request) -> None:
    """Return when the client closes the connection."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
