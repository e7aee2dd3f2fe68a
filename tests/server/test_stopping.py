"""What takes long ends when it is told to, by the clock: downloads that crawl, long analyses, the server itself.

Each against a server in a process of its own, as an operator runs it.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from loopback_hub import LoopbackHub
from tiny_models import write_model_folder

from benchmarks.long_text import SENTENCE, write_model

MODEL = "distilbert/distilgpt2"
TOKENS = 16_000
DOWNLOAD_STOPS_S = 1.0
SERVER_STOPS_S = 10.0
AT_ONCE_S = 2.0
"""Until who waits is refused: a step of the model, which holds the processor, may be under way."""
PROXIES = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"), "")


@dataclass
class Running:
    """A server process."""

    client: httpx.Client
    process: "subprocess.Popen[str]"
    log: Path

    def stop(self) -> float:
        """Tell it to end; the seconds until it has."""
        start = time.monotonic()
        self.process.terminate()
        assert self.process.wait(60) in {0, -signal.SIGTERM}
        return time.monotonic() - start


@contextmanager
def running(root: Path, log: Path, **settings: str) -> Iterator[Running]:
    told = {"PORT": "0", "OBSERVATORY_PRELOAD": "false", "OBSERVATORY_DEVICE": "cpu"}
    with log.open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "server"],
            cwd=root,
            env={**os.environ, **PROXIES, **told, **settings},
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().split()[-1]
        with httpx.Client(base_url=address, timeout=120) as client:
            yield Running(client, process, log)
    finally:
        process.kill()
        process.communicate()


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[LoopbackHub]:
    hub = LoopbackHub({MODEL: write_model_folder(tmp_path, "tiny-gpt2")})
    yield hub
    hub.close()


@pytest.fixture
def fetching(root: Path, tmp_path: Path, hub: LoopbackHub) -> Iterator[Running]:
    """A server of which a model is asked for that comes at some kilobytes a second."""
    hub.hold("model.safetensors", crawls=True)
    place = {"HF_ENDPOINT": hub.address, "HF_HUB_OFFLINE": "0", "HF_HUB_CACHE": str(tmp_path / "cache")}
    with running(root, tmp_path / "log", **place) as server:
        assert server.client.post("/api/models/load", json={"model": MODEL}).status_code == 202
        assert hub.waits.wait(60)
        yield server


@pytest.mark.full
def test_a_download_that_crawls_stops_within_a_second(fetching: Running, hub: LoopbackHub) -> None:
    asked: dict[str, Any] = {"url": "/api/models/loading", "params": {"model": MODEL}}
    assert fetching.client.get(**asked).json()["state"] == "fetching"
    start = time.monotonic()
    fetching.client.delete(**asked)
    while fetching.client.get(**asked).json()["state"] != "idle":
        assert time.monotonic() - start < DOWNLOAD_STOPS_S
    assert hub.cut.wait(DOWNLOAD_STOPS_S - (time.monotonic() - start)), "and nothing more is fetched"


@pytest.mark.full
def test_a_server_ends_while_a_download_crawls_and_tells_who_waits_for_it(fetching: Running) -> None:
    answered, body = [], {"model": MODEL, "text": "The cat"}
    waits = _in_thread(lambda: answered.append((fetching.client.post("/api/analyses", json=body), time.monotonic())))
    _until(lambda: _metric(fetching, "observatory_requests_open ") > 1)
    start = time.monotonic()
    assert fetching.stop() < SERVER_STOPS_S
    waits.join(10)
    _check_refused(answered, start)
    assert "Traceback" not in fetching.log.read_text()


@pytest.mark.full
def test_a_server_ends_during_a_long_analysis_and_says_so_at_once(root: Path, tmp_path: Path) -> None:
    write_model(tmp_path / "models" / "long-llama", TOKENS)
    body = {"model": "long-llama", "text": SENTENCE * (TOKENS // 4)}
    with running(root, tmp_path / "log", OBSERVATORY_MODELS_DIR=str(tmp_path / "models")) as server:
        short = server.client.post("/api/analyses", json=body | {"text": SENTENCE})
        per_sentence = len(short.json()["tokens"])
        body["text"] = SENTENCE * (TOKENS // per_sentence - 1)
        answered: list[Any] = []
        waits = _in_thread(lambda: answered.append((server.client.post("/api/analyses", json=body), time.monotonic())))
        _until(lambda: _metric(server, 'observatory_computations_running{store="analyses"}') > 0)
        waits.join(1)  # well inside the forward pass
        assert not answered
        start = time.monotonic()
        took = server.stop()
        waits.join(10)
    _check_refused(answered, start)
    assert took < SERVER_STOPS_S
    assert "Traceback" not in server.log.read_text()


def _check_refused(answered: list[Any], start: float) -> None:
    [(answer, at)] = answered
    assert answer.status_code == 503
    assert answer.json()["error"]["code"] == "server_busy"
    assert answer.headers["retry-after"]
    assert at - start < AT_ONCE_S


def _metric(server: Running, name: str) -> float:
    """The value of the metric whose line begins so."""
    said = server.client.get("/metrics").text.splitlines()
    return next(float(line.rpartition(" ")[2]) for line in said if line.startswith(name))


def _until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end


def _in_thread(call: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    return thread
