"""Serialise large JSON responses piece by piece in a thread, so that no piece blocks other requests.

Pydantic serialises an answer in one call that holds the GIL. So long lists are replaced by placeholders first and
serialised a few thousand numbers at a time.
"""

import asyncio
import re
import secrets
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel
from pydantic_core import to_json
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from .matrices import LargeArray, to_json_numbers

LONG = 2_000
"""Length of a list from which it is written in pieces."""
AT_ONCE = 2**14
"""Approximate number of numbers in one piece."""
BLOCK = 2**18
"""Bytes sent at once: enough to be compressed in a thread."""


class Pieces(Response):
    """A JSON response in several blocks."""

    media_type = "application/json"

    def __init__(self, blocks: Sequence[bytes]) -> None:
        super().__init__()
        self.headers["content-length"] = str(sum(map(len, blocks)))
        self._blocks = blocks

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - ASGI's signature
        """Send the blocks one after another."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        for block in self._blocks:
            await send({"type": "http.response.body", "body": block, "more_body": True})
            await asyncio.sleep(0)  # yield to other requests even if the client reads as fast as we write
        await send({"type": "http.response.body", "body": b"", "more_body": False})


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
        """The whole as a response. Slow: call it in a thread."""
        return Pieces(list(_blocks(self._pieces())))

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


def _blocks(pieces: Iterator[bytes]) -> Iterator[bytes]:
    block: list[bytes] = []
    size = 0
    for piece in pieces:
        block.append(piece)
        size += len(piece)
        if size >= BLOCK:
            yield b"".join(block)
            block, size = [], 0
    yield b"".join(block)
