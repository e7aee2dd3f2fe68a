"""Download a snapshot from the Hugging Face Hub in a process of its own, which ends at once when nobody needs it.

The Hub's client looks up only between pieces, and waits for a silent server as long as its own time limits say; a
thread in it can neither be stopped nor left behind. So the process is ended from outside. What it has fetched stays in
the cache, where the next download of the same file goes on. It ends by itself where its parent has gone.

``python -m attention_core.pretrained.models.from_hub.download`` hears an order and says ``{"done": 5, "total": 9}`` as
bytes arrive, at last ``{"folder": …}``, ``{"failed": …}`` or ``{"too_much": …}``.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, cast

from attention_core.line_process import LineProcess, begin, end_with_parent, say
from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models.from_hub.download_room import discard_unfinished
from attention_core.pretrained.models.load_progress import LoadProgress
from attention_core.refusal import Sentence

MODULE = "attention_core.pretrained.models.from_hub.download"
"""This file, as the process runs it."""
LOOK_S = 0.1
"""Seconds between two looks at whether anybody needs it still, and between two reports."""
PIECE = 256 * 1024
"""Bytes after which the client reports; by itself it does after 10 MB."""

TOO_MUCH = Sentence("The Hugging Face Hub sent more of this model than it had said; the download was stopped.")

Report = Callable[[int, int], None]


class DownloadError(Exception):
    """A download that failed, by the names of the error's classes and what it said."""

    def __init__(self, kinds: Sequence[str], said: str) -> None:
        super().__init__(said)
        self.kinds = tuple(kinds)
        """Of the error in the process, its own class first."""


def download(progress: LoadProgress, *, offline: bool, most_bytes: int | None = None, **options: Any) -> Path:
    """The folder of a snapshot; the options are those of ``huggingface_hub.snapshot_download``, as JSON can say them.

    Raises Cancelled within a moment of ``progress`` being cancelled; OSError where the files cannot be written;
    ModelUnavailableError with the piece that goes beyond ``most_bytes``, or before it where the answer announces so
    much; what is not whole then goes. DownloadError for all else that the client raises.
    """
    progress.check()
    with closing(
        LineProcess("attention_core.pretrained.models.from_hub.download", HF_HUB_OFFLINE=str(int(offline)))
    ) as process:
        process.tell(options | {"most_bytes": most_bytes})
        while True:
            progress.check()
            try:
                said = process.hear(LOOK_S)
            except TimeoutError:
                continue
            except EOFError as error:
                raise DownloadError((), str(error)) from error
            if "folder" in said:
                return Path(said["folder"])
            if "too_much" in said:
                process.close()  # before it writes more
                discard_unfinished(Path(options["cache_dir"]), options["repo_id"])
                raise ModelUnavailableError(TOO_MUCH)
            if "failed" in said:
                _raise(**said["failed"])
            progress.fetched(said["done"], said["total"])


def _raise(kinds: Sequence[str], said: str, errno: int | None) -> None:
    raise DownloadError(kinds, said) if errno is None else OSError(errno, said)


# --- in the process -------------------------------------------------------------------------------------------------


def _main() -> None:
    begin()
    order = json.loads(sys.stdin.readline())
    end_with_parent()
    try:
        say({"folder": _fetch(order, lambda done, total: say({"done": done, "total": total}))})
    except Exception as error:  # noqa: BLE001 - whatever it is, the parent is told
        kinds = [kind.__name__ for kind in type(error).__mro__]
        say({"failed": {"kinds": kinds, "said": str(error), "errno": _errno(error)}})


def _errno(error: Exception) -> int | None:
    """The number of an error of the disk; None for all others, which the client derives from OSError, too."""
    if type(error).__module__ != "builtins" or isinstance(error, ConnectionError | TimeoutError):
        return None
    return error.errno if isinstance(error, OSError) else None


def _fetch(order: dict[str, Any], report: Report) -> str:
    from huggingface_hub import constants, snapshot_download  # noqa: PLC0415 - only in the process

    constants.DOWNLOAD_CHUNK_SIZE = PIECE
    most = order.pop("most_bytes", None)
    bar = cast(type[Any], lambda **about: _Bar(report, about, most))  # it is only ever called
    return str(snapshot_download(**order, tqdm_class=bar))


def _end_beyond(most: int) -> None:
    """End at once: the client fetches several files, and waits for all where one fails."""
    say({"too_much": most})
    os._exit(1)


class _Bar:
    """The part of tqdm's interface that ``snapshot_download`` uses. Only the bar of bytes on disk reports.

    Beyond ``most`` bytes, or where so many are announced, it ends the process.
    """

    def __init__(self, report: Report, about: dict[str, Any], most: int | None = None) -> None:
        counts = about.get("unit") == "B" and str(about.get("desc", "")).startswith("Reconstructing")
        self._report = report if counts else None
        self._most = most
        self._said_at = 0.0
        self._said_total = -1
        self.total = about.get("total") or 0
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
        """Report the current state now and then; the first, the last and one with another total always.

        A file that has been found may be silent for long: nothing would say its size later.
        """
        now = time.monotonic()
        if self._report is not None and self._most is not None and max(self.n, self.total) > self._most:
            _end_beyond(self._most)
        due = now - self._said_at >= LOOK_S or self.n >= self.total or self.total != self._said_total
        if self._report is not None and due:
            self._said_at, self._said_total = now, self.total
            self._report(self.n, self.total)

    def __getattr__(self, name: str) -> Callable[..., None]:
        """Ignore all other methods of a progress bar."""
        if name.startswith("__"):
            raise AttributeError(name)
        return _nothing


def _nothing(*_: Any, **__: Any) -> None:
    pass


if __name__ == "__main__":
    _main()
