"""Ids of requests, and a log of them as lines of JSON.

An id comes with the request (``X-Request-ID``) or is made here, and goes back with the answer, into errors that are
logged, and to the process that a request is forwarded to. The log holds patterns of routes, never paths, queries or
bodies: no text of a user.
"""

import json
import logging
import re
import secrets
import sys
import time
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import TextIO

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from . import clients
from .monitoring import method_of, reason_of, route_of

HEADER = "X-Request-ID"
WELL_FORMED = re.compile(r"[A-Za-z0-9._~:/+=@-]{1,128}")

_id: ContextVar[str] = ContextVar("request_id", default="")

logger = logging.getLogger("attention_observatory.access")


def request_id() -> str:
    """The id of the current request; empty outside of any."""
    return _id.get()


class RequestIds:
    """ASGI middleware: give the request an id, which everything further in finds in its headers, and the answer too."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle the request under its id: the one it has if that is well-formed, else a new one."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        given = Headers(scope=scope).get(HEADER, "")
        known = given if WELL_FORMED.fullmatch(given) else secrets.token_hex(16)
        _id.set(known)
        if known != given:
            name = HEADER.lower().encode()
            others = [header for header in scope["headers"] if header[0].lower() != name]
            scope["headers"] = [*others, (name, known.encode())]

        async def with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[HEADER] = known
            await send(message)

        await self.app(scope, receive, with_id)


class AccessLog:
    """ASGI middleware: one line for each request, when it has been answered."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        if not logger.handlers:
            logger.addHandler(_StandardOutput())
        logger.setLevel(logging.INFO)
        logger.propagate = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle the request, then write its line."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        status, sent = 500, 0

        async def watch(message: Message) -> None:
            nonlocal status, sent
            if message["type"] == "http.response.start":
                status = message["status"]
            sent += len(message.get("body", b""))
            await send(message)

        start = time.perf_counter()
        try:
            await self.app(scope, receive, watch)
        finally:
            line = {
                "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
                "request_id": request_id(),
                "client": clients.client(),
                "method": method_of(scope),
                "route": route_of(scope),
                "status": status,
                "error": reason_of(scope),
                "seconds": round(time.perf_counter() - start, 6),
                "bytes": sent,
            }
            logger.info("%s", json.dumps(line))


class _StandardOutput(logging.StreamHandler[TextIO]):
    """Writes to what is the standard output at that moment."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> TextIO:  # type: ignore[override]
        return sys.stdout
