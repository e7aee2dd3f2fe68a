"""The stream of a run over real sockets: events while it learns, a connection that is killed, a page that is closed."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from fastapi import FastAPI

from server.app import create_app
from server.serving import server_config
from server.settings import Settings

LONG = {"d_model": 8, "num_heads": 2, "steps": 2_000}


@pytest.fixture(scope="module")
def app() -> FastAPI:
    return create_app(Settings(device="cpu", hub_models=(), preload=False, training_idle_s=1.0))


@pytest.fixture(scope="module")
def client(app: FastAPI) -> Iterator[httpx.Client]:
    """The application served by uvicorn on a free port."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        server = uvicorn.Server(server_config(app))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        host, port = listener.getsockname()
        try:
            with httpx.Client(base_url=f"http://{host}:{port}", timeout=60) as client:
                yield client
        finally:
            server.should_exit = True
            thread.join(30)
            assert not thread.is_alive()


@contextmanager
def events(client: httpx.Client, run_id: str, after: int | None = None) -> Iterator[Iterator[tuple[str, Any]]]:
    """Events as they come; leaving kills the connection."""
    headers = {} if after is None else {"last-event-id": str(after)}
    with client.stream("GET", f"/api/training/{run_id}/events", headers=headers) as response:

        def read() -> Iterator[tuple[str, Any]]:
            kind = ""
            for line in response.iter_lines():
                name, _, value = line.partition(": ")
                if name == "event":
                    kind = value
                elif name == "data":
                    yield kind, json.loads(value)

        yield read()


def first_steps(found: Iterator[tuple[str, Any]], count: int) -> list[int]:
    steps: list[int] = []
    while len(steps) < count:
        kind, data = next(found)
        steps += [data["step"]] if kind == "update" else []
    return steps


@pytest.mark.full
def test_events_come_while_the_network_learns_and_go_on_after_a_break(client: httpx.Client) -> None:
    run_id = client.post("/api/training", json=LONG).json()["id"]
    with events(client, run_id) as found:
        assert first_steps(found, 5) == [0, 2, 4, 6, 8]
    assert client.get(f"/api/training/{run_id}").json()["state"] == "running"
    with events(client, run_id, after=8) as found:
        assert first_steps(found, 4) == [10, 12, 14, 16]
    with events(client, run_id) as one, events(client, run_id, after=3) as other:
        assert first_steps(one, 3) == [0, 2, 4]
        assert first_steps(other, 3) == [4, 6, 8]
    client.delete(f"/api/training/{run_id}")


@pytest.mark.full
def test_commands_are_told_to_whoever_watches(client: httpx.Client) -> None:
    run_id = client.post("/api/training", json=LONG).json()["id"]
    with events(client, run_id) as found:
        first_steps(found, 3)
        assert client.post(f"/api/training/{run_id}/pause").status_code == 202
        paused = next(data for kind, data in found if kind == "state" and data["state"] == "paused")
        client.post(f"/api/training/{run_id}/step")
        assert first_steps(found, 1) == [paused["step"] + 1]
        client.delete(f"/api/training/{run_id}")
        assert list(found)[-1][1] == {
            "state": "stopped",
            "reason": "asked",
            "message": "The run was stopped.",
            "step": paused["step"] + 1,
        }


@pytest.mark.full
def test_a_closed_page_stops_its_run(app: FastAPI, client: httpx.Client) -> None:
    run_id = client.post("/api/training", json=LONG).json()["id"]
    with events(client, run_id) as found:
        first_steps(found, 3)
        assert app.state.observatory.training.active == 1
    for _ in range(100_000):  # each as long as a request takes; asking for the run itself would keep it going
        client.get("/healthz")
        if app.state.observatory.training.active == 0:
            break
    state = client.get(f"/api/training/{run_id}").json()
    assert (state["state"], state["reason"]) == ("stopped", "unwatched")


@pytest.mark.full
def test_a_server_that_is_stopped_ends_its_streams(root: Path) -> None:
    """At once and without a word, though somebody listens."""
    environment = os.environ | {"HOST": "127.0.0.1", "PORT": "0", "OBSERVATORY_PRELOAD": "false"}
    command = [sys.executable, "-m", "server"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=root, env=environment, **pipes) as server:  # type: ignore[call-overload]
        try:
            address = server.stdout.readline().split()[-1]
            with httpx.Client(base_url=address, timeout=60) as client:
                run_id = client.post("/api/training", json=LONG).json()["id"]
                with events(client, run_id) as found:
                    first_steps(found, 2)
                    server.send_signal(signal.SIGTERM)
                    assert list(found)[-1][1]["reason"] == "asked"
            assert server.communicate()[1] == ""
        except BaseException:  # or leaving the block would wait for ever
            server.kill()
            raise
    assert server.returncode == -signal.SIGTERM
