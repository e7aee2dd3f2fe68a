"""Security headers of every response: what pages may load, and who may frame them."""

import base64
import hashlib
from collections.abc import Iterable

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..settings import Settings

OWN_FRAMES = frozenset({"'self'", "'none'"})
"""Values of ``frame_ancestors`` that do not let other sites embed the pages."""


def source_hash(content: str) -> str:
    """The CSP source of an inline script or style (CSP 3, §6.7.3.3); line ends as the HTML parser normalises them."""
    digest = hashlib.sha256(content.replace("\r\n", "\n").encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def headers(settings: Settings, inline: Iterable[str] = ()) -> dict[str, str]:
    """The headers by name; ``inline`` are the scripts that stand in pages themselves.

    Plotly sets styles on elements, hence ``'unsafe-inline'`` for styles; scripts are files of our own, and those
    inline, each named by its hash. Its PNG export goes through ``blob:`` and ``data:`` images.
    """
    policy = {
        "default-src": "'self'",
        "script-src": " ".join(["'self'", *map(source_hash, inline)]),
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "object-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'self'",
        "frame-ancestors": settings.frame_ancestors,
    }
    embeddable = settings.frame_ancestors not in OWN_FRAMES
    return {
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in policy.items()),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",  # the page's URL contains the analysed text
        "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "cross-origin" if embeddable else "same-origin",
    }


class SecurityHeaders:
    """The outermost ASGI middleware, so that errors and static files carry the headers too."""

    def __init__(self, app: ASGIApp, settings: Settings, inline: Iterable[str] = ()) -> None:
        self.app = app
        self.headers = headers(settings, inline)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and add the headers to the response."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self.headers)
            await send(message)

        await self.app(scope, receive, with_headers)
