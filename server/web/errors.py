"""Error responses of one shape: ``{"error": {"code", "message", "field", "limit"}}``.

``field`` is the dotted path of the invalid part of the request (``queries.2.1``), ``limit`` the bound it exceeds; both
are null if there is none. Errors never echo the request and reveal nothing about the server's internals.
"""

import asyncio
import json
import logging
import re
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from attention_core.disk_room import NoRoomError
from attention_core.pretrained.errors import AnalysisError
from attention_core.refusal import InvalidValueError, Refusal, Sentence
from .i18n import say
from .monitoring import refuse
from .validation import what_is_wrong

logger = logging.getLogger("server")

Limit = int | float | None
AsPage = Callable[[Request, int, str], Response]
"""Makes the page of an error of its status and message."""

UNRAISED = {
    404: ("not_found", Sentence("Not Found.")),
    405: ("method_not_allowed", Sentence("Method Not Allowed.")),
}
"""Codes of errors raised by the framework."""
ANALYSIS_STATUS = {
    "unknown_model": 404,
    "hub_not_allowed": 403,
    "model_unavailable": 409,
    "model_unsupported": 409,
    "not_comparable": 409,
    "atlas_damaged": 409,
    "cancelled": 503,
}
"""Status of an AnalysisError by its code; any other is a wrong request (422)."""
LIMITS = ("max_length", "min_length", "le", "lt", "ge", "gt", "multiple_of")
"""The bounds in pydantic's errors."""
VALIDATION_CODES = {"too_long": "too_large", "text_invalid": "text_invalid", "string_unicode": "text_invalid"}
"""Validation errors that are not simply ``invalid_request``."""
ROOM_RETRY_AFTER_S = 60
"""Somebody has to make room meanwhile."""
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


class ErrorDetail(BaseModel):
    """What went wrong."""

    code: str = Field(description="For programs: stable, in snake_case.", examples=["text_too_long"])
    message: str = Field(description="For people.", examples=["The text has 612 tokens; the model takes 512."])
    field: str | None = Field(None, description="Dotted path of the wrong part of the request.", examples=["text"])
    limit: int | float | None = Field(None, description="The bound that was broken.", examples=[512])


class ErrorResponse(BaseModel):
    """The body of every answer that is not a success."""

    error: ErrorDetail


class ApiError(Refusal):
    """An error with an HTTP status, raised by handlers and the code they call."""

    def __init__(
        self,
        status: int,
        code: str,
        template: str | Sentence,
        /,
        *values: object,
        field: str | None = None,
        limit: int | float | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(template, *values, field=field, limit=limit)
        self.status = status
        self.code = code
        self.headers = headers


def stopping() -> ApiError:
    """The refusal of whatever is not done when the server is stopped."""
    return ApiError(503, "server_busy", "The server is being stopped.", headers={"Retry-After": "5"})


def error_response(error: ApiError, scope: Scope) -> JSONResponse:
    """The error as a response in the client's language. Lone surrogates, which UTF-8 cannot encode, are replaced."""
    refuse(scope, error.code)
    detail = ErrorDetail(
        code=error.code, message=say(error.sentence), field=error.field, limit=error.limit
    ).model_dump()
    return JSONResponse(
        {"error": {key: _encodable(value) if isinstance(value, str) else value for key, value in detail.items()}},
        status_code=error.status,
        headers={"Vary": "Accept-Language", **(error.headers or {})},
    )


def respond(request: Request, error: ApiError) -> Response:
    """The error as a page where a browser asks for one, else in the one shape. ``/api`` answers programs alone."""
    refuse(request.scope, error.code)
    as_page: AsPage | None = getattr(request.app.state, "error_page", None)
    is_page = request.method in {"GET", "HEAD"} and not request.url.path.startswith(("/api/", "/static/"))
    if as_page and is_page and "text/html" in request.headers.get("accept", ""):
        page = as_page(request, error.status, say(error.sentence))
        page.headers.update(error.headers or {})
        return page
    return error_response(error, request.scope)


def register(app: FastAPI, as_page: AsPage) -> None:
    """Register handlers that turn every exception into this shape, or into a page."""
    app.state.error_page = as_page
    app.add_exception_handler(ApiError, _on_api_error)
    app.add_exception_handler(AnalysisError, _on_analysis_error)
    app.add_exception_handler(NoRoomError, _on_no_room)
    app.add_exception_handler(RequestValidationError, _on_invalid_request)
    app.add_exception_handler(HTTPException, _on_http_exception)
    app.add_exception_handler(InvalidValueError, _on_invalid_value)


async def _on_api_error(request: Request, exception: Exception) -> Response:
    assert isinstance(exception, ApiError)  # noqa: S101 - as registered
    return respond(request, exception)


async def _on_analysis_error(request: Request, exception: Exception) -> Response:
    """Errors of the core: an unknown model, a text too long, an index out of range."""
    assert isinstance(exception, AnalysisError)  # noqa: S101 - as registered
    status = ANALYSIS_STATUS.get(exception.code, 422)
    return respond(
        request, ApiError(status, exception.code, exception.sentence, field=exception.field, limit=exception.limit)
    )


async def _on_no_room(request: Request, exception: Exception) -> Response:
    """A folder of the server is full or cannot be written; once it can, the same request succeeds."""
    assert isinstance(exception, NoRoomError)  # noqa: S101 - as registered
    headers = {"Retry-After": str(ROOM_RETRY_AFTER_S)}
    return respond(request, ApiError(507, exception.code, exception.sentence, headers=headers))


async def _on_http_exception(request: Request, exception: Exception) -> Response:
    """Errors of the framework: unknown path, wrong method, unparsable body."""
    assert isinstance(exception, HTTPException)  # noqa: S101 - as registered
    if exception.status_code == HTTPStatus.NOT_MODIFIED:
        return Response(status_code=304, headers=exception.headers)
    if isinstance(exception.__cause__, ApiError):  # raised while the framework read the body
        return respond(request, exception.__cause__)
    if exception.status_code == HTTPStatus.BAD_REQUEST:  # only a body that json.loads refused for another reason
        return respond(request, ApiError(422, "invalid_request", "The body is not valid JSON.", field="body"))
    status = HTTPStatus(exception.status_code)
    code, sentence = UNRAISED.get(
        status, (status.phrase.lower().replace(" ", "_"), Sentence("{phrase}.", status.phrase))
    )
    return respond(request, ApiError(status, code, sentence, headers=exception.headers))


async def _on_invalid_request(request: Request, exception: Exception) -> Response:
    """Report the first validation error, with the limit if one was exceeded."""
    assert isinstance(exception, RequestValidationError)  # noqa: S101 - as registered
    if isinstance(exception.body, bytes):  # left unread
        return respond(
            request,
            ApiError(
                415,
                "unsupported_media_type",
                "The body must be JSON, sent with Content-Type: application/json.",
                field="body",
            ),
        )
    return respond(request, invalid_request(exception.errors()[0], exception.body))


def invalid_request(error: Mapping[str, Any], body: object = None) -> ApiError:
    """Convert a pydantic error; ``body`` is the request, to locate the field."""
    kind = error["type"]
    if kind == "json_invalid":
        return ApiError(422, "invalid_request", "The body is not valid JSON.", field="body")
    context = error.get("ctx", {})
    found = context.get("error")  # raised by one of our validators
    limit = found.limit if isinstance(found, Refusal) else _bound(context)
    problem = found if isinstance(found, Refusal) else what_is_wrong(kind, error["msg"], context, limit)
    field = field_path(_as_sent(error["loc"], body))
    sentence = Sentence("{field}: {problem}.", field or "body", problem)
    return ApiError(422, VALIDATION_CODES.get(kind, "invalid_request"), sentence, field=field, limit=limit)


def _bound(context: Mapping[str, Any]) -> Limit:
    return next((context[name] for name in LIMITS if isinstance(context.get(name), int | float)), None)


async def _on_invalid_value(request: Request, exception: Exception) -> Response:
    """Errors of mechanisms, which name the argument first: "temperature must be > 0, not -1"."""
    assert isinstance(exception, InvalidValueError)  # noqa: S101 - as registered
    first_word = NAME.match(str(exception))
    field = _find_field(getattr(request.state, "wanted", None), first_word.group()) if first_word else None
    return respond(request, ApiError(422, "invalid_value", exception.sentence, field=field, limit=exception.limit))


def field_path(location: Sequence[int | str]) -> str | None:
    """``("body", "queries", 2, 1)`` → ``queries.2.1``. Names that are not plain words are omitted."""
    parts = [str(part) for part in location[1:]]
    return ".".join(part for part in parts if part.isdecimal() or NAME.fullmatch(part)) or None


def _as_sent(location: Sequence[int | str], body: object) -> list[int | str]:
    """The location without pydantic's additions: the tag of a tagged union, and after a field of several types
    (``layer``: a number or "all") the type that was tried."""
    path = list(location[:1])
    place, was_index = body, False
    for step in location[1:]:
        if was_index and isinstance(place, dict) and place.get("kind") == step:
            was_index = False
            continue
        if body is not None and isinstance(place, str | int | float) and isinstance(step, str):
            break
        path.append(step)
        was_index = isinstance(step, int)
        try:
            place = place[step]  # type: ignore[index] # whatever it is
        except (TypeError, KeyError, IndexError):
            place = None
    return path


def _find_field(wanted: object, name: str) -> str | None:
    """The dotted path of the first field with this name in the request, outermost first."""
    if not isinstance(wanted, BaseModel):
        return None
    if name in wanted.model_fields_set:
        return name
    for key, value in wanted:
        if key in wanted.model_fields_set and (inner := _find_field(value, name)) is not None:
            return f"{key}.{inner}"
    return None


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


class ErrorBoundary:
    """ASGI middleware: turn unexpected exceptions into a 500 without internals, and log them.

    A request that is cancelled because the server stops is refused like any other then. It is inside the middleware
    that adds headers, so that these responses have them too.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle the request; respond with 500 or 503 if it ends before the response has started."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = False

        async def watch(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self.app(scope, receive, watch)
        except asyncio.CancelledError:
            if started or not getattr(scope["app"].state, "is_stopping", False):
                raise
            await respond(Request(scope), stopping())(scope, receive, send)
        except Exception:
            if started:
                raise
            asked = Headers(scope=scope).get("x-request-id", "")
            logger.exception("%s %s failed (request %s)", scope["method"], json.dumps(scope["path"]), asked)
            error = ApiError(500, "internal_error", "Something went wrong on the server. It has been logged.")
            await respond(Request(scope), error)(scope, receive, send)
