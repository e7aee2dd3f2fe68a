"""Answers are compressed in their client's turn, and no line is too long for what has been worked out."""

import asyncio
import gzip
from collections.abc import Callable
from typing import Any

import pytest

from server.requests.packing import SMALL, Packing
from server.requests.turns import lines, lines_of, open_lines
from server.settings import Settings

LARGE = b"The cat sat on the mat. " * (SMALL // 8)


def sent_by(pieces: list[bytes], accepts: str, before: Callable[[], Any] = lambda: None) -> tuple[bytes, list[int]]:
    """What is sent of an answer in pieces, and how many turns were at work while each was."""
    sent, at_work = bytearray(), []

    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
        for piece in pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def send(message: Any) -> None:
        sent.extend(message.get("body", b""))

    async def test() -> None:
        open_lines(lines_of(Settings()))
        turns = lines().turns
        run = turns.run

        async def counted(call: Any, **how: Any) -> Any:
            at_work.append(1)
            return await run(call, **how)

        turns.run = counted  # type: ignore[method-assign]
        before()
        scope = {"type": "http", "headers": [(b"accept-encoding", accepts.encode())]}
        await Packing(app, minimum_size=1_000, compresslevel=4)(scope, app, send)

    asyncio.run(test())
    return bytes(sent), at_work


@pytest.mark.parametrize(("piece", "turns"), [(LARGE, 2), (b"The cat. " * 200, 0)])
def test_large_pieces_are_compressed_in_turns_and_small_ones_at_once(piece: bytes, turns: int) -> None:
    sent, at_work = sent_by([piece, piece], "gzip")
    assert gzip.decompress(sent) == piece * 2
    assert len(at_work) == turns


def test_who_does_not_accept_it_is_sent_the_answer_as_it_is() -> None:
    assert sent_by([LARGE], "br") == (LARGE, [])


def test_an_answer_goes_on_though_the_line_is_full() -> None:
    def full() -> None:
        lines().turns._line = lines().turns._client_line = 0

    sent, at_work = sent_by([LARGE], "gzip", full)
    assert gzip.decompress(sent) == LARGE
    assert len(at_work) == 1
