"""One scan: its state, how far it has come, and following it. Used on one event loop."""

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import ExitStack
from typing import Literal, get_args

from attention_core.atlas.worker import ScanOrder, ScanReport
from attention_core.refusal import Sentence
from .child_process import ChildProcess

State = Literal["waiting", "running", "finished", "cancelled", "failed"]
STATES: tuple[State, ...] = get_args(State)
OVER: frozenset[State] = frozenset({"finished", "cancelled", "failed"})


class Scan:
    """A scan of one corpus by one model, and how far it has come."""

    def __init__(self, model: str, corpus: str, order: ScanOrder, client: str, owners: Collection[str] = ()) -> None:
        self.id = order.out.name
        self.model = model
        self.corpus = corpus
        self.max_tokens = order.settings.max_tokens
        self.window_tokens = order.settings.window_tokens
        self.seed = order.settings.seed
        self.client = client
        self.owners = set(owners)
        """The marks of who has asked for it; none: the server itself, or somebody before it was started."""
        self.order = order
        self.state: State = "waiting"
        self.message: Sentence | None = None
        """Why it failed, or what it waits for."""
        self.report = ScanReport("waiting")
        self.process: ChildProcess[ScanOrder, ScanReport] | None = None
        self.held = ExitStack()
        """What is kept for it until it is over."""
        self._loop = asyncio.get_running_loop()
        self._begun: float | None = None
        self._ended: float | None = None
        self._changed = asyncio.Event()

    @property
    def is_over(self) -> bool:
        """Whether it has ended for good."""
        return self.state in OVER

    @property
    def seconds(self) -> float:
        """Since it began to run, until it ended."""
        until = self._loop.time() if self._ended is None else self._ended
        return 0.0 if self._begun is None else until - self._begun

    def enter(self, state: State, message: Sentence | None = None) -> None:
        """Enter a state and tell those who follow."""
        self.state, self.message = state, message
        if state == "running" and self._begun is None:
            self._begun = self._loop.time()
        if self.is_over:
            self._ended = self._loop.time()
            self.held.close()
        self._changed.set()
        self._changed = asyncio.Event()

    async def follow(self) -> AsyncIterator["Scan"]:
        """The scan, whenever it has changed; last when it is over."""
        while True:
            changed, is_last = self._changed, self.is_over
            yield self
            if is_last:
                return
            if changed is self._changed:
                await changed.wait()


def loading() -> Sentence:
    """What a scan waits for that has just begun."""
    return Sentence("The model is being loaded.")


def stopped() -> Sentence:
    """What is said of a scan that somebody has stopped, or the end of its server."""
    return Sentence("The scan was stopped. The same request goes on with it.")


def crashed() -> Sentence:
    """Why a scan has failed whose process is gone."""
    return Sentence("The process of the scan has ended unexpectedly. The same request goes on with it.")
