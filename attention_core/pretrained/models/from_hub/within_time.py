"""Wait for something that has no time limit of its own, such as a look-up of a name."""

import threading
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
LOOK_S = 0.1
"""Seconds between two looks at whether anybody waits still."""


def within(seconds: float, work: Callable[[], T], check: Callable[[], None] | None = None) -> T:
    """The result of ``work``, or TimeoutError: what takes longer is left to itself.

    ``check`` is called several times a second, and raises where nobody waits any more.
    """
    results: list[T] = []
    errors: list[Exception] = []

    def run() -> None:
        try:
            results.append(work())
        except Exception as error:  # noqa: BLE001 - raised again below, in the thread that asked
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    end = time.monotonic() + seconds
    while thread.is_alive() and (left := end - time.monotonic()) > 0:
        thread.join(left if check is None else min(left, LOOK_S))
        if check is not None:
            check()
    if errors:
        raise errors[0]
    if not results:
        raise TimeoutError(f"no answer within {seconds} s")
    return results[0]
