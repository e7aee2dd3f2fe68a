"""Methods that wait, as coroutines of the same types: each runs in a thread, and the event loop runs on."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import Any, Concatenate, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")


def awaited(
    method: Callable[Concatenate[Any, P], R],
) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]:
    """The method of ``self._inner``, awaited. Arguments that it does not have are refused at once."""

    @functools.wraps(method)
    def call(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> Coroutine[Any, Any, R]:
        inspect.signature(method).bind(self, *args, **kwargs)
        return asyncio.to_thread(method, self._inner, *args, **kwargs)

    return call


def awaited_as(
    method: Callable[Concatenate[Any, P], R], wrap: Callable[[R], S]
) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, S]]:
    """The method, awaited, and what ``wrap`` makes of its result."""
    wait = awaited(method)

    @functools.wraps(method)
    def call(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> Coroutine[Any, Any, S]:
        return _wrapped(wait(self, *args, **kwargs), wrap)

    return call


def streamed(
    method: Callable[Concatenate[Any, P], Iterator[R]],
) -> Callable[Concatenate[Any, P], AsyncIterator[R]]:
    """The operation's events, iterated over by ``async for``."""

    @functools.wraps(method)
    def call(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[R]:
        inspect.signature(method).bind(self, *args, **kwargs)
        return _following(method(self._inner, *args, **kwargs))

    return call


async def _wrapped(result: Coroutine[Any, Any, R], wrap: Callable[[R], S]) -> S:
    return wrap(await result)


async def _following(events: Iterator[R]) -> AsyncIterator[R]:
    over = object()
    while (event := await asyncio.to_thread(next, events, over)) is not over:
        yield event  # type: ignore[misc]
