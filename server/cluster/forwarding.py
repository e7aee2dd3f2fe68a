"""Answer a request in another process: the request as plain data there, ASGI messages back.

``Forward`` stands in front of an application and sends every request about the API to a ``Send``; ``answer`` is the
other end. Neither knows what lies between them.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from fastapi import Request
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..requests.bodies import read_body
from ..settings import Settings
from ..web.errors import ApiError, respond

API = "/api/"
HERE = ("/api/docs", "/api/openapi.json", "/api/oembed")
"""Of the API, what the pages' process answers itself."""
HELD_BYTES = 8 * 2**20
"""So much of an answer is held back, so that a replica that dies before its end is replaced without a trace."""
TRIES = 4
RETRY_AFTER_S = 2
PARTING_S = 1.0
"""Seconds an application has to notice that the client has left."""
END: Message = {"type": "end"}
STREAM = "text/event-stream"
PLAIN = ("type", "http_version", "method", "scheme", "path", "raw_path", "query_string", "root_path", "headers")


class ReplicaLostError(Exception):
    """The process that was answering has died."""


@dataclass(frozen=True)
class Forwarded:
    """A request as plain data."""

    scope: dict[str, Any]
    body: bytes

    @classmethod
    def of(cls, scope: Scope, body: bytes) -> "Forwarded":
        """What of the scope can be sent elsewhere, and the body."""
        plain = {name: scope[name] for name in PLAIN if name in scope}
        plain["headers"] = [(bytes(name), bytes(value)) for name, value in plain["headers"]]
        return cls(plain | {name: tuple(scope[name]) for name in ("client", "server") if scope.get(name)}, body)


Target = Callable[[Forwarded], AsyncIterator[Message]]
"""Answers a request elsewhere. Raises ReplicaLostError if that process dies."""


async def answer(app: ASGIApp, request: Forwarded) -> AsyncIterator[Message]:
    """The messages with which the application answers; closing the iterator is the client's leaving."""
    messages: asyncio.Queue[Message] = asyncio.Queue(maxsize=16)
    left = asyncio.Event()
    has_body = False

    async def receive() -> Message:
        nonlocal has_body
        if not has_body:
            has_body = True
            return {"type": "http.request", "body": request.body, "more_body": False}
        await left.wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        if not left.is_set():
            await messages.put(message)

    async def run() -> None:
        try:
            await app({"asgi": {"version": "3.0"}, **request.scope, "state": {}}, receive, send)
        finally:
            await send(END)

    task = asyncio.create_task(run())
    try:
        while (message := await messages.get()) is not END:
            yield message
        await task
    finally:
        left.set()
        while not messages.empty():  # or it would wait for room
            messages.get_nowait()
        await asyncio.wait({task}, timeout=PARTING_S)
        task.cancel()


class Forward:
    """ASGI middleware: requests about the API are answered elsewhere, all others by ``app``.

    ``lost`` is told why, each time that who was answering has died.
    """

    def __init__(
        self, app: ASGIApp, *, settings: Settings, target: Target, lost: Callable[[str], None] = lambda _: None
    ) -> None:
        self.app = app
        self._target = target
        self._lost = lost
        self._most_bytes = max(settings.max_body_bytes, settings.max_upload_bytes, settings.max_corpus_bytes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward the request, or let ``app`` handle it."""
        path = scope.get("path", "").removeprefix(scope.get("root_path", ""))
        if scope["type"] != "http" or not path.startswith(API) or path.startswith(HERE):
            await self.app(scope, receive, send)
            return
        request = Request(scope, receive)
        try:
            body = await read_body(request, self._most_bytes)
            await self._forward(Forwarded.of(scope, body), receive, send)
        except ClientDisconnect:
            return
        except ApiError as error:
            await respond(request, error)(scope, receive, send)

    async def _forward(self, request: Forwarded, receive: Receive, send: Send) -> None:
        """Have it answered unless the client leaves first."""
        answering = asyncio.create_task(self._answer(request, send))
        leaving = asyncio.create_task(_disconnected(receive))
        try:
            await asyncio.wait({answering, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if answering.done():
                answering.result()
        finally:
            answering.cancel()
            leaving.cancel()

    async def _answer(self, request: Forwarded, send: Send) -> None:
        for attempt in range(TRIES):
            held = _Held(send)
            try:
                async with aclosing(self._target(request)) as messages:  # type: ignore[type-var]
                    async for message in messages:
                        await held.pass_on(message)
                await held.release()
            except ReplicaLostError as error:
                self._lost(type(error.__cause__ or error).__name__)
                if held.has_begun:
                    raise
                await asyncio.sleep(0.1 * 2**attempt)
            else:
                return
        raise ApiError(
            503,
            "server_busy",
            "The server is busy; try again in a moment.",
            headers={"Retry-After": str(RETRY_AFTER_S)},
        )


class _Held:
    """Messages on their way to the client, held back until the answer is whole, long, or a stream of events."""

    def __init__(self, send: Send) -> None:
        self.has_begun = False
        self._send = send
        self._messages: list[Message] = []
        self._bytes = 0

    async def pass_on(self, message: Message) -> None:
        self._messages.append(message)
        self._bytes += len(message.get("body", b""))
        if self.has_begun or self._bytes > HELD_BYTES or _begins_stream(message):
            await self.release()

    async def release(self) -> None:
        messages, self._messages = self._messages, []
        for message in messages:
            self.has_begun = True
            await self._send(message)


def _begins_stream(message: Message) -> bool:
    if message["type"] != "http.response.start":
        return False
    return Headers(raw=list(message["headers"])).get("content-type", "").startswith(STREAM)


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
