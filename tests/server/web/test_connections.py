"""Connections that hold a descriptor without ever becoming a request, with real sockets against the real server."""

import asyncio
import json
import resource
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
import uvicorn
from fastapi import FastAPI
from starlette.responses import PlainTextResponse

from server.app import create_app
from server.serving import listen, server_config
from server.settings import Settings
from server.web import descriptors
from server.web.connections import Connections

SHORT = 0.2
ASK = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Open = Callable[..., Awaitable[Streams]]


class Fake:
    """A connection as the account sees it."""

    def __init__(self, *, is_answering: bool = False) -> None:
        self.is_answering = is_answering
        self.ended: list[str] = []

    def cut(self, reason: str) -> None:
        """Note why."""
        self.ended.append(reason)


def test_a_client_that_has_its_share_gives_up_its_longest_idle_connection() -> None:
    account = Connections(most=10, per_client=2)
    first, second, third = Fake(), Fake(), Fake()
    assert account.enter(first, "a") is None
    assert account.enter(second, "a") is None
    account.used(first, "a")
    assert account.enter(third, "a") is None
    assert (first.ended, second.ended, len(account)) == ([], ["no_room"], 2)


def test_a_client_whose_connections_are_all_being_answered_is_refused() -> None:
    account = Connections(most=10, per_client=2)
    for _ in range(2):
        account.enter(Fake(is_answering=True), "a")
    refusal = account.enter(Fake(), "a")
    assert refusal is not None
    assert (refusal.status, refusal.code, refusal.limit) == (429, "too_many_requests", 2)
    assert account.enter(Fake(), "b") is None, "another client is not meant"


def test_where_all_are_taken_the_client_with_most_gives_one_up() -> None:
    account = Connections(most=3, per_client=3)
    many, alone, new = [Fake(), Fake()], Fake(), Fake()
    for each in many:
        account.enter(each, "many")
    account.enter(alone, "alone")
    assert account.enter(new, "new") is None
    assert (many[0].ended, many[1].ended, alone.ended, new.ended) == (["no_room"], [], [], [])


def test_a_full_server_that_answers_on_every_connection_is_busy() -> None:
    account = Connections(most=2, per_client=2)
    for client in "ab":
        account.enter(Fake(is_answering=True), client)
    refusal = account.enter(Fake(), "c")
    assert refusal is not None
    assert (refusal.status, refusal.code) == (503, "server_busy")


def test_a_proxy_s_connections_are_those_of_many_clients() -> None:
    account = Connections(most=10, per_client=1)
    assert [account.enter(Fake(is_answering=True), "proxy", is_shared=True) for _ in range(5)] == [None] * 5


def test_what_has_left_is_counted_once() -> None:
    account = Connections(most=1, per_client=1)
    one = Fake()
    account.enter(one, "a")
    account.leave(one, "a")
    account.leave(one, "a")
    assert len(account) == 0


def test_the_limit_of_descriptors_is_raised_as_far_as_it_may(root: Path) -> None:
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (100, 300));"
        "from server.web import descriptors; print(descriptors.limit(), descriptors.raise_limit())"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["100", "300"]


@asynccontextmanager
async def served(app: FastAPI) -> AsyncIterator[Open]:
    """The application on a free port; opens connections to it, also from another address of this machine."""
    opened: list[asyncio.StreamWriter] = []
    with listen("127.0.0.1", 0) as listener:
        server = uvicorn.Server(server_config(app))
        task = asyncio.create_task(server.serve(sockets=[listener]))
        host, port = listener.getsockname()

        async def connect(source: str = "127.0.0.1", receive_bytes: int | None = None) -> Streams:
            client = socket.socket()
            if receive_bytes:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
            client.bind((source, 0))
            client.setblocking(False)
            await asyncio.get_running_loop().sock_connect(client, (host, port))
            reader, writer = await asyncio.open_connection(sock=client, limit=4_096)
            opened.append(writer)
            return reader, writer

        while not server.started:
            assert not task.done(), "it does not start"
            await asyncio.sleep(0)
        try:
            yield connect
        finally:
            for writer in opened:
                writer.transport.abort()
            server.should_exit = True
            await task


def an_app(**settings: float) -> FastAPI:
    """The application with short deadlines and without models."""
    app = create_app(Settings(device="cpu", hub_models=(), hub_cache=False, preload=False, **settings))

    @app.get("/large")
    async def large() -> PlainTextResponse:
        return PlainTextResponse("x" * 32 * 2**20)

    return app


async def response_of(reader: asyncio.StreamReader) -> tuple[int, dict[str, object]]:
    """Status and JSON of what comes before the connection ends."""
    answer = b""
    with suppress(ConnectionResetError):  # after the answer, where something was written to a connection that had ended
        while block := await reader.read(65_536):
            answer += block
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)["error"]


def closed(app: FastAPI, reason: str) -> float:
    """How many connections the server has closed for this reason."""
    value = app.state.monitoring.registry.get_sample_value("observatory_connections_closed_total", {"reason": reason})
    assert value is not None
    return float(value)


@pytest.mark.parametrize("sent", [b"", b"G", b"GET /healthz HTTP/1.1\r\nHost: a\r\nX-Slow: "])
def test_headers_that_do_not_arrive_end_the_connection(sent: bytes) -> None:
    """Also where nothing at all is sent."""
    app = an_app(header_timeout_s=SHORT)

    async def run() -> tuple[int, dict[str, object]]:
        async with served(app) as connect:
            reader, writer = await connect()
            writer.write(sent)
            return await response_of(reader)

    status, error = asyncio.run(run())
    assert (status, error["code"], error["limit"]) == (408, "timeout", SHORT)
    assert "OBSERVATORY_HEADER_TIMEOUT_S" in str(error["message"])
    assert closed(app, "slow_headers") == 1


def test_headers_that_drip_have_one_deadline_and_not_one_for_each_byte() -> None:
    app = an_app(header_timeout_s=SHORT)

    async def run() -> float:
        async with served(app) as connect:
            reader, writer = await connect()
            begin = asyncio.get_running_loop().time()
            answered = asyncio.create_task(response_of(reader))
            writer.write(b"GET / HTTP/1.1\r\nX: ")
            while not answered.done():
                writer.write(b"a")
                await asyncio.wait([answered], timeout=SHORT / 10)
            assert (await answered)[0] == 408
            return asyncio.get_running_loop().time() - begin

    assert asyncio.run(run()) < 20 * SHORT


@pytest.mark.full
def test_the_second_request_of_a_connection_has_the_same_deadline() -> None:
    app = an_app(header_timeout_s=SHORT)

    async def run() -> tuple[int, int]:
        async with served(app) as connect:
            reader, writer = await connect()
            writer.write(ASK)
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(int(line.split()[1]) for line in head.splitlines() if line.startswith(b"content-length"))
            await reader.readexactly(length)
            writer.write(ASK[:10])
            return int(head.split()[1]), (await response_of(reader))[0]

    assert asyncio.run(run()) == (200, 408)


@pytest.mark.full
def test_a_request_is_answered_however_long_its_answer_takes() -> None:
    """The deadline is for headers alone."""
    app = an_app(header_timeout_s=SHORT)

    @app.get("/slow")
    async def slow() -> PlainTextResponse:
        await asyncio.sleep(3 * SHORT)
        return PlainTextResponse("done")

    async def run() -> bytes:
        async with served(app) as connect:
            reader, writer = await connect()
            writer.write(b"GET /slow HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            return await reader.read(-1)

    assert asyncio.run(run()).endswith(b"done")
    assert closed(app, "slow_headers") == 0


def test_a_body_that_drips_on_after_its_answer_ends_the_connection() -> None:
    """It is discarded; without a deadline each byte would keep the connection for as long as the sender likes."""
    app = an_app(header_timeout_s=SHORT)

    async def run() -> bool:
        async with served(app) as connect:
            reader, writer = await connect()
            writer.write(b"POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n")
            assert b"405" in await reader.readuntil(b"\r\n\r\n")
            for _ in range(200):
                writer.write(b"a")
                await asyncio.sleep(SHORT / 20)
                if writer.transport.is_closing() or reader.at_eof():
                    return True
            return False

    assert asyncio.run(run())
    assert closed(app, "slow_headers") == 1


@pytest.mark.full
def test_an_answer_that_is_not_read_ends_the_connection() -> None:
    app = an_app(body_timeout_s=SHORT)

    async def run() -> int:
        async with served(app) as connect:
            reader, writer = await connect(receive_bytes=4_096)
            writer.transport.pause_reading()  # type: ignore[attr-defined]
            writer.write(b"GET /large HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: identity\r\n\r\n")
            async with asyncio.timeout(60):
                while not closed(app, "slow_reader"):
                    await asyncio.sleep(SHORT)
            writer.transport.resume_reading()  # type: ignore[attr-defined]
            try:
                return len(await reader.read(-1))
            except ConnectionResetError:
                return 0

    # What waits when the deadline is set counts at SLOWEST bytes a second, which would be minutes here.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("server.web.connections.SLOWEST", 2**30)
        assert asyncio.run(run()) < 32 * 2**20


@pytest.mark.full
def test_dripping_sockets_leave_room_for_others(root: Path) -> None:
    """As many as the process has descriptors, from another address: everybody else is answered, and they end."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert soft > 700, "this test holds both ends of some connections"
    app = an_app(header_timeout_s=3_600, client_connections=50)

    async def run() -> tuple[list[int], int]:
        async with served(app) as connect:
            for _ in range(320):
                _, writer = await connect("127.0.0.2")
                writer.write(b"GET / HTTP/1.1\r\nX: a")
            statuses = []
            for _ in range(5):
                reader, writer = await connect()
                writer.write(ASK)
                statuses.append(int((await reader.readuntil(b"\r\n\r\n")).split()[1]))
            held = app.state.monitoring.registry.get_sample_value("observatory_connections_open")
            return statuses, int(held or 0)

    statuses, held = asyncio.run(run())
    assert statuses == [200] * 5
    assert held <= 55
    assert closed(app, "no_room") >= 270


@pytest.mark.full
def test_a_client_with_too_many_requests_under_way_is_told_so() -> None:
    app = an_app(client_connections=2)
    release = asyncio.Event()

    @app.get("/waits")
    async def waits() -> PlainTextResponse:
        await release.wait()
        return PlainTextResponse("done")

    async def run() -> tuple[int, dict[str, object]]:
        async with served(app) as connect:
            for _ in range(2):
                _, writer = await connect()
                writer.write(b"GET /waits HTTP/1.1\r\nHost: localhost\r\n\r\n")
            opened = app.state.monitoring.open
            while opened._value.get() < 2:
                await asyncio.sleep(0)
            reader, _ = await connect()
            answer = await response_of(reader)
            release.set()
            return answer

    status, error = asyncio.run(run())
    assert (status, error["code"], error["limit"]) == (429, "too_many_requests", 2)


def test_descriptors_are_kept_for_what_is_not_a_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in (64, 300, 1_024, 65_536):
        monkeypatch.setattr(descriptors, "limit", lambda limit=limit: limit)
        account = server_config(an_app()).account
        assert 0 < account.per_client <= account.most <= limit - min(192, limit // 2)
