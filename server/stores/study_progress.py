"""How far studies under way have come: reported by their threads, read on the event loop."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from attention_core.pretrained.running.cancellation import Report


class Steps(NamedTuple):
    """Steps of one study."""

    done: int
    total: int


class StudyProgress:
    """The last report of every study under way, by its key."""

    def __init__(self) -> None:
        self._steps: dict[str, Steps] = {}

    def of(self, key: str) -> Steps | None:
        """None if the study is not under way, or has not reported yet."""
        return self._steps.get(key)

    @contextmanager
    def reporting(self, key: str) -> Iterator[Report]:
        """What a study calls between steps."""

        def report(done: int, total: int) -> None:
            self._steps[key] = Steps(done, total)

        try:
            yield report
        finally:
            self._steps.pop(key, None)
