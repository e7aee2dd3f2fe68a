"""Serve the application on an address, and print that once it answers."""

import gc
import multiprocessing
import os
import socket
import sys
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial

import uvicorn
from fastapi import FastAPI

from attention_core.pretrained.models.sources import missing_packages
from .app import create_app, stop_streams
from .settings import Settings, split_names
from .web import descriptors
from .web.connections import BoundedConfig
from .web.proxies import Proxies

STOPS_S = 9.0
"""Seconds after which a server that is to stop ends, whatever is still at work: less than a container is given."""
SWITCH_S = 5e-4
"""Seconds after which a thread that computes lets another one go on that waits; each step of a request may wait for so
long, once for every thread at work. Python's own are ten times as many."""
HEADER_BYTES = 128 * 1024
"""Largest address and headers of a request; an address holds the whole state of a page."""


class AnnouncingServer(uvicorn.Server):
    """A uvicorn server that prints its address when, and only when, it is ready to answer."""

    def __init__(
        self,
        config: uvicorn.Config,
        address: str,
        stop_streams: Callable[[], Awaitable[None]],
        on_shutdown: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(config)
        self._address = address
        self._stop_streams = stop_streams
        self._on_shutdown = on_shutdown

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start serving, then print the address."""
        await super().startup(sockets)
        gc.freeze()  # loaded modules stay; scanning them for garbage would block every request for half a second
        if self.started:
            sys.stdout.write(f"Attention Observatory: {self._address}\n")
            sys.stdout.flush()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End long-lived streams, then wait for the remaining responses."""
        self._on_shutdown()
        await self._stop_streams()
        await super().shutdown(sockets)


def _end_within(seconds: float) -> None:
    """End this process after these seconds unless it has ended: a thread at work, as on large weights, cannot be."""

    def end() -> None:
        say("something was still at work after the time to stop")
        for child in multiprocessing.active_children():
            child.kill()
        os._exit(0)

    watch = threading.Timer(seconds, end)
    watch.daemon = True
    watch.start()


def serve(settings: Settings, host: str, port: int) -> int:
    """Serve until stopped; return the exit status."""
    try:
        app = create_app(settings, listens_on=host)
        config = server_config(app)
    except ValueError as error:
        return fail(str(error))
    try:
        listener = listen(host, port)
    except OSError as error:
        return fail(
            f"cannot listen on {host}, port {port}: {error.strerror}. "
            f"Another program may be using it; choose another port, for example:  PORT={port + 1}"
        )
    for missing in missing_packages():
        say(f"{missing.id} is missing. {missing.remedy}")
    descriptors.raise_limit()
    sys.setswitchinterval(SWITCH_S)
    with listener:
        # This process is the server's own: it never waits for what does not end.
        ends = partial(_end_within, STOPS_S)
        server = AnnouncingServer(config, address_of(listener), partial(stop_streams, app), ends)
        with suppress(KeyboardInterrupt):  # Control-C is the normal way to stop
            server.run(sockets=[listener])
    return 0 if server.started else 1


def server_config(app: FastAPI) -> BoundedConfig:
    """How the application is served. Raises ValueError if what names the proxies is no address."""
    settings: Settings = app.state.settings
    named = settings.trusted_proxies or split_names(os.environ.get("FORWARDED_ALLOW_IPS", ""))
    return BoundedConfig(
        app,
        settings,
        app.state.monitoring,
        proxies=Proxies(named, settings.proxy_hops),
        loop="asyncio",  # not uvloop, which is taken wherever it is installed: its transports have no size of reads
        h11_max_incomplete_event_size=HEADER_BYTES,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=5,
    )


def listen(host: str, port: int) -> socket.socket:
    """Return a socket bound to this address; port 0 means any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # named for asyncio's TCP_NODELAY
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError:
        listener.close()
        raise
    return listener


def address_of(listener: socket.socket) -> str:
    """Return the URL to open in a browser on this machine."""
    host, port = listener.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 -- read, not bound
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def fail(message: str) -> int:
    """Print why serving is impossible; return the exit status."""
    say(message)
    return 1


def say(message: str) -> None:
    """Print a line for the operator."""
    sys.stderr.write(f"Attention Observatory: {message}\n")
