"""HTTP with the standard library: JSON requests, bytes or JSON responses, errors as exceptions."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from http.client import HTTPResponse
from typing import Any

BUSY = 503
DATA = b"data: "


class ObservatoryError(Exception):
    """An error from the server; ``field`` names the part of the request, ``limit`` the exceeded bound."""

    def __init__(
        self,
        message: str,
        *,
        code: str = "unexpected_answer",
        status: int | None = None,
        field: str | None = None,
        limit: float | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.field = field
        self.limit = limit


class Connection:
    """A connection to one server. Retries a busy server for up to ``patience_s`` seconds."""

    def __init__(self, url: str, *, timeout_s: float, patience_s: float) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.netloc:
            raise ValueError(f"url must begin with http:// or https://, not {url!r}")
        self.url = url.rstrip("/")
        self.timeout_s = timeout_s
        self.patience_s = patience_s

    def _opened(self, path: str, query: dict[str, Any] | None = None, body: bytes | None = None) -> HTTPResponse:
        given = {name: value for name, value in (query or {}).items() if value is not None}
        address = f"{self.url}{path}" + (f"?{urllib.parse.urlencode(given)}" if given else "")
        kind = "application/json" if body is not None and body[:1] == b"{" else "application/octet-stream"
        request = urllib.request.Request(address, data=body, headers={"Content-Type": kind})  # noqa: S310 - checked
        give_up = time.monotonic() + self.patience_s
        while True:
            try:
                return urllib.request.urlopen(request, timeout=self.timeout_s)  # noqa: S310 - checked
            except urllib.error.HTTPError as error:
                wait = float(error.headers.get("Retry-After") or 1)
                if error.code != BUSY or time.monotonic() + wait > give_up:
                    raise _told(error) from None
                time.sleep(wait)
            except (urllib.error.URLError, TimeoutError) as error:
                reason = getattr(error, "reason", error)
                raise ObservatoryError(f"{self.url} cannot be reached: {reason}", code="unreachable") from None

    def json(self, path: str, query: dict[str, Any] | None = None, body: bytes | None = None) -> Any:
        """GET, or POST if there is a body; the decoded JSON."""
        return json.loads(self.bytes(path, query, body))

    def bytes(self, path: str, query: dict[str, Any] | None = None, body: bytes | None = None) -> bytes:
        """The same, undecoded. Raises ObservatoryError."""
        with self._opened(path, query, body) as response:
            return response.read()

    def events(self, path: str) -> Iterator[Any]:
        """The decoded JSON of every server-sent event, until the server ends the stream."""
        with self._opened(path) as response:
            for line in response:
                if line.startswith(DATA):
                    yield json.loads(line[len(DATA) :])


def _told(error: urllib.error.HTTPError) -> ObservatoryError:
    try:
        told = json.loads(error.read())["error"]
    except (ValueError, KeyError, TypeError):
        return ObservatoryError(f"the server answered with status {error.code}", status=error.code)
    return ObservatoryError(
        told["message"], code=told["code"], status=error.code, field=told["field"], limit=told["limit"]
    )
