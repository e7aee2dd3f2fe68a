"""Requests about the API are answered elsewhere as they would be here, whatever happens on the way."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from server.app import create_app
from server.cluster.affinity import Affinity
from server.cluster.forwarding import TRIES, Forward, Forwarded, ReplicaLostError, answer
from server.settings import Settings
from server.stores.kept_requests import KeptRequest, KeptRequests
from server.web.i18n import RequestLanguage

LIMITS = {"max_body_bytes": 5_000, "max_upload_bytes": 5_000, "max_corpus_bytes": 5_000, "body_timeout_s": 0.3}
SETTINGS = Settings(device="cpu", hub_models=(), preload=False, **LIMITS)
APP = create_app(SETTINGS)
MODEL = "observatory-gpt2-mini"
TEXT = {"model": MODEL, "text": "The cat sat."}
JAPANESE = {"accept-language": "ja"}
ASKED: tuple[tuple[str, str, Any], ...] = (
    ("POST", "/api/softmax", {"scores": [1, 2]}),
    ("POST", "/api/softmax", {"scores": "wrong"}),
    ("POST", "/api/analyses", TEXT | {"text": "a" * 6_000}),
    ("GET", "/api/analyses/none", None),
    ("PUT", "/api/softmax", None),
    ("GET", "/api/nothing", None),
)


async def here(scope: Any, receive: Any, send: Any) -> None:
    """What the pages' own process would answer."""
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
    await send({"type": "http.response.body", "body": b"here"})


class Replicas:
    """Calls an application as another process would be called; the first few die after some messages."""

    def __init__(self, app: Any, *, deaths: int = 0, after: int = 0) -> None:
        self.app, self.deaths, self.after = app, deaths, after
        self.calls = 0
        self.closed = 0

    async def __call__(self, request: Forwarded) -> AsyncIterator[Any]:
        self.calls += 1
        given = 0
        try:
            async for message in answer(self.app, request):
                if given == self.after and self.calls <= self.deaths:
                    raise ReplicaLostError
                given += 1
                yield message
        finally:
            self.closed += 1


def client_of(target: Any, lost: Any = lambda _: None) -> httpx.AsyncClient:
    forward = RequestLanguage(Forward(here, settings=SETTINGS, target=target, lost=lost))

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await forward(scope | {"app": APP}, receive, send)

    transport = httpx.ASGITransport(app)
    return httpx.AsyncClient(transport=transport, base_url="http://test")


@pytest.mark.full
def test_the_real_application_answers_as_it_does_here():
    async def endless() -> AsyncIterator[bytes]:
        for _ in range(100):
            yield b"x" * 1_000

    async def slow() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.sleep(5)

    async def run() -> list[httpx.Response]:
        replicas = Replicas(APP)
        async with client_of(replicas) as client:
            assert (await client.get("/rope")).text == "here"
            assert (await client.get("/api/docs")).text == "here"
            assert replicas.calls == 0
            for content, status, code in ((endless(), 413, "body_too_large"), (slow(), 408, "timeout")):
                refused = await client.post("/api/analyses", content=content)
                assert (refused.status_code, refused.json()["error"]["code"]) == (status, code)
            return [await client.request(method, path, json=body, headers=JAPANESE) for method, path, body in ASKED]

    with TestClient(APP) as direct:
        forwarded = direct.portal.call(run)  # type: ignore[union-attr]
        for (method, path, body), there in zip(ASKED, forwarded, strict=True):
            expected = direct.request(method, path, json=body, headers=JAPANESE)
            assert (there.status_code, there.content) == (expected.status_code, expected.content), path
            assert there.headers.get("content-language") == expected.headers.get("content-language")


async def counts(scope: Any, receive: Any, send: Any) -> None:
    """Three pieces."""
    await receive()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
    for piece in (b"one ", b"two ", b"three"):
        await send({"type": "http.response.body", "body": piece, "more_body": piece != b"three"})


@pytest.mark.parametrize("after", [0, 1, 3])
def test_a_replica_that_dies_in_the_middle_is_replaced_without_a_trace(after):
    async def run() -> None:
        replicas, lost = Replicas(counts, deaths=2, after=after), list[str]()
        async with client_of(replicas, lost.append) as client:
            assert (await client.get("/api/count")).text == "one two three"
        assert (replicas.calls, replicas.closed) == (3, 3)
        assert lost == ["ReplicaLostError", "ReplicaLostError"]

    asyncio.run(run())


@pytest.mark.full
def test_trying_again_has_an_end():
    async def run() -> None:
        replicas = Replicas(counts, deaths=100)
        async with client_of(replicas) as client:
            answered = await client.get("/api/count")
        assert (answered.status_code, answered.json()["error"]["code"]) == (503, "server_busy")
        assert replicas.calls == TRIES

    asyncio.run(run())


def test_events_pass_as_they_come_and_a_client_that_leaves_ends_them():
    events: asyncio.Queue[bytes] = asyncio.Queue()
    ended = asyncio.Event()

    async def stream(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
        waiting = asyncio.create_task(receive())
        sending = asyncio.create_task(events.get())
        while not waiting.done():
            await asyncio.wait({waiting, sending}, return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                await send({"type": "http.response.body", "body": sending.result(), "more_body": True})
                sending = asyncio.create_task(events.get())
        assert waiting.result()["type"] == "http.disconnect"
        ended.set()

    async def run() -> None:
        sent: asyncio.Queue[Any] = asyncio.Queue()
        received: asyncio.Queue[Any] = asyncio.Queue()
        await received.put({"type": "http.request", "body": b"", "more_body": False})
        scope = {"type": "http", "method": "GET", "path": "/api/events", "app": APP, "headers": [], "query_string": b""}
        app = Forward(here, settings=SETTINGS, target=Replicas(stream))
        task = asyncio.create_task(app(scope, received.get, sent.put))
        assert (await sent.get())["type"] == "http.response.start"
        await events.put(b"first")
        assert (await sent.get())["body"] == b"first"
        await received.put({"type": "http.disconnect"})
        await asyncio.wait_for(task, 5)
        await asyncio.wait_for(ended.wait(), 5)

    asyncio.run(run())


def test_what_is_about_the_same_text_has_the_same_key_before_and_after_its_id_is_known():
    def request(method: str, path: str, body: bytes = b"", query: bytes = b"") -> Forwarded:
        return Forwarded({"method": method, "path": path, "query_string": query}, body)

    async def run() -> None:
        requests = KeptRequests(memory_bytes=10_000, place=None, days=1, place_bytes=1)
        affinity = Affinity(requests, spread=10**6)
        one, other, tensors = "1" * 32, "2" * 32, f"tensors-{'3' * 32}"
        await requests.keep(one, KeptRequest("text", {"model": "m", "text": "猫"}))
        await requests.keep(other, KeptRequest("image", {"model": "m"}, b"abc"))
        await requests.keep(tensors, KeptRequest("tensors", data=b"{}"))
        for path, body, kept in (
            ("/api/analyses", '{"text": "猫", "model": "m"}'.encode(), one),
            ("/api/analyses/image", b'{"model": "m", "image": "YWJj"}', other),
            ("/api/tensors", b"{}", tensors),
        ):
            assert await affinity.key(request("POST", path, body)) == await affinity.key(
                request("GET", f"/api/analyses/{kept}/weights")
            )
        keys = {
            await affinity.key(request("POST", "/api/analyses", f'{{"model": "m", "text": "{text}"}}'.encode()))
            for text in range(100)
        }
        assert len(keys) > 90
        narrow = Affinity(requests, spread=2)
        keys = {
            await narrow.key(request("POST", "/api/analyses", f'{{"model": "m", "text": "{text}"}}'.encode()))
            for text in range(100)
        }
        assert len(keys) == 2
        for wrong in (b"", b"[]", b"{", b'{"model": 1, "text": []}', b'{"image": "%"}', b"\xff"):
            await affinity.key(request("POST", "/api/analyses/image", wrong))
            await affinity.key(request("POST", "/api/analyses", wrong))
        assert await affinity.key(request("GET", "/api/circuits", query=b"model=m")) == "m#0"
        assert await affinity.key(request("GET", "/api/models")) == ""

    asyncio.run(run())
