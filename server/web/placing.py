"""Where the application stands: under which path a proxy offers it, and for which names of hosts it answers.

Pages and scripts name everything relative to themselves, so that a proxy that takes its path away needs no setting.
Only what leaves the browser, such as an oEmbed answer, names the path (``OBSERVATORY_ROOT_PATH``); with it, a proxy may
also leave the path on.
"""

from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .errors import ApiError, error_response

LOOPBACK = ("localhost", "*.localhost", "127.0.0.1", "::1", "[::1]")
"""Always answered: health checks ask there, and no foreign page can make a browser name them."""
MOST_PATH = 2_048
"""Characters of an address' path; ours have at most some hundred."""
DEEPEST = 8
"""Slashes of a path from which a page names others relative to itself; no page of ours has as many."""
ROOT_PATH, VERDICT = "observatory.root_path", "observatory.host"
"""What the middleware below notes in a request's scope."""


def way_up(path: str) -> str:
    """What leads from a page at this path to the application's root, without a slash at its end."""
    return "/".join([".."] * (path.count("/") - 1)) or "."


def public_path(request: Request) -> str:
    """The path under which the application is offered, as far as it is known; no slash at its end."""
    return str(request.scope.get(ROOT_PATH, ""))


def root_from(request: Request) -> str:
    """What stands before the path of another page, without a slash at its end.

    From deep below, where no page is, it begins at the root: a page has many links, and each would be as long as the
    path is deep.
    """
    path = request.url.path
    return way_up(path) if path.count("/") <= DEEPEST else public_path(request)


def public_root(request: Request) -> str:
    """The address of the application as others see it, without a slash at its end."""
    return f"{request.url.scheme}://{request.url.netloc}{public_path(request)}"


def public_address(request: Request) -> str:
    """The address of this request as others see it."""
    query = f"?{request.url.query}" if request.url.query else ""
    return f"{public_root(request)}{request.url.path}{query}"


class UnderPath:
    """ASGI middleware: take away the path under which the application is offered; redirect relative to the request.

    The path is the setting, else the one that a server around this one names (ASGI's ``root_path``).
    """

    def __init__(self, app: ASGIApp, root_path: str) -> None:
        self.app = app
        self.root_path = root_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle the request as if it had come to the root of its host."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        path, root = scope["path"], self.root_path or scope.get("root_path", "").rstrip("/")
        if root and path == root:  # relative addresses need the slash
            await RedirectResponse(f"{root}/")(scope, receive, send)
            return
        if root and path.startswith(f"{root}/"):
            path = path.removeprefix(root)

        async def with_relative_location(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                target = urlsplit(headers.get("location", ""))
                if target.netloc:
                    inside = way_up(path) + target.path
                    headers["location"] = target._replace(scheme="", netloc="", path=inside).geturl()
            await send(message)

        inner = {**scope, "path": path, "root_path": "", ROOT_PATH: root}
        await self.app(inner, receive, with_relative_location)


class BoundedPaths:
    """ASGI middleware: refuse requests whose path is longer than any of ours can be."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on if its path is not too long."""
        if scope["type"] == "http" and len(scope["path"]) > MOST_PATH:
            error = ApiError(
                414, "path_too_long", "The address' path has more than {limit} characters.", limit=MOST_PATH
            )
            await error_response(error, scope)(scope, receive, send)
            return
        await self.app(scope, receive, send)


def is_loopback(host: str) -> bool:
    """Whether this address, which a server listens on, is reached from the same machine alone."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class AllowedHosts:
    """ASGI middleware: refuse requests that name another host, as a rebound domain does.

    A page whose own name is pointed at this machine is of one origin with what answers under that name, and could read
    everything here. ``listens_on`` is the address of a server that listens on one alone. Nothing listed: any name, but
    on the loopback the loopback's names alone, for there nobody else is in between.
    """

    def __init__(self, app: ASGIApp, hosts: tuple[str, ...], listens_on: str | None = None) -> None:
        self.app = app
        here = [listens_on] if listens_on is not None and is_loopback(listens_on) else []
        names = [*hosts, *here, *LOOPBACK] if hosts or here else ["*"]
        self.check = TrustedHostMiddleware(_allow, names, www_redirect=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on if its host may be named."""
        if scope["type"] == "http":
            verdict: list[bool] = []
            await self.check({**scope, VERDICT: verdict}, receive, _discard)
            if not verdict:
                error = ApiError(
                    400,
                    "host_not_allowed",
                    "This server does not answer under this name of a host (OBSERVATORY_ALLOWED_HOSTS).",
                )
                await error_response(error, scope)(scope, receive, send)
                return
        await self.app(scope, receive, send)


async def _allow(scope: Scope, _receive: Receive, _send: Send) -> None:
    scope[VERDICT].append(True)


async def _discard(_message: Message) -> None:
    """The check's own refusal; ours has the one shape."""
