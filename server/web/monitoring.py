"""Prometheus metrics; each application has its own registry."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    Info,
    PlatformCollector,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
"""Any other is counted as ``other``: labels are kept for ever, so clients must not choose them."""
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
EVENT_STREAM = "text/event-stream"
BUSY = ("server_busy", "too_many_requests", "timeout")
"""Reasons counted from 0, so that their first increase is seen."""
CUT = ("slow_headers", "slow_reader", "no_room")
"""Why connections are closed by the server."""
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
"""Seconds, from a page to an analysis of a book."""

# The time at which each was first counted would be as many series again, which nobody asks for.
disable_created_metrics()  # type: ignore[no-untyped-call]


@dataclass(frozen=True)
class Measures:
    """What the computations of one store report."""

    waited: Callable[[float], None]
    """Seconds in the queue."""
    computed: Callable[[float, str], None]
    """Seconds at work, and how it ended."""
    shared: Callable[[int], None]
    """Number of computations that share one run."""


class Monitoring:
    """The metrics. What is counted here may be counted from any thread."""

    def __init__(self, version: str = "") -> None:
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        PlatformCollector(registry=registry)
        GCCollector(registry=registry)
        Info("observatory_build", "The application.", registry=registry).info({"version": version})
        self.requests = Counter(
            "observatory_requests", "Answered requests.", ["method", "route", "status"], registry=registry
        )
        self.seconds = Histogram(
            "observatory_request_seconds",
            "Time until an answer was sent; streams of events aside.",
            ["route"],
            registry=registry,
            buckets=BUCKETS,
        )
        self.open = Gauge("observatory_requests_open", "Requests that are being answered.", registry=registry)
        self.streams = Gauge("observatory_streams_open", "Streams of events.", ["route"], registry=registry)
        self.connections = Gauge("observatory_connections_open", "Connections, idle ones included.", registry=registry)
        self.answers = Gauge(
            "observatory_answers_bytes", "Bytes of answers that clients have yet to read.", registry=registry
        )
        self.cut = Counter(
            "observatory_connections_closed",
            "Connections closed by the server before their time, by why.",
            ["reason"],
            registry=registry,
        )
        for reason in CUT:
            self.cut.labels(reason)
        self.refused = Counter(
            "observatory_refused_requests",
            "Requests answered with an error, by its code.",
            ["reason"],
            registry=registry,
        )
        for reason in BUSY:
            self.refused.labels(reason)
        self._waits = Histogram(
            "observatory_computation_wait_seconds",
            "Time in the queue of a store.",
            ["store"],
            registry=registry,
            buckets=BUCKETS,
        )
        self._computations = Histogram(
            "observatory_computation_seconds",
            "Time of a computation by a store's worker: done, refused, failed or cancelled.",
            ["store", "outcome"],
            registry=registry,
            buckets=BUCKETS,
        )
        self._shared = Counter(
            "observatory_computations_shared",
            "Computations that shared one run of a store's worker.",
            ["store"],
            registry=registry,
        )
        self._loads = Histogram(
            "observatory_model_load_seconds",
            "Time of loading a model that was not in memory: loaded, failed or cancelled.",
            ["outcome"],
            registry=registry,
            buckets=BUCKETS,
        )
        for outcome in ("loaded", "failed", "cancelled"):
            self._loads.labels(outcome)
        self._on_loop: tuple[Collector, ...] = ()

    def computations(self, store: str) -> Measures:
        """What this store is to report to."""
        computed = self._computations
        computed.labels(store, "done")
        return Measures(
            waited=self._waits.labels(store).observe,
            computed=lambda seconds, outcome: computed.labels(store, outcome).observe(seconds),
            shared=self._shared.labels(store).inc,
        )

    def loaded(self, seconds: float, outcome: str) -> None:
        """Count a model that was loaded, or was not."""
        self._loads.labels(outcome).observe(seconds)

    def watch(self, *collectors: Collector) -> None:
        """Read these on the event loop whenever the metrics are asked for, and none that was named before."""
        self._on_loop = collectors

    async def text(self) -> bytes:
        """All metrics in Prometheus's text format. Only what belongs to the event loop is read on it."""
        read = _Read([metric for collector in self._on_loop for metric in collector.collect()], self.registry)
        return await run_in_threadpool(generate_latest, read)


class _Read(CollectorRegistry):
    """What has been read, then what a registry has."""

    def __init__(self, metrics: list[Metric], registry: CollectorRegistry) -> None:
        super().__init__()
        self._metrics = metrics
        self._registry = registry

    def collect(self) -> Iterable[Metric]:
        yield from self._metrics
        yield from self._registry.collect()


class CountRequests:
    """ASGI middleware: count and time requests by route pattern, not by path."""

    def __init__(self, app: ASGIApp, monitoring: Monitoring) -> None:
        self.app = app
        self.monitoring = monitoring

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle the request and count it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        monitoring, status, stream = self.monitoring, 500, None

        async def watch(message: Message) -> None:
            nonlocal status, stream
            if message["type"] == "http.response.start":
                status = message["status"]
                if Headers(raw=list(message["headers"])).get("content-type", "").startswith(EVENT_STREAM):
                    stream = monitoring.streams.labels(route_of(scope))
                    stream.inc()
            await send(message)

        start = time.perf_counter()
        monitoring.open.inc()
        try:
            await self.app(scope, receive, watch)
        finally:
            monitoring.open.dec()
            route = route_of(scope)
            monitoring.requests.labels(method_of(scope), route, status).inc()
            if stream is not None:
                stream.dec()
            else:
                monitoring.seconds.labels(route).observe(time.perf_counter() - start)
            if (reason := reason_of(scope)) is not None:
                monitoring.refused.labels(reason).inc()


def route_of(scope: Scope) -> str:
    """The pattern of the route that answers; a path may hold anything."""
    return getattr(scope.get("route"), "path", "unmatched")


def method_of(scope: Scope) -> str:
    """The method, if it is one."""
    return scope["method"] if scope["method"] in METHODS else "other"


def refuse(scope: Scope, code: str) -> None:
    """Note the code of the error with which a request is answered."""
    scope.setdefault("state", {})["refused"] = code


def reason_of(scope: Scope) -> str | None:
    """The code of the error with which the request was answered."""
    return scope.get("state", {}).get("refused")
