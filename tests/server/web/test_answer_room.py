"""What answers hold: bounded each, together and of one client, and given back."""

import asyncio
import re
import socket
from collections.abc import Iterator
from threading import Thread
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from server.app import create_app
from server.settings import Settings
from server.web.answer_room import AnswerRoom, HeldAnswer
from server.web.errors import ApiError
from tests.server.test_concurrency import served, until

LITTLE = (socket.SOL_SOCKET, socket.SO_RCVBUF, 2_048)
SMALL = Settings(device="cpu", hub_models=(), preload=False, max_answer_bytes=2**23, max_answers_bytes=2**24)
ASKED = {"dim": 2, "pairing": "half_split", "positions": [0.37 * step for step in range(600)]}
"""An answer of about 7 MB: more than the system takes from the server."""
TOO_MUCH = ASKED | {"slide": 1.0}
"""Three times as much."""


def refused(held: HeldAnswer, nbytes: int) -> tuple[int, str, float | None]:
    with pytest.raises(ApiError) as raised:
        held.take(nbytes)
    return raised.value.status, raised.value.code, raised.value.limit


def test_an_answer_a_client_and_all_have_each_their_room() -> None:
    room = AnswerRoom(SMALL)
    first, second, third, fourth = (HeldAnswer(room, client) for client in "aabc")
    first.take(2**23)
    assert refused(first, 1) == (422, "answer_too_large", 2**23)
    assert refused(second, 1) == (429, "too_many_requests", 2**23)
    third.take(2**23)
    assert refused(fourth, 1) == (503, "server_busy", 2**24)
    assert len(room) == 2**24
    first.close()
    first.close()
    second.take(5)
    fourth.take(7)
    assert len(room) == 2**23 + 12
    with pytest.raises(asyncio.CancelledError):
        first.take(1)  # a thread that still writes what nobody waits for
    for each in (second, third, fourth):
        each.close()
    assert len(room) == 0


def test_room_is_counted_right_from_many_threads() -> None:
    room = AnswerRoom(SMALL)

    def work(client: str) -> None:
        for _ in range(200):
            held = HeldAnswer(room, client)
            held.take(3)
            held.take(4)
            held.close()

    threads = [Thread(target=work, args=[client]) for client in "aabb"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(room) == 0


@pytest.fixture(scope="module")
def settings() -> Settings:
    return SMALL


@pytest.mark.full
def test_an_answer_of_too_many_bytes_is_refused_with_the_bound_that_the_document_names(
    client: TestClient, assert_error: Any
) -> None:
    answer = client.post("/api/rope", json=TOO_MUCH)
    assert "MAX_ANSWER_BYTES" in assert_error(answer, 422, "answer_too_large", None, 2**23)
    said = client.get("/api/openapi.json").json()["paths"]["/api/rope"]["post"]["responses"]["422"]["description"]
    assert "`answer_too_large`: an answer of more than 8388608 bytes" in said
    held = client.app.state.answer_room  # type: ignore[attr-defined]
    assert len(held) == 0
    assert client.post("/api/rope", json=ASKED).status_code == 200
    assert len(held) == 0


@pytest.fixture
def server() -> Iterator[httpx.Client]:
    with served(create_app(SMALL)) as client:
        yield client


def unread(server: httpx.Client) -> int:
    return int(float(re.findall(r"^observatory_answers_bytes (\S+)", server.get("/metrics").text, re.MULTILINE)[0]))


@pytest.mark.full
def test_who_reads_no_answers_is_given_no_more_and_others_are(server: httpx.Client) -> None:
    """The first answer waits in the server: the client's system takes a little of it and no more."""
    host, port = str(server.base_url.host), server.base_url.port
    transport = httpx.HTTPTransport(local_address="127.0.0.2", socket_options=[LITTLE])
    plain = {"Accept-Encoding": "identity"}
    with httpx.Client(base_url=f"http://{host}:{port}", transport=transport, timeout=60, headers=plain) as greedy:
        with greedy.stream("POST", "/api/rope", json=ASKED) as first:
            assert first.status_code == 200
            assert unread(server) > 4_000_000
            second = greedy.post("/api/rope", json=ASKED)
            assert (second.status_code, second.json()["error"]["code"]) == (429, "too_many_requests")
            assert second.headers["retry-after"] == "1"
            assert server.post("/api/rope", json=ASKED).status_code == 200, "another client is not meant"
        until(lambda: unread(server) == 0)  # it has hung up
        with greedy.stream("POST", "/api/rope", json=ASKED) as again:
            assert again.status_code == 200
