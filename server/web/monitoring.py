"""Prometheus metrics; each application has its own registry."""

import time
from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
"""Any other is counted as ``other``: labels are kept for ever, so clients must not choose them."""
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Monitoring:
    """The metrics."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "observatory_requests", "Answered requests.", ["method", "route", "status"], registry=self.registry
        )
        self.seconds = Histogram(
            "observatory_request_seconds", "Time until an answer was sent.", ["route"], registry=self.registry
        )
        self.under_way = Gauge("observatory_analyses_under_way", "Analyses that run or wait.", registry=self.registry)
        self.kept_bytes = Gauge("observatory_cache_bytes", "Bytes of finished analyses.", registry=self.registry)

    def watch(self, *, under_way: Callable[[], float], kept_bytes: Callable[[], float]) -> None:
        """Set the sources of gauges that are read on demand."""
        self.under_way.set_function(under_way)
        self.kept_bytes.set_function(kept_bytes)

    def text(self) -> bytes:
        """All metrics in Prometheus's text format."""
        return generate_latest(self.registry)


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
        status = 500

        async def watch(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        start = time.perf_counter()
        try:
            await self.app(scope, receive, watch)
        finally:
            route = getattr(scope.get("route"), "path", "unmatched")
            method = scope["method"] if scope["method"] in METHODS else "other"
            self.monitoring.requests.labels(method, route, status).inc()
            self.monitoring.seconds.labels(route).observe(time.perf_counter() - start)
