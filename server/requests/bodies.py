"""Read request bodies: size-limited, time-limited, and parsed off the event loop.

JSON bytes are parsed straight into the route's model, without an intermediate tree of Python objects and without
collecting an error for each of a million wrong values.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from functools import wraps
from inspect import isasyncgenfunction, iscoroutinefunction, isgeneratorfunction
from typing import Annotated, Any, TypeVar

from fastapi import Request, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import from_json
from starlette.requests import ClientDisconnect
from starlette.types import Message

from ..settings import Settings
from ..web import answer_room
from ..web.connections import SLOWEST
from ..web.errors import ApiError, invalid_request
from ..web.rendering import Pieces, SplitResponse, held_until_sent
from .body_limit import body_too_large, refuse_length
from .body_room import LEAST_BYTES, Room, room_for
from .bounded import RequestModel
from .parameters import Parameters
from .turns import in_turn, parsing

Result = TypeVar("Result")

SMALL = 8 * 1024
"""Bytes parsed on the event loop: handing them to a thread would take as long."""
SURROGATE = "hex escape"
"""Part of the parser's message about half a surrogate pair."""
LOOKED_THROUGH = 2**20
"""Largest body that is parsed again to locate it."""


async def read_body(request: Request, limit: int) -> bytes:
    """The whole body. Raises ApiError: 413 if longer than ``limit``, 408 if too slow."""
    return b"".join([chunk async for chunk in body_chunks(request, limit)])


async def body_chunks(request: Request, limit: int) -> AsyncIterator[bytes]:
    """The body as it arrives. Raises the errors of ``read_body``."""
    refuse_length(request.scope, limit)
    patience = request.app.state.settings.body_timeout_s
    received = 0
    loop = asyncio.get_running_loop()
    start = loop.time()
    while True:
        message = await _arrived(request, start + patience + received / SLOWEST)
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        chunk = message.get("body", b"")
        received += len(chunk)
        if received > limit:
            raise body_too_large(limit, hang_up=True)  # of unknown length
        yield chunk
        if not message.get("more_body", False):
            return


async def _arrived(request: Request, until: float) -> Message:
    """The next piece of the body. Raises ApiError 408 unless it arrives in time."""
    try:
        async with asyncio.timeout_at(until):
            return await request.receive()
    except TimeoutError:
        patience = request.app.state.settings.body_timeout_s
        raise ApiError(
            408,
            "timeout",
            "The body did not arrive within {patience} seconds (OBSERVATORY_BODY_TIMEOUT_S).",
            f"{patience:g}",
            field="body",
            limit=patience,
            headers={"Connection": "close"},
        ) from None


class Reader:
    """Reads and validates the bodies of one route."""

    def __init__(self, wanted: Any, annotation: Any) -> None:
        self._adapter: TypeAdapter[Any] = TypeAdapter(annotation)
        self._setting = getattr(wanted, "body_limit", RequestModel.body_limit)
        self._rooms: dict[int, Room] = {}

    def room(self, settings: Settings) -> Room:
        """The most a body may hold."""
        characters = settings.max_characters
        if characters not in self._rooms:
            self._rooms[characters] = room_for(self._adapter, characters=characters)
        return self._rooms[characters]

    def limit(self, settings: Settings) -> int:
        """Maximum size of a body in bytes."""
        most = min(getattr(settings, self._setting), settings.max_body_bytes)
        return int(min(most, max(LEAST_BYTES, self.room(settings).size)))

    async def read(self, body: bytes, settings: Settings) -> Any:
        """Parse the body's JSON into the request model. Raises ApiError 422."""
        if len(body) <= SMALL:
            return self._parse(body)
        return await parsing(self._parse_large, body, self.room(settings))

    def _parse_large(self, body: bytes, room: Room) -> Any:
        room.check(body)
        return self._parse(body)

    def _parse(self, body: bytes) -> Any:
        try:
            return self._adapter.validate_json(body)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
        if first["type"] == "json_invalid":
            if SURROGATE in first["msg"] and len(body) <= LOOKED_THROUGH:
                self._refuse_surrogate(body)
            raise invalid_request(first)
        is_deep = len(first["loc"]) > 1
        raise invalid_request(_in_body(first), from_json(body) if is_deep else None)

    def _refuse_surrogate(self, body: bytes) -> None:
        """Locate an unpaired surrogate: valid JSON, but not text (RFC 8259, section 8.2)."""
        try:
            sent = json.loads(body)
        except (ValueError, RecursionError):
            return
        try:
            self._adapter.validate_python(sent)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            raise invalid_request(_in_body(first), sent) from None


def _in_body(error: Mapping[str, Any]) -> dict[str, Any]:
    return {**error, "loc": ("body", *error["loc"])}


class _BoundedRequest(Request):
    """A request whose JSON is the route's request model."""

    def __init__(self, request: Request, reader: Reader) -> None:
        super().__init__(request.scope, request.receive)
        self._reader = reader
        self._settings: Settings = request.app.state.settings

    async def body(self) -> bytes:
        """See ``read_body``."""
        if not hasattr(self, "_body"):
            self._body = await read_body(self, self._reader.limit(self._settings))
        return self._body

    async def json(self) -> Any:
        """See ``Reader.read``."""
        self.state.wanted = await self._reader.read(await self.body(), self._settings)
        return self.state.wanted


class BodyRoute(APIRoute):
    """A route that limits its body, validates its parameters, and streams large responses."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        super().__init__(path, _rendered(endpoint, self._written), **options)

    @property
    def reader(self) -> Reader | None:
        """The reader of its body, if it takes one."""
        return self._reader

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """FastAPI's handler, on a bounded request."""
        handle = super().get_route_handler()
        field = self.body_field
        reader = None
        if field is not None:
            annotation = field.field_info.annotation
            reader = Reader(annotation, Annotated[annotation, field.field_info])
        self._reader = reader
        parameters = Parameters(self.dependant)

        async def handle_bounded(request: Request) -> Response:
            if self.include_in_schema and "as" in request.query_params:  # routes of figures have none of their own
                raise ApiError(422, "invalid_value", "The answer at this address has no figures.", field="as")
            parameters.check(request)
            held = answer_room.hold(request.app.state.answer_room)
            try:
                response = await handle(request if reader is None else _BoundedRequest(request, reader))
                if isinstance(response, Pieces | Written):
                    response.headers.update(getattr(request.state, "headers", {}))
                return held_until_sent(response, held)
            except BaseException:
                held.close()
                raise

        return handle_bounded

    def _written(self, answer: BaseModel) -> Any:
        """The answer as the framework would write it, which would do so on the event loop."""
        field = self.response_field
        if field is None or self.status_code not in {None, 200}:
            return answer
        value, errors = field.validate(answer, {}, loc=("response",))
        return (
            answer
            if errors
            else Written(field.serialize_json(value, by_alias=True, exclude_none=self.response_model_exclude_none))
        )


class Written(Response):
    """An answer that was written where it was worked out."""

    media_type = "application/json"


def _rendered(endpoint: Callable[..., Any], written: Callable[[BaseModel], Any]) -> Callable[..., Any]:
    """The handler, which computes in its client's turn if it is no coroutine, and writes what it answers there.

    What coroutines answer is written so where it is large.
    """
    if isasyncgenfunction(endpoint) or isgeneratorfunction(endpoint):
        return endpoint
    if not iscoroutinefunction(endpoint):

        def worked_out(*args: Any, **fields: Any) -> Any:
            answer = endpoint(*args, **fields)
            if not isinstance(answer, BaseModel):
                return answer
            split = SplitResponse(answer)
            return split.response() if split else written(answer)

        @wraps(endpoint)
        async def rendered_there(*args: Any, **fields: Any) -> Any:
            return await in_turn(worked_out, *args, **fields)

        return rendered_there

    @wraps(endpoint)
    async def rendered(*args: Any, **fields: Any) -> Any:
        answer = await endpoint(*args, **fields)
        split = isinstance(answer, BaseModel) and SplitResponse(answer)
        return await in_turn(split.response) if split else answer

    return rendered
