"""Whose is it? What somebody has started or uploaded is that person's to end; others can look at it.

Who starts something is given a secret, as a cookie of the browser (or sends one that a program made itself). Kept is
its hash, the owner's mark, with what was started. An address would not do: a lecture hall has one, and so has everybody
behind a proxy that is not trusted.

The cookie names no path, so it belongs to the addresses of the API alone, below whatever path a proxy offers them. In
frames of other sites browsers send only cookies that are made for it (``SameSite=None``, each site having its own), and
these only with TLS.
"""

import hashlib
import re
import secrets
from collections.abc import Collection
from contextvars import ContextVar
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..settings import Settings
from .errors import ApiError
from .security import OWN_FRAMES

COOKIE = "observatory_owner"
WELL_FORMED = re.compile(r"[A-Za-z0-9_-]{22,128}")
"""128 bits at least."""
SECRET_BYTES = 24
YEAR_S = 365 * 86_400
NOBODY = ""
"""The mark of the server itself, and of who has started nothing."""


@dataclass
class _Asking:
    """Who makes the current request."""

    secret: str = ""
    has_claimed: bool = False
    has_given_up: bool = False


_asking: ContextVar[_Asking | None] = ContextVar("owner", default=None)


def owner() -> str:
    """The mark of who asks."""
    asking = _asking.get()
    return NOBODY if asking is None else mark_of(asking.secret)


def claim() -> str:
    """The mark of who asks, for what is started now; who has no secret is given one with the answer."""
    asking = _asking.get()
    if asking is None:
        return NOBODY
    asking.secret = asking.secret or secrets.token_urlsafe(SECRET_BYTES)
    asking.has_claimed = True
    return mark_of(asking.secret)


def give_up() -> None:
    """Have the browser delete the secret; what was started with it stays its owner's, who is nobody from now on."""
    asking = _asking.get()
    if asking is not None:
        asking.has_given_up = True


def mark_of(secret: str) -> str:
    """What may be kept and compared; a secret of at least 128 bits cannot be found from it."""
    return hashlib.sha256(secret.encode()).hexdigest() if secret else NOBODY


def is_mine(owners: Collection[str]) -> bool:
    """Whether who asks is among these owners."""
    mine = owner()
    return mine != NOBODY and mine in owners


def may_end(owners: Collection[str], settings: Settings) -> bool:
    """Whether who asks may delete what is kept: where that is allowed, one's own, and what is nobody's."""
    return settings.allow_deletion and (not owners or is_mine(owners))


def check_mine(owners: Collection[str]) -> None:
    """Raise ApiError 403 unless who asks is among these owners."""
    if not is_mine(owners):
        raise ApiError(
            403,
            "not_yours",
            "Somebody else has started this: you can look at it, but only who started it can change or end it.",
        )


def check_may_end(owners: Collection[str], settings: Settings) -> None:
    """Raise ApiError 403 unless who asks may delete what is kept: see ``may_end``."""
    if owners:
        check_mine(owners)
    if not settings.allow_deletion:
        raise ApiError(
            403, "deletion_forbidden", "This server deletes nothing on request (OBSERVATORY_ALLOW_DELETION)."
        )


class IdentifyOwners:
    """ASGI middleware: read the secret that comes with a request, and send the one that was given to who had none."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self._is_framed = settings.frame_ancestors not in OWN_FRAMES

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle the request with its owner known."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        asking = _Asking(_secret_in(Headers(scope=scope).getlist("cookie")))
        _asking.set(asking)

        async def with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                is_secure = scope.get("scheme") == "https"
                is_partitioned = is_secure and self._is_framed
                cookies = [_cookie(asking.secret, YEAR_S, is_secure, is_partitioned)] if asking.has_claimed else []
                if asking.has_given_up:  # also that of a time before pages were framed, or since
                    cookies = [_cookie("", 0, is_secure, each) for each in {False, is_secure}]
                for cookie in cookies:
                    MutableHeaders(scope=message).append("Set-Cookie", cookie)
            await send(message)

        await self.app(scope, receive, with_cookie)


def _cookie(secret: str, seconds: int, is_secure: bool, is_partitioned: bool) -> str:
    parts = [f"{COOKIE}={secret}", f"Max-Age={seconds}", "HttpOnly"]
    if is_partitioned:
        parts += ["SameSite=None", "Secure", "Partitioned"]
    else:
        parts += ["SameSite=Strict", *(["Secure"] if is_secure else [])]
    return "; ".join(parts)


def _secret_in(headers: Collection[str]) -> str:
    """The first well-formed secret: browsers send that of the longest path first. Empty if there is none."""
    for header in headers:
        for part in header.split(";"):
            name, _, value = part.partition("=")
            if name.strip() == COOKIE and WELL_FORMED.fullmatch(value.strip()):
                return value.strip()
    return ""
