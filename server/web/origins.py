"""Let only our own pages, and programs that are no pages, make a browser's requests that change anything.

A page elsewhere can have a browser send us a POST without being able to read the answer. The browser then says where
the request comes from: ``Sec-Fetch-Site``, or, where it leaves that out (old browsers, and any on a page without TLS),
``Origin``. Scripts, notebooks and curl send neither, and nobody can lend them a reader's browser.

What is asked with GET, HEAD or OPTIONS changes nothing, here as in any application.
"""

from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from .errors import ApiError, error_response

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that change nothing (RFC 9110, section 9.2.1)."""
OURS = frozenset({"same-origin", "none"})
"""Values of ``Sec-Fetch-Site`` of our own pages, and of what the reader asked for; a sibling site is another's."""
PORTS = {"http": 80, "https": 443}

Place = tuple[str, int]
"""A host's name in small letters, and a port."""


class OwnPages:
    """ASGI middleware: refuse requests that a page of another site makes, unless they change nothing.

    ``hosts`` are the names under which the operator says that we answer: a proxy may name another one to us. A pattern
    such as ``*.example.org`` does not count, since others may be at home there.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str]) -> None:
        self.app = app
        self.hosts = frozenset(host.lower().strip("[]") for host in hosts if "*" not in host)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on if it may change something."""
        if scope["type"] != "http" or scope["method"] in SAFE or self._is_ours(Headers(scope=scope)):
            await self.app(scope, receive, send)
            return
        error = ApiError(
            403,
            "cross_site",
            "A page of another site asked for this. Only this server's own pages may, and programs that are no pages.",
        )
        await error_response(error, scope)(scope, receive, send)

    def _is_ours(self, headers: Headers) -> bool:
        site = headers.get("sec-fetch-site")
        if site is not None:
            return site.strip().lower() in OURS
        origin = headers.get("origin")
        return origin is None or self._is_own_origin(origin.strip(), headers)

    def _is_own_origin(self, origin: str, headers: Headers) -> bool:
        """Whether an origin, which names its port unless it is its scheme's, is the host that was asked.

        No page can set ``X-Forwarded-Host``, so whoever does is a proxy.
        """
        scheme = origin.partition(":")[0].lower()
        if scheme not in PORTS:  # "null": a sandboxed frame, a file
            return False
        usual = PORTS[scheme]
        asked = {headers.get("host", ""), headers.get("x-forwarded-host", "").partition(",")[0]}
        places = {place for each in asked if (place := _place(each.strip(), usual)) is not None}
        from_there = _place(origin.partition("://")[2], usual)
        if from_there is None:
            return False
        host, port = from_there
        return from_there in places or (host in self.hosts and port in {usual, *(port for _, port in places)})


def _place(authority: str, usual: int) -> Place | None:
    """Host and port; None if this is not a host with or without a port."""
    try:
        parts = urlsplit(f"//{authority}")
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if not host or parts.netloc != authority or parts.username is not None:
        return None
    return host, usual if port is None else port
