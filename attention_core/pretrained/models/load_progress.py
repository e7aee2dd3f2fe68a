"""Progress and cancellation of model loading, shared between threads."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from attention_core.pretrained.errors import Cancelled

LoadStage = Literal["waiting", "fetching", "checking", "reading", "trying"]
"""Waiting for its turn; downloading from the Hub; checking files and hashes; reading weights; a trial forward pass."""


@dataclass(frozen=True)
class LoadState:
    """A snapshot of the progress."""

    stage: LoadStage
    done_bytes: int = 0
    total_bytes: int = 0
    """0 if unknown. It grows while files are found on the Hub."""


class LoadProgress:
    """The progress of loading one model.

    ``cancelled`` is called at every step: between stages, and while fetching several times a second. Reading the
    weights of a large model is one step.
    """

    def __init__(self, cancelled: Callable[[], bool] | None = None) -> None:
        self._cancelled = cancelled
        self.state = LoadState("waiting")

    def enter(self, stage: LoadStage, total_bytes: int = 0) -> None:
        """Begin the next stage. Raises Cancelled if nobody needs the model any more."""
        self.check()
        self.state = LoadState(stage, 0, total_bytes)

    def check(self) -> None:
        """Raise Cancelled if nobody needs the model any more."""
        if self._cancelled is not None and self._cancelled():
            raise Cancelled("loading was cancelled")

    def fetched(self, done_bytes: int, total_bytes: int) -> None:
        """Record downloaded bytes. Raises Cancelled as ``check`` does."""
        self.state = LoadState("fetching", done_bytes, total_bytes)
        self.check()
