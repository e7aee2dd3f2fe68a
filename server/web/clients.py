"""Identify the client of a request by its address."""

from contextvars import ContextVar
from ipaddress import IPv6Address, ip_address, ip_network

from starlette.types import ASGIApp, Receive, Scope, Send

NOBODY = ""
"""The client of the server's own computations."""
IPV6_PREFIX = 64
"""One subscriber's addresses have this many bits in common."""

_asking: ContextVar[str] = ContextVar("asking", default=NOBODY)


def client() -> str:
    """The client of the current request."""
    return _asking.get()


def name(host: str) -> str:
    """A client name shared by all addresses of one subscriber (an IPv6 prefix)."""
    try:
        address = ip_address(host)
    except ValueError:  # a socket without an address, or a test
        return host
    if isinstance(address, IPv6Address) and address.ipv4_mapped is None:
        return str(ip_network((address, IPV6_PREFIX), strict=False))
    return str(getattr(address, "ipv4_mapped", None) or address)


class IdentifyClients:
    """ASGI middleware: make the client known to everything that handles the request."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle the request with its client set."""
        if scope["type"] == "http":
            _asking.set(name((scope.get("client") or (NOBODY,))[0]))
        await self.app(scope, receive, send)
