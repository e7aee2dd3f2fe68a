"""The client in coroutines: its methods with the same parameters, each in a thread, so that others run meanwhile."""

from __future__ import annotations

import asyncio
from typing import Any, Generic, TypeVar

from attention_observatory.analysis import Analysis
from attention_observatory.api.async_operations import AsyncOperations
from attention_observatory.atlas import Atlas
from attention_observatory.awaiting import awaited, awaited_as
from attention_observatory.observatory import Observatory
from attention_observatory.progress import Progress
from attention_observatory.training import TrainingRun

Inner = TypeVar("Inner", Observatory, Analysis, Atlas, TrainingRun)


class Awaited(Generic[Inner]):
    """An object of the client whose methods are awaited. What is no method, such as ``tokens``, is there at once."""

    def __init__(self, inner: Inner) -> None:
        self._inner: Inner = inner
        self.api = AsyncOperations(inner.api.connection)
        """Every operation of the API as a coroutine, typed."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._inner!r})"


class AsyncAnalysis(Awaited[Analysis]):
    """An ``Analysis`` in coroutines: ``await analysis.weights(0, 1)``."""

    @property
    def id(self) -> str:
        """See ``Analysis``, as for all that follows."""
        return self._inner.id

    @property
    def answer(self) -> dict[str, Any]:
        """The whole answer, as the API documents it."""
        return self._inner.answer

    @property
    def tokens(self) -> list[str]:
        """The texts of the tokens; those of the source if there are two texts."""
        return self._inner.tokens

    @property
    def target_tokens(self) -> list[str] | None:
        """The texts of the target's tokens; None for a single text."""
        return self._inner.target_tokens

    @property
    def warnings(self) -> list[str]:
        """Caveats to read before trusting the numbers."""
        return self._inner.warnings

    @property
    def metrics(self) -> dict[str, Any]:
        """By name, (layers, heads) of the first part."""
        return self._inner.metrics

    weights = awaited(Analysis.weights)
    all_weights = awaited(Analysis.all_weights)
    frame = awaited(Analysis.frame)
    code = awaited(Analysis.code)
    distribution = awaited(Analysis.distribution)
    figure = awaited(Analysis.figure)
    url = awaited(Analysis.url)
    show = awaited(Analysis.show)
    saved = awaited(Analysis.saved)
    save_html = awaited(Analysis.save_html)
    save = awaited(Analysis.save)
    attribution = awaited(Analysis.attribution)
    logit_lens = awaited(Analysis.logit_lens)
    direct_effect = awaited(Analysis.direct_effect)
    output = awaited(Analysis.output)
    plane = awaited(Analysis.plane)
    rollout = awaited(Analysis.rollout)
    rollout_layers = awaited(Analysis.rollout_layers)
    flow = awaited(Analysis.flow)
    information_flow = awaited(Analysis.information_flow)
    vectors = awaited(Analysis.vectors)
    token = awaited(Analysis.token)

    async def difference(self, other: AsyncAnalysis | Analysis | str, **parameters: Any) -> dict[str, Any]:
        """Another analysis' weights minus these, one head's matrix and the largest change in each head."""
        return await asyncio.to_thread(self._inner.difference, _plain(other), **parameters)

    async def prediction_difference(self, other: AsyncAnalysis | Analysis | str) -> dict[str, Any]:
        """What both predict, candidate by candidate."""
        return await asyncio.to_thread(self._inner.prediction_difference, _plain(other))


class AsyncAtlas(Awaited[Atlas]):
    """An ``Atlas`` in coroutines: ``await atlas.portrait(2, 5)``."""

    @property
    def id(self) -> str:
        """A hash of model, corpus and settings: the same on every server."""
        return self._inner.id

    @property
    def facts(self) -> dict[str, Any]:
        """What was scanned, and how, as returned by the API."""
        return self._inner.facts

    heads = awaited(Atlas.heads)
    portrait = awaited(Atlas.portrait)
    relations = awaited(Atlas.relations)
    search = awaited(Atlas.search)
    figure = awaited(Atlas.figure)
    save = awaited(Atlas.save)

    async def comparison(self, other: AsyncAtlas | Atlas) -> dict[str, Any]:
        """Which heads do something else in another atlas of the same heads, those that moved most first."""
        plain = other._inner if isinstance(other, AsyncAtlas) else other
        return await asyncio.to_thread(self._inner.comparison, plain)


class AsyncTrainingRun(Awaited[TrainingRun]):
    """A ``TrainingRun`` in coroutines: ``await run.follow()``."""

    @property
    def id(self) -> str:
        """The run's id."""
        return self._inner.id

    @property
    def answer(self) -> dict[str, Any]:
        """The run as the API answered when it began."""
        return self._inner.answer

    @property
    def state(self) -> dict[str, Any]:
        """How far it is, as far as it was followed."""
        return self._inner.state

    @property
    def updates(self) -> list[dict[str, Any]]:
        """What was recorded so far: ``step``, ``loss``, ``scores`` and ``maps`` of every head."""
        return self._inner.updates

    frame = awaited(TrainingRun.frame)
    figure = awaited(TrainingRun.figure)
    command = awaited(TrainingRun.command)
    publish = awaited(TrainingRun.publish)
    save = awaited(TrainingRun.save)
    delete = awaited(TrainingRun.delete)

    async def follow(self, *, progress: Progress = True) -> AsyncTrainingRun:
        """Wait until the run is over. Raises ObservatoryError if it failed."""
        await asyncio.to_thread(self._inner.follow, progress=progress)
        return self


class AsyncObservatory(Awaited[Observatory]):
    """An ``Observatory`` in coroutines: ``await observatory.analyse("…")``, then ``await analysis.weights(0, 1)``."""

    def __init__(
        self, url: str = "http://localhost:8000", *, timeout_s: float = 300.0, patience_s: float = 60.0
    ) -> None:
        super().__init__(Observatory(url, timeout_s=timeout_s, patience_s=patience_s))

    models = awaited(Observatory.models)
    load = awaited(Observatory.load)
    analyse = awaited_as(Observatory.analyse, AsyncAnalysis)
    analyse_image = awaited_as(Observatory.analyse_image, AsyncAnalysis)
    analyse_sound = awaited_as(Observatory.analyse_sound, AsyncAnalysis)
    send = awaited_as(Observatory.send, AsyncAnalysis)
    get = awaited_as(Observatory.get, AsyncAnalysis)
    concept = awaited(Observatory.concept)
    figure = awaited(Observatory.figure)
    train = awaited_as(Observatory.train, AsyncTrainingRun)
    training = awaited_as(Observatory.training, AsyncTrainingRun)
    training_figure = awaited(Observatory.training_figure)
    circuits = awaited(Observatory.circuits)
    composition = awaited(Observatory.composition)
    patching = awaited(Observatory.patching)
    path_patching = awaited(Observatory.path_patching)
    atlas = awaited_as(Observatory.atlas, AsyncAtlas)
    scan = awaited_as(Observatory.scan, AsyncAtlas)

    async def atlases(self) -> list[AsyncAtlas]:
        """Every atlas on the server."""
        return [AsyncAtlas(atlas) for atlas in await asyncio.to_thread(self._inner.atlases)]


def _plain(other: AsyncAnalysis | Analysis | str) -> Analysis | str:
    return other._inner if isinstance(other, AsyncAnalysis) else other
