"""The real application behind real sockets: many clients, a full queue, disconnects."""

import asyncio
import base64
import http.client
import json
import re
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial

import httpx
import numpy as np
import pytest
import uvicorn
from fastapi import FastAPI
from starlette.testclient import TestClient

from server.app import create_app, stop_streams
from server.serving import AnnouncingServer, server_config
from server.settings import Settings

MINILM = "sentence-transformers/all-MiniLM-L6-v2"


@contextmanager
def served(app: FastAPI, server: uvicorn.Server | None = None) -> Iterator[httpx.Client]:
    """The application served by uvicorn on a free port."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        server = server or uvicorn.Server(server_config(app))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        host, port = listener.getsockname()
        try:
            limits = httpx.Limits(max_connections=100)
            with httpx.Client(base_url=f"http://{host}:{port}", timeout=60, limits=limits) as client:
                yield client
        finally:
            server.should_exit = True
            thread.join(30)
            assert not thread.is_alive()


def until(condition: Callable[[], bool]) -> None:
    """Ask again until it is so; each time is a request to the server, or takes as long as one."""
    for _ in range(5_000):
        if condition():
            return
    pytest.fail("it never became so")


def under_way(client: httpx.Client) -> int:
    text = client.get("/metrics").text
    found = re.findall(r'^observatory_computations_(?:running|waiting){store="analyses"} (\S+)', text, re.MULTILINE)
    assert len(found) == 2
    return int(sum(map(float, found)))


@pytest.mark.full
def test_a_server_that_stops_refuses_at_once_what_is_being_computed_and_what_waits():
    """Though the computation itself goes on until its next step."""
    app = create_app(Settings(device="cpu", hub_models=(), preload=False, workers=1))
    server = AnnouncingServer(server_config(app), "here", partial(stop_streams, app))
    gate = threading.Event()
    try:
        with served(app, server) as client, ThreadPoolExecutor(2) as threads:
            client.post("/api/analyses", json={"model": MINILM, "text": "The model is loaded."})
            analyses = app.state.observatory.analyses
            run = analyses._compute
            analyses._compute = lambda jobs: run(jobs) if gate.wait(60) else None
            texts = ("One text.", "Another text of more words.")
            asked = [threads.submit(client.post, "/api/analyses", json={"model": MINILM, "text": t}) for t in texts]
            until(lambda: under_way(client) == 2)
            server.should_exit = True
            for each in asked:
                answer = each.result(60)
                assert (answer.status_code, answer.json()["error"]["code"]) == (503, "server_busy"), answer.text
                assert answer.headers["retry-after"]
            assert not gate.is_set()
            gate.set()
    finally:
        gate.set()


@contextmanager
def occupied(app: FastAPI, client: httpx.Client) -> Iterator[None]:
    """One worker of the application's store held up by a computation that waits."""
    client.get("/healthz")  # the application has started
    gate = threading.Event()
    loops: list[asyncio.AbstractEventLoop] = []

    @app.get("/test-loop")
    async def loop() -> None:
        loops.append(asyncio.get_running_loop())

    client.get("/test-loop")

    def hold(_cancelled: Callable[[], bool]) -> np.ndarray:
        gate.wait(60)
        return np.zeros(1)

    held = asyncio.run_coroutine_threadsafe(app.state.observatory.analyses.get_or_compute("held", hold), loops[0])
    until(lambda: under_way(client) == 1)
    try:
        yield
    finally:
        gate.set()
        held.result(60)


def assert_alike(analysis: dict, expected: dict) -> None:
    """The same thumbnails, but for rounding."""
    shades = [np.frombuffer(base64.b64decode(each["overview"]["bdata"]), np.uint8) for each in (analysis, expected)]
    assert int(np.abs(np.subtract(*shades, dtype=int)).max()) <= 1


@pytest.mark.full
def test_texts_of_one_length_that_wait_share_a_pass():
    words = ("cat", "dog", "mat", "sun")
    texts = [f"The {word} sat on the {other}." for word in words for other in words[:2]]
    app = create_app(Settings(device="cpu", hub_models=(), preload=False, workers=1, batch=4))

    def ask(client: httpx.Client, text: str) -> dict:
        return client.post("/api/analyses", json={"model": MINILM, "text": text}).json()

    with served(app) as client, ThreadPoolExecutor(8) as threads:
        ask(client, "The model is loaded.")
        with occupied(app, client):
            waiting = [threads.submit(ask, client, text) for text in texts]
            until(lambda: under_way(client) == 9)
        found = [each.result() for each in waiting]
        counted = client.get("/metrics").text
        assert 'observatory_computations_shared_total{store="analyses"} 8.0' in counted
        assert 'observatory_computation_wait_seconds_count{store="analyses"} 10.0' in counted
    with TestClient(create_app(Settings(device="cpu", hub_models=(), preload=False, batch=1))) as alone:
        for text, answer in zip(texts, found, strict=True):
            expected = ask(alone, text)
            assert (answer["id"], answer["tokens"]) == (expected["id"], expected["tokens"])
            assert_alike(answer, expected)


@pytest.mark.full
def test_fifty_clients_at_once_each_get_their_own_answer():
    texts = [f"{'The cat sat on the mat. ' * (1 + i % 5)}Number {i % 20} was tired." for i in range(50)]
    app = create_app(Settings(device="cpu", hub_models=(), preload=False))

    def ask(client: httpx.Client, text: str) -> tuple[dict, list]:
        analysis = client.post("/api/analyses", json={"model": MINILM, "text": text}).json()
        path = f"/api/analyses/{analysis['id']}/weights?layer=3&head=4&encoding=json"
        return analysis, client.get(path).json()["matrix"]

    with served(app) as client, ThreadPoolExecutor(50) as threads:
        answers = list(threads.map(lambda text: ask(client, text), texts))
        distinct = sorted(set(texts))
        assert len(distinct) == 20
        by_text = dict(zip(texts, answers, strict=True))
        computed = {json.dumps(analysis["timings_ms"]) for analysis, _ in answers}
        assert len(computed) == 20  # each text once: the same run has the same timings
    with TestClient(create_app(Settings(device="cpu", hub_models=(), preload=False))) as alone:
        for text in distinct:
            analysis, weights = by_text[text]
            expected, expected_weights = ask(alone, text)
            assert analysis["tokens"] == expected["tokens"]
            assert analysis["id"] == expected["id"]
            assert_alike(analysis, expected)
            np.testing.assert_allclose(weights, expected_weights, rtol=0, atol=5e-6)  # some shared a pass


@pytest.mark.full
def test_a_full_queue_says_so_and_the_server_lives_on(assert_error):
    app = create_app(Settings(device="cpu", hub_models=(), preload=False, workers=1, queue_size=0))
    with served(app) as client:
        with occupied(app, client):
            response = client.post("/api/analyses", json={"model": MINILM, "text": "a"})
            assert_error(response, 503, "server_busy", None, 1)
            assert int(response.headers["retry-after"]) > 0
            assert client.get("/healthz").status_code == 200
        assert client.post("/api/analyses", json={"model": MINILM, "text": "a"}).status_code == 200


@pytest.mark.full
def test_an_analysis_whose_client_goes_away_leaves_the_queue():
    app = create_app(Settings(device="cpu", hub_models=(), preload=False, workers=1))
    with served(app) as client, occupied(app, client):
        assert client.get("/readyz").status_code == 200  # the model is loaded
        leaving = http.client.HTTPConnection(client.base_url.host, client.base_url.port)
        body = json.dumps({"model": MINILM, "text": "a"})
        leaving.request("POST", "/api/analyses", body, {"Content-Type": "application/json"})
        until(lambda: under_way(client) == 2)
        leaving.close()
        until(lambda: under_way(client) == 1)


@pytest.mark.full
def test_who_waits_too_long_is_told(assert_error):
    app = create_app(Settings(device="cpu", hub_models=(), preload=False, analysis_timeout_s=0.001))
    with served(app) as client:
        response = client.post("/api/analyses", json={"model": MINILM, "text": "word " * 500})
        assert "OBSERVATORY_ANALYSIS_TIMEOUT_S" in assert_error(response, 503, "timeout", None, 0.001)
        assert int(response.headers["retry-after"]) > 0


@pytest.mark.full
def test_a_body_without_a_length_is_refused_at_the_limit(assert_error):
    app = create_app(Settings(device="cpu", hub_models=(), preload=False, max_body_bytes=2_000))

    def endless() -> Iterator[bytes]:
        while True:
            yield b" " * 1_000

    with served(app) as client:
        headers = {"content-type": "application/json"}
        try:
            response = client.post("/api/analyses", content=endless(), headers=headers)
        except httpx.WriteError:
            pass  # the server hung up while we were still talking, as it may
        else:
            assert_error(response, 413, "body_too_large", "body", 2_000)
        response = client.post("/api/analyses", content=b" " * 2_001, headers=headers)
        assert_error(response, 413, "body_too_large", "body", 2_000)
        assert client.get("/healthz").status_code == 200
