"""Serialise large JSON responses piece by piece in a thread, so that no piece blocks other requests.

Pydantic serialises an answer in one call that holds the GIL. So long lists are replaced by placeholders first and
serialised a few thousand numbers at a time.
"""

import asyncio
import re
import secrets
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel
from pydantic_core import to_json
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from . import answer_room
from .answer_room import HeldAnswer
from .matrices import LargeArray, to_json_numbers

LONG = 2_000
"""Length of a list from which it is written in pieces."""
AT_ONCE = 2**12
"""Approximate number of numbers in one piece."""
BLOCK = 2**18
"""Bytes sent at once: enough to be compressed in a thread."""


class Pieces(Response):
    """A response in several blocks, JSON unless it says otherwise."""

    media_type = "application/json"

    def __init__(self, blocks: Iterable[bytes], nbytes: int, **about: Any) -> None:
        super().__init__(**about)
        self.headers["content-length"] = str(nbytes)
        self._blocks = blocks
        self.held: HeldAnswer | None = None
        """The room that the blocks take until they are sent."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - ASGI's signature
        """Send the blocks one after another."""
        try:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            for block in self._blocks:
                await send({"type": "http.response.body", "body": block, "more_body": True})
                await asyncio.sleep(0)  # yield to other requests even if the client reads as fast as we write
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            if self.held is not None:
                self.held.close()


def in_blocks(response: Response) -> Response:
    """The same response, sent a block at a time: what is sent at once is copied, and kept until it is read."""
    body = bytes(response.body)
    if len(body) <= BLOCK:
        return response
    blocks = (body[start : start + BLOCK] for start in range(0, len(body), BLOCK))
    return Pieces(blocks, len(body), status_code=response.status_code, headers=response.headers)


def held_until_sent(response: Response, held: HeldAnswer) -> Response:
    """The response, whose room is given back once it is sent. Raises ApiError where there is no room for it.

    What is written in pieces has taken its room already; of others, those of more than a block take it here.
    """
    if not isinstance(response, Pieces) and hasattr(response, "body"):
        sent = in_blocks(response)
        if sent is not response:
            held.take(len(response.body))
        response = sent
    if isinstance(response, Pieces):
        response.held = held
    return response


class SplitResponse:
    """A response with its long lists taken out."""

    def __init__(self, answer: BaseModel) -> None:
        self._mark = secrets.token_hex(16)
        self._long: list[Any] = []
        self._rest = self._shorten(answer)

    def __bool__(self) -> bool:
        """Whether any list was long."""
        return bool(self._long)

    def response(self) -> Pieces:
        """The whole as a response. Slow: call it in a thread.

        Its bytes take their room as they are written; raises ApiError where there is none (``answer_room``).
        """
        blocks = list(_blocks(self._pieces()))
        return Pieces(_given_away(blocks), sum(map(len, blocks)))

    def _pieces(self) -> Iterator[bytes]:
        rest = self._rest.model_dump_json(by_alias=True, warnings=False).encode()
        texts = re.split(rb'"%s (\d+)"' % self._mark.encode(), rest)
        for text, index in zip(texts[::2], [*texts[1::2], b""], strict=True):
            yield text
            if index:
                long = self._long[int(index)]
                yield from _array(long.array) if isinstance(long, LargeArray) else _list(long)

    def _shorten(self, value: Any) -> Any:
        """The value, or a copy of it without its long lists."""
        shortened: Any = value
        match value:
            case LargeArray():
                shortened = self._take(value)
            case BaseModel():
                changed = self._changed(vars(value))
                shortened = value.model_copy(update=changed) if changed else value
            case dict():
                changed = self._changed(value)
                shortened = {**value, **changed} if changed else value
            case list() if len(value) > LONG or _cells(value) > AT_ONCE:
                shortened = self._take(value)
            case list() if value and isinstance(value[0], BaseModel | dict | list | LargeArray):
                shortened = [self._shorten(member) for member in value]
        return shortened

    def _changed(self, fields: dict[str, Any]) -> dict[str, Any]:
        before = len(self._long)
        shortened = {name: self._shorten(value) for name, value in fields.items()}
        return shortened if len(self._long) > before else {}

    def _take(self, long: Any) -> str:
        self._long.append(long)
        return f"{self._mark} {len(self._long) - 1}"


def _cells(rows: list[Any]) -> int:
    """Number of cells in a list of lists."""
    return len(rows) * len(rows[0]) if rows and isinstance(rows[0], list) else 0


def _list(members: list[Any]) -> Iterator[bytes]:
    """A list in pieces, each with a bounded number of numbers."""
    first = members[0]
    step = max(1, LONG // max(1, len(first))) if isinstance(first, list) else LONG
    yield b"["
    for start in range(0, len(members), step):
        yield (b"," if start else b"") + to_json(members[start : start + step])[1:-1]
    yield b"]"


def _array(array: NDArray[Any]) -> Iterator[bytes]:
    """An array in pieces, each with a bounded number of numbers."""
    yield b"["
    row = array.size // len(array)
    step = max(1, AT_ONCE // max(1, row))
    for start in range(0, len(array), step):
        if start:
            yield b","
        if row > AT_ONCE and array.ndim > 1:
            yield from _array(array[start])
        else:
            yield to_json(to_json_numbers(np.ascontiguousarray(array[start : start + step])))[1:-1]
    yield b"]"


def _given_away(blocks: list[bytes]) -> Iterator[bytes]:
    """Each in turn, kept no longer."""
    blocks.reverse()
    while blocks:
        yield blocks.pop()


def _blocks(pieces: Iterator[bytes]) -> Iterator[bytes]:
    block: list[bytes] = []
    size = 0
    for piece in pieces:
        block.append(piece)
        size += len(piece)
        if size >= BLOCK:
            answer_room.take(size)
            yield b"".join(block)
            block, size = [], 0
    answer_room.take(size)
    yield b"".join(block)
