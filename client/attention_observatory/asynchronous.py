"""The client in coroutines."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Coroutine
from typing import Any

from attention_observatory.analysis import Analysis
from attention_observatory.api.async_operations import AsyncOperations
from attention_observatory.atlas import Atlas
from attention_observatory.observatory import Observatory
from attention_observatory.training import TrainingRun

RESULTS = (Analysis, Atlas, TrainingRun)
"""What has methods of its own that ask the server."""


class Awaited:
    """An object of the client whose methods are awaited: each runs in a thread, so that others may run meanwhile.

    What is no method, such as an analysis' ``tokens``, is there at once.
    """

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __repr__(self) -> str:
        return f"Awaited({self._inner!r})"

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._inner, name)
        return _coroutine(value) if callable(value) else value


class AsyncObservatory(Awaited):
    """An ``Observatory`` in coroutines: ``await observatory.analyse("…")``, then ``await analysis.weights(0, 1)``."""

    def __init__(
        self, url: str = "http://localhost:8000", *, timeout_s: float = 300.0, patience_s: float = 60.0
    ) -> None:
        inner = Observatory(url, timeout_s=timeout_s, patience_s=patience_s)
        super().__init__(inner)
        self.api = AsyncOperations(inner.api.connection)
        """Every operation of the API as a coroutine, typed."""


def _coroutine(method: Callable[..., Any]) -> Callable[..., Coroutine[Any, Any, Any]]:
    @functools.wraps(method)
    async def run(*args: Any, **options: Any) -> Any:
        return _wrapped(await asyncio.to_thread(method, *args, **options))

    return run


def _wrapped(value: Any) -> Any:
    if isinstance(value, RESULTS):
        return Awaited(value)
    return [_wrapped(each) for each in value] if isinstance(value, list) else value
