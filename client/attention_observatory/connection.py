"""HTTP with the standard library: JSON requests, bytes or JSON answers, errors as exceptions."""

from __future__ import annotations

import http.client
import json
import secrets
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import suppress
from http.client import HTTPResponse
from typing import Any, NamedTuple

BUSY = 503
NOT_FOUND = 404
NO_ANSWER = 0
DATA = b"data: "
Query = Mapping[str, Any]
Body = Mapping[str, Any] | bytes | None
COOKIE = "observatory_owner"
SECRET_BYTES = 24
PAGES_ASK = ("/api/", "/healthz")
"""Beginnings of what a page of ours asks for."""


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


class Relayed(NamedTuple):
    """An answer as it came."""

    status: int
    """0 where there is none."""
    content: bytes = b""
    retry_after: str | None = None


class Connection:
    """A connection to one server. Retries a busy server for up to ``patience_s`` seconds.

    What it starts is its own: nobody without its secret, which goes with each request, can end that.
    """

    def __init__(self, url: str, *, timeout_s: float, patience_s: float) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.netloc:
            raise ValueError(f"url must begin with http:// or https://, not {url!r}")
        self.url = url.rstrip("/")
        self.timeout_s = timeout_s
        self.patience_s = patience_s
        self._owner = secrets.token_urlsafe(SECRET_BYTES)

    @staticmethod
    def quoted(part: str | int) -> str:
        """A part of an address."""
        return urllib.parse.quote(str(part), safe="")

    def json(self, method: str, path: str, query: Query | None = None, body: Body = None) -> Any:
        """The decoded JSON of an answer. Raises ObservatoryError."""
        return json.loads(self.bytes(method, path, query, body))

    def bytes(self, method: str, path: str, query: Query | None = None, body: Body = None) -> bytes:
        """An answer as it is. Raises ObservatoryError."""
        with self._opened(method, path, query, body) as response:
            return response.read()

    def nothing(self, method: str, path: str, query: Query | None = None, body: Body = None) -> None:
        """Send what has no answer. Raises ObservatoryError."""
        self.bytes(method, path, query, body)

    def events(self, method: str, path: str, query: Query | None = None, body: Body = None) -> Iterator[dict[str, Any]]:
        """The decoded JSON of every server-sent event, until the server ends the stream."""
        with self._opened(method, path, query, body) as response:
            for line in response:
                if line.startswith(DATA):
                    yield json.loads(line[len(DATA) :])

    def relayed(self, method: str, path: str, body: str | None, language: str | None) -> Relayed:
        """The answer to a request that a page of ours made, whatever it is; the page repeats what is worth it."""
        if not path.startswith(PAGES_ASK):
            return Relayed(NOT_FOUND)
        data = None if body is None else body.encode()
        headers = {"Content-Type": "application/json"} | ({} if language is None else {"Accept-Language": language})
        request = _request(f"{self.url}{path}", data, headers, method, self._owner)
        try:
            with _OPENER.open(request, timeout=self.timeout_s) as response:
                return Relayed(response.status, response.read())
        except urllib.error.HTTPError as error:
            return Relayed(error.code, error.read(), error.headers.get("Retry-After"))
        except (OSError, http.client.HTTPException):
            return Relayed(NO_ANSWER)

    def _opened(self, method: str, path: str, query: Query | None, body: Body) -> HTTPResponse:
        address = f"{self.url}{path}{query_of(query or {})}"
        data, kind = encoded(body)
        request = _request(address, data, {"Content-Type": kind}, method, self._owner)
        give_up = time.monotonic() + self.patience_s
        while True:
            try:
                return _OPENER.open(request, timeout=self.timeout_s)
            except urllib.error.HTTPError as error:
                wait = float(error.headers.get("Retry-After") or 1)
                if error.code != BUSY or time.monotonic() + wait > give_up:
                    raise told(error) from None
                time.sleep(wait)
            except (OSError, http.client.HTTPException) as error:
                reason = getattr(error, "reason", error)
                raise ObservatoryError(f"{self.url} cannot be reached: {reason}", code="unreachable") from None


class _Http(http.client.HTTPConnection):
    """Reads an answer that came before the body was sent: a server that refuses it need not read it."""

    def request(self, *args: Any, **options: Any) -> None:
        """Send a request."""
        with suppress(BrokenPipeError, ConnectionResetError):
            super().request(*args, **options)


class _Https(http.client.HTTPSConnection):
    """The same with TLS."""

    def request(self, *args: Any, **options: Any) -> None:
        """Send a request."""
        with suppress(BrokenPipeError, ConnectionResetError):
            super().request(*args, **options)


class _HttpHandler(urllib.request.HTTPHandler):
    def http_open(self, req: urllib.request.Request) -> HTTPResponse:
        return self.do_open(_Http, req)


class _HttpsHandler(urllib.request.HTTPSHandler):
    def https_open(self, req: urllib.request.Request) -> HTTPResponse:
        return self.do_open(_Https, req)


_OPENER = urllib.request.build_opener(_HttpHandler, _HttpsHandler)


def _request(
    address: str, data: bytes | None, headers: dict[str, str], method: str, owner: str
) -> urllib.request.Request:
    """A request that says whose it is, to this server alone."""
    request = urllib.request.Request(address, data, headers, method=method)  # noqa: S310 - checked
    request.add_unredirected_header("Cookie", f"{COOKIE}={owner}")
    return request


def encoded(body: Body) -> tuple[bytes | None, str]:
    """The bytes of a body, and their media type."""
    data = json.dumps(_given(body), default=_plain).encode() if isinstance(body, Mapping) else body
    return data, "application/json" if data is not None and data[:1] == b"{" else "application/octet-stream"


def query_of(query: Query) -> str:
    """The end of an address: what is given, after a question mark."""
    query_string = urllib.parse.urlencode(_given(query))
    return f"?{query_string}" if query_string else ""


def _given(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _plain(value: Any) -> Any:
    """What JSON can say of an array of NumPy or torch. Raises TypeError for anything else."""
    value = value.detach().cpu() if hasattr(value, "detach") else value
    if not hasattr(value, "tolist"):
        raise TypeError(f"{type(value).__name__} cannot be sent")
    return value.tolist()


def told(error: urllib.error.HTTPError) -> ObservatoryError:
    """What the server says of a request that it refuses."""
    try:
        said = json.loads(error.read())["error"]
    except (OSError, ValueError, KeyError, TypeError, http.client.HTTPException):
        return ObservatoryError(f"the server answered with status {error.code}", status=error.code)
    return ObservatoryError(
        said["message"], code=said["code"], status=error.code, field=said["field"], limit=said["limit"]
    )
