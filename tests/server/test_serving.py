"""Server startup and its error messages."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress

import httpx
import pytest
from loopback_hub import LoopbackHub
from tiny_models import write_model_folder

from server.app import create_app
from server.serving import listen, server_config
from server.settings import Settings


def test_answers_are_sent_at_once():
    """Headers and body are two writes; without TCP_NODELAY the second waits for a delayed ACK (40 ms)."""

    async def accepted() -> int:
        option: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        async def on_connection(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connection = writer.get_extra_info("socket")
            option.set_result(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        with listen("127.0.0.1", 0) as listener:
            server = await asyncio.start_server(on_connection, sock=listener)
            async with server:
                _, writer = await asyncio.open_connection(*listener.getsockname())
                found = await option
                writer.close()
        return found

    assert asyncio.run(accepted()) != 0


def test_the_loop_is_asyncio_s_wherever_uvloop_is_installed():
    """With uvloop, which Ray Serve installs, no connection could be made."""
    config = server_config(create_app(Settings(device="cpu", hub_models=(), preload=False)))
    assert config.loop == "asyncio"


def test_a_proxy_is_trusted_by_our_setting_or_by_uvicorn_s(monkeypatch):
    """Without either, anybody could choose who to be taken for."""

    def trusts(host: str, **settings: tuple[str, ...]) -> bool:
        config = server_config(create_app(Settings(device="cpu", hub_models=(), preload=False, **settings)))
        assert not config.proxy_headers, "uvicorn's own reading of them takes what the client wrote"
        return host in config.proxies

    monkeypatch.delenv("FORWARDED_ALLOW_IPS", raising=False)
    assert not trusts("127.0.0.1")
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "10.0.0.0/8, 192.0.2.1")
    assert trusts("10.9.9.9")
    assert trusts("192.0.2.1")
    assert not trusts("10.9.9.9", trusted_proxies=("10.1.2.3",))


@pytest.mark.full
@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("OBSERVATORY_DEVICE", "cuda:99", "device 'cuda:99' is not here"),
        ("OBSERVATORY_DEVICE", "abacus", "OBSERVATORY_DEVICE: "),
        ("OBSERVATORY_WORKERS", "0", "OBSERVATORY_WORKERS: "),
        ("FORWARDED_ALLOW_IPS", "proxy.example", "trusted proxies must be addresses"),
    ],
)
def test_a_wrong_setting_is_named_in_one_sentence(root, variable, value, message):
    done = subprocess.run(
        [sys.executable, "-m", "server"],
        cwd=root,
        env=os.environ | {variable: value, "PORT": "0"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith(f"Attention Observatory: {message}")
    assert done.stderr.count("\n") == 1


@pytest.mark.full
def test_a_wrong_setting_is_said_before_torch_is_imported(root):
    """Importing it takes seconds, in which nothing would be said. Here it cannot be imported at all."""
    done = subprocess.run(
        [sys.executable, "-c", "import sys; sys.modules['torch'] = None; from server.command import main; main([])"],
        cwd=root,
        env=os.environ | {"OBSERVATORY_WORKERS": "0"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("Attention Observatory: OBSERVATORY_WORKERS: ")


@pytest.mark.full
def test_a_server_ends_though_a_download_hangs(root, tmp_path):
    hub = LoopbackHub({"distilbert/distilgpt2": write_model_folder(tmp_path, "tiny-gpt2")})
    hub.hold("model.safetensors")
    proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"), "")
    told = {
        "PORT": "0",
        "HF_ENDPOINT": hub.address,
        "HF_HUB_OFFLINE": "0",
        "HF_HUB_CACHE": str(tmp_path / "cache"),
        "OBSERVATORY_PRELOAD": "false",
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "server"],
        cwd=root,
        env={**os.environ, **proxies, **told},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        address = process.stdout.readline().split()[-1]
        for request in ("/api/models/load", "/api/analyses"):  # one asks and goes, one waits
            asked = httpx.post if request.endswith("load") else _in_thread(httpx.post)
            asked(f"{address}{request}", json=ASKED[request], timeout=60)
        assert hub.waits.wait(60)
        start = time.monotonic()
        process.terminate()
        assert process.wait(60) in {0, -signal.SIGTERM}
        assert time.monotonic() - start < STOPS_S
    finally:
        process.kill()
        process.communicate()
        hub.close()


ASKED = {
    "/api/models/load": {"model": "distilbert/distilgpt2"},
    "/api/analyses": {"model": "distilbert/distilgpt2", "text": "The cat"},
}
STOPS_S = 10


def _in_thread(call):
    def begin(*given, **named):
        def run():
            with suppress(httpx.HTTPError):  # the server goes away
                call(*given, **named)

        threading.Thread(target=run, daemon=True).start()

    return begin
