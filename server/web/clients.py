"""Who asks: the other end of the connection, so that one client's requests can be told from another's."""

from contextvars import ContextVar
from ipaddress import IPv6Address, ip_address, ip_network

from starlette.types import ASGIApp, Receive, Scope, Send

NOBODY = ""
"""Asks for what the server wants for itself."""
IPV6_PREFIX = 64
"""One subscriber's addresses have this many bits in common."""

_asking: ContextVar[str] = ContextVar("asking", default=NOBODY)


def client() -> str:
    """Who sent the request that is being answered."""
    return _asking.get()


def name(host: str) -> str:
    """The same for all addresses that one subscriber chooses from at will."""
    try:
        address = ip_address(host)
    except ValueError:  # a socket without an address, a test
        return host
    if isinstance(address, IPv6Address) and address.ipv4_mapped is None:
        return str(ip_network((address, IPV6_PREFIX), strict=False))
    return str(getattr(address, "ipv4_mapped", None) or address)


class IdentifyClients:
    """ASGI middleware: whatever is done for a request knows whose it is."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on in its sender's name."""
        if scope["type"] == "http":
            _asking.set(name((scope.get("client") or (NOBODY,))[0]))
        await self.app(scope, receive, send)
