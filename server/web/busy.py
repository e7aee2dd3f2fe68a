"""Refusals of a server that has enough to do already: for everybody, or for one client."""

from .errors import ApiError

RETRY_AFTER_S = 2


def server_busy(limit: int) -> ApiError:
    """503: as much is under way as may be, whoever asks."""
    return ApiError(
        503, "server_busy", "The server is busy; try again in a moment.", limit=limit, headers=retry_later()
    )


def too_many_requests(limit: int) -> ApiError:
    """429: this client has as much waiting as one client may have."""
    return ApiError(
        429,
        "too_many_requests",
        "You already have as many requests waiting as one client may have; try again in a moment.",
        limit=limit,
        headers=retry_later(),
    )


def retry_later() -> dict[str, str]:
    """The header that says when to ask again."""
    return {"Retry-After": str(RETRY_AFTER_S)}
