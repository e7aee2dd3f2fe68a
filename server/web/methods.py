"""HTTP methods: HEAD wherever GET is allowed, OPTIONS everywhere, 405 with ``Allow`` otherwise.

Among matching paths the one with the fewest placeholders counts: ``/api/analyses/image`` accepts only POST, although
``GET /api/analyses/{analysis_id}`` matches it too.
"""

from collections import defaultdict
from collections.abc import Iterable
from re import Pattern

from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .errors import ApiError, error_response


class Methods:
    """ASGI middleware that handles methods before anything else is checked."""

    def __init__(self, app: ASGIApp, routes: Iterable[BaseRoute]) -> None:
        self.app = app
        methods: dict[Pattern[str], set[str]] = defaultdict(set)
        placeholders: dict[Pattern[str], int] = {}
        for route in routes:
            if isinstance(route, Route):
                methods[route.path_regex] |= route.methods or set()
                placeholders[route.path_regex] = len(route.param_convertors)
        self._methods = [(path, methods[path]) for path in sorted(methods, key=lambda path: placeholders[path])]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer OPTIONS and refuse what is not allowed; pass the rest on, HEAD as GET."""
        allowed = self._allowed(scope["path"]) if scope["type"] == "http" else None
        if allowed is None:
            await self.app(scope, receive, send)
        elif scope["method"] == "OPTIONS":
            await Response(status_code=204, headers={"Allow": ", ".join(allowed)})(scope, receive, send)
        elif scope["method"] not in allowed:
            error = ApiError(405, "method_not_allowed", "Method Not Allowed.", headers={"Allow": ", ".join(allowed)})
            await error_response(error, scope)(scope, receive, send)
        elif scope["method"] == "HEAD":
            await self.app({**scope, "method": "GET"}, receive, _without_body(send))
        else:
            await self.app(scope, receive, send)

    def _allowed(self, path: str) -> list[str] | None:
        """The allowed methods of a path; None for an unknown path."""
        for pattern, methods in self._methods:
            if pattern.match(path):
                return sorted(methods | {"OPTIONS"} | ({"HEAD"} if "GET" in methods else set()))
        return None


def _without_body(send: Send) -> Send:
    """Send only the headers of a response; a streaming response ends with them."""
    ended = False

    async def head(message: Message) -> None:
        nonlocal ended
        if message["type"] == "http.response.start":
            await send(message)
        elif not ended:
            ended = True
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    return head
