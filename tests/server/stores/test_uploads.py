"""Large uploads: limited concurrency and duration."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi import Request

from server.settings import Settings
from server.stores.uploads import Uploads
from server.web.errors import ApiError


def request(*chunks: bytes, stalls: bool = False) -> Request:
    """A request whose body arrives in these chunks, and then never ends if it stalls."""
    left = list(chunks)

    async def receive() -> dict[str, Any]:
        if left:
            return {"type": "http.request", "body": left.pop(0), "more_body": bool(left) or stalls}
        await asyncio.Event().wait()
        raise AssertionError

    app = SimpleNamespace(state=SimpleNamespace(settings=Settings(body_timeout_s=0.01)))
    return Request({"type": "http", "headers": [], "app": app}, receive)


async def read(uploads: Uploads, one: Request) -> bytes:
    async with uploads.body(one) as data:
        return data


def test_the_body_is_the_chunks_put_together() -> None:
    assert asyncio.run(read(Uploads(max_bytes=9), request(b"ab", b"c"))) == b"abc"


def test_too_many_at_once_are_sent_away_until_one_is_done() -> None:
    uploads = Uploads(max_bytes=9, at_once=2)

    async def three() -> bytes:
        async with uploads.body(request(b"1")):
            async with uploads.body(request(b"2")):
                with pytest.raises(ApiError, match="try again in a moment") as caught:
                    await read(uploads, request(b"3"))
                assert (caught.value.status, caught.value.code, caught.value.limit) == (503, "server_busy", 2)
                assert caught.value.headers == {"Retry-After": "2"}
            return await read(uploads, request(b"3"))

    assert asyncio.run(three()) == b"3"


def test_a_body_that_does_not_arrive_is_given_up_and_no_longer_counted() -> None:
    uploads = Uploads(max_bytes=9, at_once=1)

    async def stalled() -> bytes:
        for _ in range(2):
            with pytest.raises(ApiError, match=r"within 0\.01 seconds") as caught:
                await read(uploads, request(b"a", stalls=True))
            assert (caught.value.status, caught.value.code) == (408, "timeout")
        return await read(uploads, request(b"ok"))

    assert asyncio.run(stalled()) == b"ok"
