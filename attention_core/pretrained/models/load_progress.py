"""Progress and cancellation of model loading, shared between threads."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

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

    ``cancelled`` is called at every step: between stages, and while fetching after every chunk (10 MB, or the rest of a
    file). Reading the weights of a large model is one step.
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

    def bar(self, **kwargs: Any) -> "_Bar":
        """A progress bar class for the Hub's client; only the bar of bytes on disk counts."""
        counts = kwargs.get("unit") == "B" and str(kwargs.get("desc", "")).startswith("Reconstructing")
        return _Bar(self if counts else None, kwargs.get("total") or 0)


class _Bar:
    """The part of tqdm's interface that ``snapshot_download`` uses."""

    def __init__(self, progress: LoadProgress | None, total: int) -> None:
        self._progress = progress
        self.total = total
        self.n = 0
        self.format_dict: dict[str, Any] = {}

    def __enter__(self) -> "_Bar":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def update(self, n: int | float | None = 1) -> None:
        """Advance by this many bytes."""
        self.n += int(n or 0)
        self.refresh()

    def refresh(self, *_: Any, **__: Any) -> None:
        """Report the current state."""
        if self._progress is not None:
            self._progress.fetched(self.n, self.total)

    def __getattr__(self, name: str) -> Callable[..., None]:
        """Ignore all other methods of a progress bar."""
        if name.startswith("__"):
            raise AttributeError(name)
        return _nothing


def _nothing(*_: Any, **__: Any) -> None:
    pass
