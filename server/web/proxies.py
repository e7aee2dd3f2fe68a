"""Who asks, where proxies stand in between: an address that a trusted proxy has written, or nothing.

A proxy appends the address it was asked from to ``X-Forwarded-For``, so only what stands at the right of it was written
by a proxy; what stands further left came with the request, and says whatever its client likes.
"""

from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

ANY = "*"
SCHEMES = frozenset({"http", "https"})
MOST_HOPS = 32
"""Hops that are looked at; no request has come through more proxies."""


class Proxies:
    """Which addresses are those of proxies: what is named, addresses or networks.

    ``*`` is for proxies whose addresses are not known: every request then comes through ``hops`` of them. Raises
    ValueError for a name that is none of these.
    """

    def __init__(self, named: Iterable[str], hops: int = 1) -> None:
        names = tuple(named)
        self._hops = hops if ANY in names else None
        self._networks = [_network(name) for name in names if name != ANY]

    def __bool__(self) -> bool:
        return self._hops is not None or bool(self._networks)

    def __contains__(self, host: str) -> bool:
        """Whether this is the address of a proxy, behind which are many clients."""
        if self._hops is not None:
            return True
        address = address_in(host)
        return address is not None and any(address in network for network in self._networks)

    def client(self, forwarded: Sequence[str]) -> str | None:
        """The address of who asks, by what is forwarded, from left to right; None where no address stands there.

        With addresses of proxies: the first from the right that is none of theirs. With ``*``: the one that the
        outermost of the hops has written.
        """
        hops = forwarded[-MOST_HOPS:]
        if self._hops is not None:
            found = address_in(hops[-min(self._hops, len(hops))]) if hops else None
            return None if found is None else str(found)
        client = None
        for hop in reversed(hops):
            address = address_in(hop)
            if address is None:
                break
            client = str(address)
            if client not in self:
                break
        return client


class BehindProxies:
    """ASGI middleware: a request that a proxy passes on is its client's, and has the scheme that the client used."""

    def __init__(self, app: ASGIApp, proxies: Proxies) -> None:
        self.app = app
        self.proxies = proxies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle the request as its client's."""
        peer = (scope.get("client") or ("",))[0] if scope["type"] == "http" else ""
        if peer in self.proxies and scope["type"] == "http":
            headers = Headers(scope=scope)
            scheme = headers.get("x-forwarded-proto", "").strip().lower()
            hops = [hop for line in headers.getlist("x-forwarded-for") for hop in line.split(",")]
            client = self.proxies.client(hops)
            scope = {
                **scope,
                **({"scheme": scheme} if scheme in SCHEMES else {}),
                **({"client": (client, 0)} if client is not None else {}),
            }
        await self.app(scope, receive, send)


def address_in(text: str) -> IPv4Address | IPv6Address | None:
    """The address of ``192.0.2.1``, ``192.0.2.1:80``, ``2001:db8::1``, ``[2001:db8::1]:80``; None of anything else."""
    host = text.strip()
    if host.startswith("["):
        host = host[1:].partition("]")[0]
    elif host.count(":") == 1:
        host = host.partition(":")[0]
    try:
        address = ip_address(host)
    except ValueError:
        return None
    mapped = getattr(address, "ipv4_mapped", None)
    return address if mapped is None else mapped


def _network(name: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(name, strict=False)
    except ValueError:
        raise ValueError(
            f"trusted proxies must be addresses, networks such as 10.0.0.0/8, or *, not {name!r}"
        ) from None
