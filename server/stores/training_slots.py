"""The refusals of a training run for which there is no slot."""

from attention_core.refusal import Sentence
from ..web.errors import ApiError

RETRY_AFTER_S = 5


def no_slot(limit: int) -> ApiError:
    """The refusal of a run where this many are under way, which are as many as there may be."""
    full = Sentence("This server trains no networks (OBSERVATORY_TRAINING_RUNS).")
    if limit:
        full = Sentence(
            "All {limit} training slots are in use; try again in a moment (OBSERVATORY_TRAINING_RUNS).", limit
        )
    return ApiError(503, "server_busy", full, limit=limit, headers={"Retry-After": str(RETRY_AFTER_S)})


def share_taken(share: int) -> ApiError:
    """The refusal of a run where this client has as many under way as one may."""
    return ApiError(
        429,
        "too_many_requests",
        "You already train as many networks as one client may at once ({limit}); stop one, or wait until it has ended.",
        limit=share,
        headers={"Retry-After": str(RETRY_AFTER_S)},
    )
