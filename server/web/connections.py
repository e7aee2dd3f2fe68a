"""Bound connections: how many are open, from whom, and how long one may take to say what it wants.

A connection holds a descriptor from its first packet to its end, whether or not it ever becomes a request. So each has
deadlines (headers that do not arrive, a body that nobody waits for any more, an answer that is not read), and each
client a share. Where there is no room, connections that are not being answered leave first: those of the client that
wants another one, or of the one that has most.
"""

import asyncio
from collections import OrderedDict, defaultdict
from typing import Any, Protocol

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from ..settings import Settings
from . import clients, descriptors
from .errors import ApiError, error_response
from .monitoring import Monitoring
from .proxies import BehindProxies, Proxies

READ_BYTES = 8 * 1024
"""Bytes read from a connection at once: a body in one-byte chunks is parsed chunk by chunk."""
SLOWEST = 32 * 1024
"""Minimum bytes per second of a body or an answer after the first seconds (``body_timeout_s``)."""
BACKLOG = 64
"""Connections that the system keeps until they are accepted: as many may be accepted before one is counted."""
RESERVED = 192
"""Descriptors kept for files, models, child processes and what is being accepted; of few, half."""


class Held(Protocol):
    """An open connection, as the account sees it."""

    @property
    def is_answering(self) -> bool:
        """Whether a request has arrived whose answer is not complete."""

    def cut(self, reason: str) -> None:
        """Close at once."""


class Connections:
    """The account of open connections. Belongs to the event loop."""

    def __init__(self, most: int, per_client: int) -> None:
        self.most = most
        self.per_client = per_client
        self._by_client: defaultdict[str, OrderedDict[Held, None]] = defaultdict(OrderedDict)
        """Each client's, the one that was idle longest first."""
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def enter(self, connection: Held, client: str, *, is_shared: bool = False) -> ApiError | None:
        """Count a new connection; the refusal if there is no room. ``is_shared``: a proxy's, which many clients use."""
        refusal = None
        if not is_shared and len(self._by_client[client]) >= self.per_client and not self._spare(client):
            refusal = ApiError(
                429,
                "too_many_requests",
                "This client has more than {count} connections open (OBSERVATORY_CLIENT_CONNECTIONS).",
                self.per_client,
                limit=self.per_client,
                headers={"Retry-After": "1"},
            )
        elif self._count >= self.most and not any(map(self._spare, self._largest_first())):
            refusal = ApiError(
                503,
                "server_busy",
                "The server has as many connections open as it can; try again soon.",
                limit=self.most,
                headers={"Retry-After": "1"},
            )
        self._by_client[client][connection] = None
        self._count += 1
        return refusal

    def used(self, connection: Held, client: str) -> None:
        """Note that a connection has just been of use: others of its client are closed before it."""
        if connection in self._by_client[client]:
            self._by_client[client].move_to_end(connection)

    def leave(self, connection: Held, client: str) -> None:
        """Forget a connection that has ended. Does nothing the second time."""
        if connection in self._by_client[client]:
            del self._by_client[client][connection]
            self._count -= 1
        if not self._by_client[client]:
            del self._by_client[client]

    def _largest_first(self) -> list[str]:
        return sorted(self._by_client, key=lambda client: -len(self._by_client[client]))

    def _spare(self, client: str) -> bool:
        """Close one of this client's connections that is not being answered; whether there was one."""
        idle = next((each for each in self._by_client[client] if not each.is_answering), None)
        if idle is not None:
            idle.cut("no_room")
            self.leave(idle, client)
        return idle is not None


class BoundedConfig(uvicorn.Config):
    """uvicorn's configuration, with the limits of connections."""

    def __init__(
        self, app: Any, settings: Settings, monitoring: Monitoring, *, proxies: Proxies, **options: Any
    ) -> None:
        super().__init__(
            BehindProxies(app, proxies),
            http=BoundedConnection,
            backlog=BACKLOG,
            ws="none",
            proxy_headers=False,
            **options,
        )
        self.proxies = proxies
        allowed = descriptors.limit()
        most = allowed - min(RESERVED, allowed // 2)
        self.account = Connections(most, min(most, settings.client_connections or max(1, most // 2)))
        self.settings = settings
        self.monitoring = monitoring
        monitoring.connections.set_function(lambda: len(self.account))


class BoundedConnection(H11Protocol):
    """HTTP/1.1 with small reads and with deadlines for what a client has to do."""

    config: BoundedConfig

    def __init__(
        self, config: BoundedConfig, server_state: ServerState, app_state: dict[str, Any], **also: Any
    ) -> None:
        super().__init__(config, server_state, app_state, **also)
        self._host = clients.NOBODY
        self._arriving: asyncio.TimerHandle | None = None
        """Until when headers must have arrived."""
        self._reading: asyncio.TimerHandle | None = None
        """Until when the client must have read what was sent."""

    @property
    def is_answering(self) -> bool:
        """Whether a request has arrived whose answer is not complete."""
        return self.cycle is not None and not self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count the connection; the first headers are due."""
        transport.max_size = READ_BYTES  # type: ignore[attr-defined]  # how much asyncio reads before other tasks run
        super().connection_made(transport)
        host = self.client[0] if self.client else clients.NOBODY
        self._host = clients.name(host)
        refusal = self.config.account.enter(self, self._host, is_shared=not host or host in self.config.proxies)
        if refusal is not None:
            self._refuse(refusal, "no_room")
            return
        self._expect_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        """Give its place back."""
        self.config.account.leave(self, self._host)
        self._arriving = _stopped(self._arriving)
        self._reading = _stopped(self._reading)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse, unless the connection is being closed. Headers are due from their first byte on."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self.is_answering:
            self._arriving = _stopped(self._arriving)
            self.config.account.used(self, self._host)
        elif self._arriving is None and not self.transport.is_closing():
            self._expect_headers()

    def on_response_complete(self) -> None:
        """Between two requests uvicorn waits for the next; what was sent has still to be read."""
        super().on_response_complete()
        if self.transport.get_write_buffer_size():
            self._expect_reading()

    def pause_writing(self) -> None:
        """More has been sent than the client has read."""
        super().pause_writing()
        self._expect_reading()

    def resume_writing(self) -> None:
        """The client reads on."""
        super().resume_writing()
        self._reading = _stopped(self._reading)

    def cut(self, reason: str) -> None:
        """Close at once, whatever is still to be sent."""
        self.config.monitoring.cut.labels(reason).inc()
        self.transport.abort()

    def _expect_headers(self) -> None:
        self._arriving = self.loop.call_later(self.config.settings.header_timeout_s, self._headers_are_late)

    def _headers_are_late(self) -> None:
        """Tell the client if it can still be told. A body that is discarded after its answer has had its time, too."""
        patience = self.config.settings.header_timeout_s
        self._refuse(
            ApiError(
                408,
                "timeout",
                "The request's headers did not arrive within {patience} seconds (OBSERVATORY_HEADER_TIMEOUT_S).",
                f"{patience:g}",
                limit=patience,
            ),
            "slow_headers",
        )

    def _expect_reading(self) -> None:
        if self._reading is None:
            waiting = self.transport.get_write_buffer_size()
            patience = self.config.settings.body_timeout_s + waiting / SLOWEST
            self._reading = self.loop.call_later(patience, self._reading_is_late)

    def _reading_is_late(self) -> None:
        self._reading = None
        if self.flow.write_paused or (not self.is_answering and self.transport.get_write_buffer_size()):
            self.cut("slow_reader")

    def _refuse(self, error: ApiError, reason: str) -> None:
        """Answer with this error if nothing has been answered yet, and close without waiting for it to be read."""
        if self.transport.is_closing():
            return
        if self.conn.our_state is h11.IDLE:
            self.config.monitoring.refused.labels(error.code).inc()
            response = error_response(error, {"type": "http"})
            headers = [*response.raw_headers, (b"connection", b"close")]
            self._send(h11.Response(status_code=error.status, headers=headers))
            self._send(h11.Data(data=bytes(response.body)))
            self._send(h11.EndOfMessage())
        self.config.monitoring.cut.labels(reason).inc()
        self.transport.close()
        self.loop.call_soon(self.transport.abort)  # what fits into the socket's buffer has been sent

    def _send(self, event: h11.Event) -> None:
        if (output := self.conn.send(event)) is not None:
            self.transport.write(output)


def _stopped(timer: asyncio.TimerHandle | None) -> asyncio.TimerHandle | None:
    """What is left of a timer that may be running: nothing."""
    if timer is not None:
        timer.cancel()
    return None
