"""Progress of what takes long: tqdm's bar where tqdm is installed, or a function of one's own."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

Progress = bool | Callable[[Any], object]
"""True: a bar, if tqdm is there; a function is called with each state; False: nothing."""


class Bar:
    """A bar that follows states."""

    def __init__(self, progress: Progress, what: str, *, unit: str) -> None:
        self._call = progress if callable(progress) else None
        self._bar = _tqdm(what, unit) if progress is True else None

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def show(self, state: Any, done: float, total: float | None, said: str = "") -> None:
        """Show a state: so much of so much is done."""
        if self._call is not None:
            self._call(state)
        if self._bar is not None:
            self._bar.total = total
            self._bar.n = done
            self._bar.set_postfix_str(said, refresh=False)
            self._bar.refresh()


def _tqdm(what: str, unit: str) -> Any:
    try:
        tqdm = importlib.import_module("tqdm.auto").tqdm
    except ImportError:
        return None
    return tqdm(desc=what, unit=unit, unit_scale=True)
