"""Middleware that refuses bodies over the size limit, with or without Content-Length."""

from collections.abc import Mapping

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..web.errors import ApiError, error_response

LENGTH_DIGITS = 18
"""Largest number of digits of a valid length."""
READ_ON = 64 * 2**20
"""Bytes read and discarded so that the client receives the response; beyond that the connection is closed."""


class BodyLimit:
    """ASGI middleware: refuse bodies over ``limit`` bytes (413) on every path; routes set lower limits.

    ``larger`` maps paths to higher limits. A Content-Length over the limit is refused before a byte is read; without
    one, reading stops at the limit.
    """

    def __init__(self, app: ASGIApp, limit: int, larger: Mapping[str, int] | None = None) -> None:
        self.app = app
        self.limit = limit
        self.larger = larger or {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with a counting ``receive``."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        limit = self.larger.get(scope["path"], self.limit)
        try:
            refuse_length(scope, limit)
        except ApiError as error:
            await error_response(error, scope)(scope, receive, send)
            return
        received = 0

        async def counting() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > limit:
                raise body_too_large(limit, hang_up=True)  # of unknown length
            return message

        await self.app(scope, counting, send)


def refuse_length(scope: Scope, limit: int) -> None:
    """Raise ApiError 413 if Content-Length exceeds the limit."""
    header = next((value for name, value in scope["headers"] if name == b"content-length"), b"")
    if header.isdigit():
        length = int(header) if len(header) <= LENGTH_DIGITS else float("inf")
        if length > limit:
            raise body_too_large(limit, hang_up=length > READ_ON)


def body_too_large(limit: int, *, hang_up: bool = False) -> ApiError:
    """413; ``hang_up`` closes the connection, else the rest of the body is read and discarded."""
    return ApiError(
        413,
        "body_too_large",
        "The request body is larger than {limit} bytes.",
        field="body",
        limit=limit,
        headers={"Connection": "close"} if hang_up else None,
    )
