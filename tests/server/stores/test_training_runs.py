"""The store of training runs with real processes: commands, limits, ends."""

import asyncio
import os
import signal
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attention_core.pretrained.models.catalog import Catalog
from attention_core.training.config import TrainingConfig
from attention_core.training.run import Update
from attention_core.training.run_facts import facts
from server.app import catalog_of
from server.settings import Settings
from server.stores.training_run import TrainingRun
from server.stores.training_runs import TrainingRuns
from server.web import clients
from server.web.errors import ApiError

LONG = TrainingConfig(d_model=8, num_heads=2, steps=2_000)
SHORT = TrainingConfig(d_model=8, num_heads=2, steps=5)


def with_runs(test: Callable[[TrainingRuns], Coroutine[Any, Any, None]], **settings: Any) -> None:
    """The test on an event loop of its own, its processes ended behind it."""

    async def whole() -> None:
        runs = TrainingRuns(Settings(hub_models=(), **settings), Catalog(hub_models=()))
        try:
            await asyncio.wait_for(test(runs), timeout=60)
        finally:
            await runs.close()

    asyncio.run(whole())


async def begin(runs: TrainingRuns, config: TrainingConfig = LONG) -> TrainingRun:
    return await runs.begin(config, facts(config))


async def end_of(run: TrainingRun) -> tuple[str, str | None]:
    """Its last state and the reason, without anybody watching."""
    async for _ in run.follow(-1):
        pass
    return run.state, run.reason


async def until(run: TrainingRun, condition: Callable[[], bool]) -> None:
    async for _ in run.follow(-1):
        if condition():
            return
    raise AssertionError("it never became so")


@pytest.mark.full
def test_a_flood_puts_out_no_run_of_another_client() -> None:
    """Three are kept, and of three slots one client has two."""

    async def test(runs: TrainingRuns) -> None:
        clients._asking.set("192.0.2.1")
        mine = await begin(runs, SHORT)
        await end_of(mine)
        clients._asking.set("192.0.2.2")
        flood = []
        for _ in range(5):
            flood.append(await begin(runs, SHORT))
            await end_of(flood[-1])
        assert runs.get(mine.id) is mine
        for gone in flood[:3]:
            with pytest.raises(ApiError, match="no longer kept"):
                runs.get(gone.id)
        await begin(runs)
        await begin(runs)
        with pytest.raises(ApiError, match="as one client may") as refused:
            await begin(runs)
        assert (refused.value.status, refused.value.limit) == (429, 2)
        clients._asking.set("192.0.2.1")
        await begin(runs)

    with_runs(test, training_runs=3, training_kept_runs=3)


@pytest.mark.gate
def test_a_run_comes_to_its_end() -> None:
    async def test(runs: TrainingRuns) -> None:
        run = await begin(runs, SHORT)
        assert (runs.active, run.is_over) == (1, False)
        assert await end_of(run) == ("finished", None)
        assert [update.step for update in run.history] == [0, 2, 4, 5]
        assert set(run.weights) > {"token_embedding.weight", "final_norm.weight"}
        assert (runs.active, run.step) == (0, 5)

    with_runs(test)


@pytest.mark.full
def test_pausing_stepping_going_on_and_stopping() -> None:
    async def test(runs: TrainingRuns) -> None:
        run = await begin(runs)
        await until(run, lambda: run.step >= 4)
        assert run.weights == {}
        run.command("pause")
        await until(run, lambda: run.state == "paused")
        before = run.step
        assert run.weights
        run.command("step")
        await until(run, lambda: run.step == before + 1 and bool(run.weights))
        assert run.state == "paused"
        run.command("resume")
        await until(run, lambda: run.step > before + 10)
        assert (run.state, run.weights) == ("running", {})
        run.command("stop")
        assert await end_of(run) == ("stopped", "asked")
        assert run.weights

    with_runs(test)


@pytest.mark.full
def test_a_run_that_nobody_watches_is_stopped() -> None:
    async def test(runs: TrainingRuns) -> None:
        run = await begin(runs)
        async with run.watched():
            await until(run, lambda: run.step >= 30)
            assert run.state == "running"
        assert await end_of(run) == ("stopped", "unwatched")

    with_runs(test, training_idle_s=1.0)


@pytest.mark.full
def test_a_paused_run_that_nobody_watches_is_stopped() -> None:
    async def test(runs: TrainingRuns) -> None:
        run = await begin(runs)
        async with run.watched():
            run.command("pause")
            await until(run, lambda: run.state == "paused")
        assert await end_of(run) == ("stopped", "unwatched")

    with_runs(test, training_idle_s=1.0)


@pytest.mark.full
def test_a_run_that_takes_too_long_is_stopped_even_when_watched() -> None:
    async def test(runs: TrainingRuns) -> None:
        run = await begin(runs)
        async with run.watched():
            assert await end_of(run) == ("stopped", "time")

    with_runs(test, training_time_s=1.0)


def test_a_process_that_is_killed_is_said() -> None:
    async def test(runs: TrainingRuns) -> None:
        run = await begin(runs)
        await until(run, lambda: run.step >= 2)
        assert run.process.pid is not None
        os.kill(run.process.pid, signal.SIGKILL)
        assert await end_of(run) == ("failed", "crashed")
        assert [update.step for update in run.history][:2] == [0, 2]
        assert runs.active == 0

    with_runs(test)


def test_an_end_that_comes_while_another_state_is_told_is_told_too() -> None:
    async def test(runs: TrainingRuns) -> None:
        run = await begin(runs)
        run.command("pause")
        told = []
        async for found in run.follow(-1):
            if isinstance(found, Update):
                continue
            told.append(run.state)
            if run.state == "paused":
                run.end("asked")
        assert told[-2:] == ["paused", "stopped"]

    with_runs(test)


@pytest.mark.full
def test_steps_that_are_too_large_are_said() -> None:
    async def test(runs: TrainingRuns) -> None:
        run = await begin(runs, TrainingConfig(learning_rate=10.0))
        assert await end_of(run) == ("failed", "diverged")
        assert run.weights == {}

    with_runs(test)


@pytest.mark.full
def test_a_history_stays_within_its_bytes() -> None:
    async def test(runs: TrainingRuns) -> None:
        run = await begin(runs, TrainingConfig(d_model=16, num_heads=8, num_layers=4, steps=40, positions="none"))
        seen = [found.step async for found in run.follow(-1) if isinstance(found, Update)]
        assert (seen[0], seen[-1], run.state) == (0, 40, "finished")
        assert seen == sorted(set(seen))
        assert run.history.nbytes <= 2**20
        assert (run.history.stride, len(run.history)) == (4, 11)

    with_runs(test, training_history_bytes=2**20, training_time_s=300.0)


@pytest.mark.full
def test_four_runs_at_once_each_their_own() -> None:
    async def test(runs: TrainingRuns) -> None:
        begun = [await begin(runs, TrainingConfig(d_model=8, num_heads=2, steps=8, seed=seed)) for seed in range(4)]
        assert runs.active == 4
        with pytest.raises(ApiError, match="All 4 training slots"):
            runs.check_room()
        assert await asyncio.gather(*map(end_of, begun)) == [("finished", None)] * 4
        losses = {run.history.newest.loss for run in begun if run.history.newest is not None}
        assert len(losses) == 4
        runs.check_room()

    with_runs(test)


def test_none_may_be_allowed() -> None:
    async def test(runs: TrainingRuns) -> None:
        with pytest.raises(ApiError, match="trains no networks"):
            runs.check_room()

    with_runs(test, training_runs=0)


def test_closing_ends_every_process() -> None:
    async def whole() -> list[TrainingRun]:
        runs = TrainingRuns(Settings(hub_models=()), Catalog(hub_models=()))
        begun = [await begin(runs) for _ in range(2)]
        await asyncio.gather(*(until(run, lambda run=run: run.step >= 2) for run in begun))  # type: ignore[misc]
        await runs.close()
        return begun

    for run in asyncio.run(whole()):
        assert (run.state, run.reason) == ("stopped", "asked")
        assert run.process.has_ended(10)


def test_weights_of_a_run_that_goes_on_are_refused() -> None:
    async def test(runs: TrainingRuns) -> None:
        run = await begin(runs)
        await until(run, lambda: run.step >= 2)
        with pytest.raises(ApiError, match="its weights change while it learns"):
            await runs.publish(run)
        run.end("time")
        with pytest.raises(ApiError, match="ended before its weights were saved"):
            await runs.publish(run)

    with_runs(test)


def test_a_later_state_takes_the_place_of_an_earlier_one() -> None:
    async def test(runs: TrainingRuns) -> None:
        run = await begin(runs)
        run.command("step")
        await until(run, lambda: bool(run.weights))
        first = await runs.publish(run)
        assert await asyncio.gather(runs.publish(run), runs.publish(run)) == [first, first]
        before = run.step
        run.command("step")
        await until(run, lambda: run.step == before + 1 and bool(run.weights))
        second = await runs.publish(run)
        assert [path.name for path in runs.folder("").iterdir()] == [second]
        assert first != second

    with_runs(test)


def test_where_several_processes_train_an_id_names_its_process_and_a_run_of_another_is_lost() -> None:
    async def test(runs: TrainingRuns) -> None:
        with pytest.raises(ApiError) as alone:
            runs.get("k3x9-0123456789ab")
        assert alone.value.code == "run_expired"
        runs.home = "a7"
        run = await begin(runs, SHORT)
        assert run.id.startswith("a7-")
        assert runs.get(run.id) is run
        for run_id, code in (("k3x9-0123456789ab", "run_lost"), ("a7-0123456789ab", "run_expired")):
            with pytest.raises(ApiError) as refused:
                runs.get(run_id)
            assert (refused.value.status, refused.value.code) == (404, code)

    with_runs(test)


@pytest.mark.full
def test_in_a_shared_folder_a_network_is_a_model_of_every_process(tmp_path: Path) -> None:
    def catalog() -> Catalog:
        return catalog_of(Settings(device="cpu", hub_models=(), shared_dir=str(tmp_path)))

    other, networks = catalog(), tmp_path / "networks"

    def listed() -> list[tuple[str, str]]:
        return [(each.id, each.title) for each in other.entries(ask_hub=False) if each.source == "training"]

    async def run() -> None:
        runs = TrainingRuns(Settings(hub_models=(), shared_dir=str(tmp_path)), catalog())
        run = await begin(runs, SHORT)
        await end_of(run)
        model_id = await runs.publish(run)
        assert listed() == [(model_id, "Learned to repeat: 2 × 2 heads, step 5")]
        embedding = other.load(model_id).model.get_input_embeddings().weight.detach().numpy()
        assert np.array_equal(embedding, run.weights["token_embedding.weight"])
        gone, unfinished = networks / "training-gone-0123456789ab-7", networks / ".training-begun"
        for folder in (gone, unfinished):
            folder.mkdir()
            os.utime(folder, (0, 0))
        assert [model for model, _ in listed()] == [model_id]
        later = await begin(runs, SHORT)
        await end_of(later)
        await runs.publish(later)
        assert {path.name for path in networks.iterdir()} == {run.model_id, later.model_id}
        await runs.remove(later.id)
        assert [model for model, _ in listed()] == [model_id]
        await runs.close()
        assert listed() == []
        assert list(networks.iterdir()) == []

    asyncio.run(run())
