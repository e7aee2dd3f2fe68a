"""How the server listens."""

import asyncio
import socket

from server.__main__ import listen


def test_answers_are_sent_at_once():
    """Headers and body are two writes; without TCP_NODELAY the second waits for the other side's delayed ACK (40 ms)."""

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
