"""One line on a terminal that shows how far a scan is; elsewhere, a line now and then."""

import sys
import time
from types import TracebackType

SECONDS = 10.0
"""Between two lines where lines cannot be overwritten."""
OVERWRITE_S = 0.2
"""Seconds between two states of a line that is overwritten."""


class ProgressLine:
    """Called with shards done, all shards, tokens done, and all tokens; see ``scan.Progress``."""

    def __init__(self) -> None:
        self._stream = sys.stderr
        self._overwrites = sys.stderr.isatty()
        self._first: tuple[float, int] | None = None
        self._said_at = float("-inf")

    def __enter__(self) -> "ProgressLine":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._overwrites and self._first is not None:
            self._stream.write("\n")

    def __call__(self, done: int, shards: int, tokens: int, planned: int) -> None:
        """Show it."""
        now = time.monotonic()
        if self._first is None:
            self._first = (now, tokens)
        if done < shards and now - self._said_at < (OVERWRITE_S if self._overwrites else SECONDS):
            return
        self._said_at = now
        line = progress_text(done, shards, tokens, planned, now - self._first[0], tokens - self._first[1])
        self._stream.write(f"\r\x1b[K{line}" if self._overwrites else f"{line}\n")
        self._stream.flush()


def progress_text(done: int, shards: int, tokens: int, planned: int, seconds: float, new_tokens: int) -> str:
    """How far it is, how fast, and how long it may take; ``new_tokens`` are those that the seconds were spent on."""
    parts = [f"{done} of {shards} shards", f"{tokens:,} of {planned:,} tokens"]
    if new_tokens and seconds > 0:
        left = round((planned - tokens) * seconds / new_tokens)
        parts += [f"{new_tokens / seconds:,.0f} tokens/s", f"{left // 60}:{left % 60:02d} left"]
    return ", ".join(parts)
