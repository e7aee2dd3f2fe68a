"""Security headers of every response: what pages may load, and who may frame them."""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.settings import Settings

OWN_FRAMES = frozenset({"'self'", "'none'"})
"""Values of ``frame_ancestors`` that do not let other sites embed the pages."""


def headers(settings: Settings) -> dict[str, str]:
    """The headers by name.

    Plotly sets styles on elements, hence ``'unsafe-inline'`` for styles; scripts are files of our own, without
    exception. Its PNG export goes through ``blob:`` and ``data:`` images.
    """
    policy = {
        "default-src": "'self'",
        "script-src": "'self'",
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

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self.headers = headers(settings)

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
