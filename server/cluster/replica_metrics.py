"""The metrics of all replicas in one answer, each sample with the labels ``deployment`` and ``replica``.

Each replica reports every few seconds what it counts; whoever asks for ``/metrics`` gets the newest report of each. A
replica that has died is left out after a while.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass

from fastapi import Response
from prometheus_client import generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Receive, Scope, Send

from ..web.monitoring import CONTENT_TYPE

logger = logging.getLogger(__name__)

REPORT_S = 5.0
FORGET_S = 30.0
"""Seconds after its last report until a replica is taken for dead."""
PATH = "/metrics"


@dataclass(frozen=True)
class _Report:
    at: float
    deployment: str
    text: str


class CollectedMetrics:
    """The newest report of every replica."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._reports: dict[str, _Report] = {}

    def report(self, deployment: str, replica: str, text: bytes) -> None:
        """Keep what a replica has counted, in Prometheus's text format."""
        self._reports[replica] = _Report(self._clock(), deployment, text.decode())

    def text(self) -> bytes:
        """All reports as one, in Prometheus's text format."""
        newest = self._clock() - FORGET_S
        self._reports = {replica: each for replica, each in self._reports.items() if each.at >= newest}
        return generate_latest(_Merged(self._reports))


class Metrics:
    """A deployment: what the replicas of the others have counted.

    It stands here, apart from them, so that its process loads neither torch nor the application.
    """

    def __init__(self) -> None:
        self._collected = CollectedMetrics()

    async def report(self, deployment: str, replica: str, text: bytes) -> None:
        """Keep a replica's metrics."""
        self._collected.report(deployment, replica, text)

    async def text(self) -> bytes:
        """Those of all."""
        return self._collected.text()


class _Merged(Collector):
    """Families of the same name become one, whose samples say where they are from."""

    def __init__(self, reports: Mapping[str, _Report]) -> None:
        self._reports = reports

    def collect(self) -> Iterable[Metric]:
        merged: dict[str, Metric] = {}
        for replica, report in sorted(self._reports.items()):
            where = {"deployment": report.deployment, "replica": replica}
            for family in text_string_to_metric_families(report.text):
                target = merged.setdefault(family.name, Metric(family.name, family.documentation, family.type))
                for sample in family.samples:
                    target.add_sample(sample.name, {**sample.labels, **where}, sample.value)
        return merged.values()


async def keep_reporting(
    read: Callable[[], Awaitable[bytes]], send: Callable[[bytes], Awaitable[None]], every_s: float = REPORT_S
) -> None:
    """Report again and again, until cancelled. A report that cannot be sent is left out."""
    while True:
        try:
            await send(await read())
        except Exception as error:  # noqa: BLE001 - whatever is wrong with who collects, this replica goes on
            logger.warning("metrics could not be reported: %s", error)
        await asyncio.sleep(every_s)


class AnswerMetrics:
    """ASGI middleware: ``/metrics`` is what all replicas have reported, this one included."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        read: Callable[[], Awaitable[bytes]],
        send: Callable[[bytes], Awaitable[None]],
        collected: Callable[[], Awaitable[bytes]],
    ) -> None:
        self.app = app
        self._read = read
        self._send = send
        self._collected = collected
        self._reporting: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or let ``app`` do so."""
        if self._reporting is None:
            self._reporting = asyncio.create_task(keep_reporting(self._read, self._send))
        path = scope.get("path", "").removeprefix(scope.get("root_path", ""))
        if scope["type"] != "http" or path != PATH or scope["method"] != "GET":
            await self.app(scope, receive, send)
            return
        await self._send(await self._read())
        answer = Response(await self._collected(), headers={"Content-Type": CONTENT_TYPE})
        await answer(scope, receive, send)
