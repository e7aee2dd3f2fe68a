"""The proxy that slows the network down: nothing is lost, and nothing comes too early."""

import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from tools.slow_network import Network, slowed

BODY = bytes(range(256)) * 1000


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.answer(BODY)

    def do_POST(self) -> None:
        self.answer(self.rfile.read(int(self.headers["Content-Length"])))

    def answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def address() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_everything_arrives_in_both_directions(address: str) -> None:
    with slowed(address, Network(4, 200)) as slow:
        for _ in range(3):
            assert httpx.get(slow).content == BODY
        assert httpx.post(slow, content=BODY[::-1]).content == BODY[::-1]


def test_a_connection_and_a_request_cost_a_round_trip_each(address: str) -> None:
    with slowed(address, Network(60, 1000)) as slow:
        start = time.monotonic()
        httpx.get(slow)
    assert time.monotonic() - start >= 0.12


def test_bytes_wait_for_the_bandwidth(address: str) -> None:
    megabits = len(BODY) * 8 / 1e6
    with slowed(address, Network(0, megabits / 0.2)) as slow:
        start = time.monotonic()
        httpx.get(slow)
    assert time.monotonic() - start >= 0.2
