"""A small real reverse proxy that offers a server below a path, which it takes away, as nginx and JupyterHub do."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

HEAD_BYTES = 2**18


@dataclass
class Proxy:
    """The proxy, and what it was asked for."""

    address: str
    asked: list[tuple[str, int]] = field(default_factory=list)
    """Path and status of every request; 404 where it is outside."""


@contextmanager
def proxied(upstream: str, prefix: str) -> Iterator[Proxy]:
    """Offer the server below ``prefix`` until the block ends."""
    loop = asyncio.new_event_loop()
    proxy = Proxy("")
    tasks: set[asyncio.Task[None]] = set()  # the loop's own references are weak: a waiting one could be collected

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = loop.create_task(_serve(reader, writer, upstream, prefix, proxy))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    async def start() -> asyncio.Server:
        return await asyncio.start_server(accept, "127.0.0.1", 0, limit=HEAD_BYTES)

    thread = threading.Thread(target=loop.run_forever)  # Playwright runs a loop in the tests' own thread
    thread.start()
    server = asyncio.run_coroutine_threadsafe(start(), loop).result()
    proxy.address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}{prefix}"
    try:
        yield proxy
    finally:
        asyncio.run_coroutine_threadsafe(_close(server), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _close(server: asyncio.Server) -> None:
    server.close()
    await asyncio.sleep(0)  # connections that were just taken have their tasks now
    while others := asyncio.all_tasks() - {asyncio.current_task()}:
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)


async def _serve(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, upstream: str, prefix: str, proxy: Proxy
) -> None:
    """One request; the connection ends with its response."""
    with closing(writer), suppress(ConnectionError, asyncio.IncompleteReadError):
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        line, *headers = head.split("\r\n")[:-2]
        method, target, version = line.split(" ")
        if not target.startswith(f"{prefix}/"):
            proxy.asked.append((target, 404))
            writer.write(b"HTTP/1.1 404 Outside\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        else:
            place = urlsplit(upstream)
            back_reader, back = await asyncio.open_connection(place.hostname, place.port, limit=HEAD_BYTES)
            kept = [header for header in headers if not header.lower().startswith(("connection:", "x-forwarded"))]
            kept += ["Connection: close", "X-Forwarded-For: 127.0.0.1", "X-Forwarded-Proto: https"]
            line = f"{method} {target.removeprefix(prefix)} {version}"
            with closing(back):
                back.write("\r\n".join([line, *kept, "", ""]).encode("latin-1"))
                body = asyncio.ensure_future(_pipe(reader, back))
                answer = await back_reader.readuntil(b"\r\n\r\n")
                proxy.asked.append((target, int(answer.split(b" ", 2)[1])))
                writer.write(answer)
                await _pipe(back_reader, writer)
                body.cancel()


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(2**16):
            writer.write(data)
            await writer.drain()
