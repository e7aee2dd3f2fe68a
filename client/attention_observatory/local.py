"""The application in this process, without a port: requests are calls."""

from __future__ import annotations

import asyncio
import functools
import importlib
import io
import threading
import urllib.error
from collections.abc import Sequence
from email.message import Message
from typing import Any
from urllib.parse import unquote

from attention_observatory.connection import (
    NOT_FOUND,
    PAGES_ASK,
    Body,
    Connection,
    Query,
    Relayed,
    encoded,
    query_of,
    told,
)
from attention_observatory.observatory import Observatory

ADDRESS = "http://localhost"
MISSING = "this needs the application in this Python: pip install . in its repository, or its wheel"


class LocalConnection(Connection):
    """Calls the application's ASGI function in a thread of its own."""

    def __init__(self) -> None:
        super().__init__(ADDRESS, timeout_s=600, patience_s=60)
        package = _application()
        settings = importlib.import_module(f"{package}.settings").Settings(
            preload=False, prepare_atlases=False, max_upload_bytes=2**32
        )
        self._app = importlib.import_module(f"{package}.app").create_app(settings)
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="attention-observatory", daemon=True).start()
        self._lifespan = self._app.router.lifespan_context(self._app)
        self._wait(self._lifespan.__aenter__())

    def relayed(self, method: str, path: str, body: str | None, language: str | None) -> Relayed:
        """See ``Connection.relayed``."""
        if not path.startswith(PAGES_ASK):
            return Relayed(NOT_FOUND)
        address, _, query = path.partition("?")
        data = b"" if body is None else body.encode()
        accepted = () if language is None else ((b"accept-language", language.encode()),)
        return Relayed(*self._wait(self._called(method, address, query, data, "application/json", accepted)))

    def _wait(self, task: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(task, self._loop).result()

    def _opened(self, method: str, path: str, query: Query | None, body: Body) -> Any:
        data, kind = encoded(body)
        status, answer = self._wait(self._called(method, path, query_of(query or {}), data or b"", kind))
        if status >= 400:
            raise told(urllib.error.HTTPError(ADDRESS, status, "", Message(), io.BytesIO(answer)))
        return io.BytesIO(answer)

    async def _called(
        self, method: str, path: str, query: str, body: bytes, kind: str, more: Sequence[tuple[bytes, bytes]] = ()
    ) -> tuple[int, bytes]:
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(path),
            "raw_path": path.encode(),
            "root_path": "",
            "query_string": query.removeprefix("?").encode(),
            "headers": [(b"host", b"localhost"), (b"content-type", kind.encode()), *more],
            "client": ("127.0.0.1", 0),
            "server": ("localhost", 80),
        }
        sent = [{"type": "http.request", "body": body, "more_body": False}]
        over = asyncio.Event()
        status, pieces = 500, []

        async def receive() -> dict[str, Any]:
            if sent:
                return sent.pop()
            await over.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            nonlocal status
            status = message.get("status", status)
            pieces.append(message.get("body", b""))

        try:
            await self._app(scope, receive, send)
        finally:
            over.set()
        return status, b"".join(pieces)


@functools.cache
def local() -> Observatory:
    """An ``Observatory`` that runs in this process. Raises ImportError without the application."""
    observatory = Observatory(ADDRESS)
    observatory.api.connection = LocalConnection()
    return observatory


def _application() -> str:
    """The package of the application: as it is installed, or as it stands in the repository."""
    for package in ("attention_observatory_server", "server"):
        try:
            importlib.import_module(f"{package}.app")
        except ImportError:
            continue
        return package
    raise ImportError(MISSING)
