"""A proxy that makes the loopback interface as slow as a real network.

Every connection costs a round trip, every byte arrives half a round trip after it was sent, and all connections share
one bandwidth in each direction.
"""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

CHUNK = 16 * 1024


@dataclass(frozen=True)
class Network:
    """How slow it is."""

    round_trip_ms: float
    mbit_per_s: float

    def __str__(self) -> str:
        return f"{self.round_trip_ms:g} ms, {self.mbit_per_s:g} Mbit/s"


GOOD = Network(40, 20)
POOR = Network(100, 5)


@contextmanager
def slowed(address: str, network: Network) -> Iterator[str]:
    """The address through which a server at `address` seems to be behind this network, until the block ends."""
    target = urlsplit(address)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    proxy = _Proxy(target.hostname or "127.0.0.1", target.port or 80, network)
    server = asyncio.run_coroutine_threadsafe(asyncio.start_server(proxy.accept, "127.0.0.1", 0), loop).result()
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        asyncio.run_coroutine_threadsafe(_close(server), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _close(server: asyncio.Server) -> None:
    server.close()
    waiting = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)


class _Direction:
    """One direction of the link; bytes queue until it is free."""

    def __init__(self, network: Network) -> None:
        self._delay = network.round_trip_ms / 2000
        self._bytes_per_s = network.mbit_per_s * 1e6 / 8
        self._free_at = 0.0

    def arrival(self, size: int) -> float:
        """When so many bytes, sent now, have arrived."""
        now = asyncio.get_running_loop().time()
        self._free_at = max(now, self._free_at) + size / self._bytes_per_s
        return self._free_at + self._delay


class _Proxy:
    def __init__(self, host: str, port: int, network: Network) -> None:
        self._host, self._port = host, port
        self._round_trip = network.round_trip_ms / 1000
        self._up, self._down = _Direction(network), _Direction(network)

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry one connection in both directions."""
        await asyncio.sleep(self._round_trip)
        far_reader, far_writer = await asyncio.open_connection(self._host, self._port)
        try:
            await asyncio.gather(_carry(reader, far_writer, self._up), _carry(far_reader, writer, self._down))
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            for each in (writer, far_writer):
                each.close()
                with suppress(Exception):
                    await each.wait_closed()


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, direction: _Direction) -> None:
    """Move bytes until their source ends; each waits for its arrival."""
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

    async def deliver() -> None:
        while True:
            due, data = await queue.get()
            await asyncio.sleep(due - loop.time())
            if not data:
                break
            writer.write(data)
            await writer.drain()
        with suppress(OSError, RuntimeError):
            writer.write_eof()

    delivery = asyncio.create_task(deliver())
    while data := await reader.read(CHUNK):
        queue.put_nowait((direction.arrival(len(data)), data))
    queue.put_nowait((direction.arrival(0), b""))
    await delivery
