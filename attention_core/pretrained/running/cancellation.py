"""Stopping work that nobody waits for any more."""

from collections.abc import Callable

from attention_core.pretrained.errors import Cancelled


def stopping(cancelled: Callable[[], bool] | None, what: str) -> Callable[[], None]:
    """A call to make between steps: raises Cancelled once ``cancelled`` says yes."""

    def check() -> None:
        if cancelled is not None and cancelled():
            raise Cancelled("the {what} was cancelled", what)

    return check
