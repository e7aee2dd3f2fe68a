"""Cancel work that nobody is waiting for, and say how far it has come."""

from collections.abc import Callable

from attention_core.pretrained.errors import Cancelled

Report = Callable[[int, int], None]
"""Told how many steps are done, and of how many."""


def stopping(cancelled: Callable[[], bool] | None, what: str) -> Callable[[], None]:
    """A function to call between steps: raises Cancelled once ``cancelled`` returns true."""

    def check() -> None:
        if cancelled is not None and cancelled():
            raise Cancelled("the {what} was cancelled", what)

    return check
