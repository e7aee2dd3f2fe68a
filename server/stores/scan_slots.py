"""How many scans may wait, and the refusals of others."""

from ..web.errors import ApiError

MOST_WAITING = 16
CLIENT_SHARE = 12
"""Most of the waiting scans that one client may have."""
RETRY_AFTER_S = 10
HEADERS = {"Retry-After": str(RETRY_AFTER_S)}


def no_scans() -> ApiError:
    """The refusal where nothing is scanned."""
    return ApiError(503, "server_busy", "This server scans no corpora (OBSERVATORY_SCANS).", limit=0, headers=HEADERS)


def too_many_wait() -> ApiError:
    """The refusal where as many scans wait as there may be."""
    return ApiError(
        503,
        "server_busy",
        "Too many scans are waiting ({limit}); try again later (OBSERVATORY_SCANS run at once).",
        limit=MOST_WAITING,
        headers=HEADERS,
    )


def share_waits() -> ApiError:
    """The refusal where as many scans of this client wait as one may have."""
    return ApiError(
        429,
        "too_many_requests",
        "You already have as many scans waiting as one client may have ({limit}); try again later.",
        limit=CLIENT_SHARE,
        headers=HEADERS,
    )
