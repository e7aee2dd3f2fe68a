"""Compress answers in their client's turn: one client's many large answers would take the processors from everybody."""

from starlette.datastructures import Headers
from starlette.middleware.gzip import GZipMiddleware, GZipResponder
from starlette.types import Receive, Scope, Send

from .turns import packed

SMALL = 64 * 1024
"""Bytes that are compressed on the event loop, in a millisecond: what is asked for to watch a busy server, such as the
metrics, waits for no turn."""


class _Responder(GZipResponder):
    """Compresses what is not small in a turn."""

    async def apply_compression(self, body: bytes, *, more_body: bool) -> bytes:
        """The next piece of the compressed answer."""
        if len(body) <= SMALL:
            return self._compress_body(body, more_body)
        return await packed(self._compress_body, body, more_body)


class Packing(GZipMiddleware):
    """ASGI middleware: gzip for whoever accepts it."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle the request, and compress its answer."""
        if scope["type"] != "http" or "gzip" not in Headers(scope=scope).get("accept-encoding", ""):
            await super().__call__(scope, receive, send)
            return
        excluded = tuple(self.exclude_content_types)
        responder = _Responder(self.app, self.minimum_size, self.compresslevel, exclude_content_types=excluded)
        await responder(scope, receive, send)
