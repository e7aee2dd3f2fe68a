"""The training worker through a real pipe, in a thread and in a process."""

import multiprocessing
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import pytest
import torch

from attention_core.training.config import TrainingConfig
from attention_core.training.run import Training, Update
from attention_core.training.worker import Report, lead, updates_every, work

TINY = TrainingConfig(d_model=8, num_heads=2, steps=5)


def answers(pipe: Connection) -> list[Any]:
    found = []
    while pipe.poll():
        found.append(pipe.recv())
    return found


def led(config: TrainingConfig, *commands: str) -> list[Any]:
    """Everything the worker says to these commands, all given at the start."""
    ours, theirs = multiprocessing.Pipe()
    for command in commands:
        ours.send(command)
    lead(Training(config), theirs)
    return answers(ours)


def brief(said: list[Any]) -> list[Any]:
    return [one.step if isinstance(one, Update) else (one.state, one.step) for one in said]


def test_every_second_step_is_shown_and_the_last() -> None:
    said = led(TINY)
    assert brief(said) == [0, 2, 4, 5, ("finished", 5)]
    twin = Training(TINY)
    for _ in range(5):
        twin.step()
    weights = twin.weights()
    assert set(said[-1].weights) == set(weights)
    for name, values in weights.items():
        np.testing.assert_array_equal(said[-1].weights[name], values)
    np.testing.assert_array_equal(said[-2].maps, twin.look().maps)


def test_pausing_stepping_and_going_on_change_nothing_of_the_run() -> None:
    straight = led(TINY)
    stopped = led(TINY, "pause", "step", "step", "resume")
    assert brief(stopped) == [
        *(0, ("paused", 0), 1, ("paused", 1), 2, ("paused", 2)),
        *(("running", 2), 4, 5, ("finished", 5)),
    ]
    for name, values in straight[-1].weights.items():
        np.testing.assert_array_equal(stopped[-1].weights[name], values)


def test_a_step_while_running_pauses() -> None:
    assert brief(led(TINY, "step", "stop")) == [0, 1, ("paused", 1), ("stopped", 1)]


def test_what_was_shown_is_not_shown_again() -> None:
    said = led(TINY, "step", "resume", "pause", "stop")
    assert brief(said) == [0, 1, ("paused", 1), ("running", 1), ("paused", 1), ("stopped", 1)]


def test_a_pause_shows_what_has_not_been_shown() -> None:
    """The pause comes after the first step, which is not shown while the run goes on."""
    ours, theirs = multiprocessing.Pipe()
    training = Training(TINY)
    take = training.step

    def step() -> None:
        take()
        if training.step_count == 1:
            ours.send("pause")
            ours.send("stop")

    training.step = step  # type: ignore[method-assign]
    lead(training, theirs)
    said = answers(ours)
    assert brief(said) == [0, 1, ("paused", 1), ("stopped", 1)]
    for report in said[2:]:
        assert {name: values.tolist() for name, values in report.weights.items()} == {
            name: values.tolist() for name, values in training.weights().items()
        }


def test_stop_stops() -> None:
    assert brief(led(TINY, "stop")) == [0, ("stopped", 0)]


def test_the_last_step_taken_by_hand_ends_the_run() -> None:
    said = led(TINY, "pause", *["step"] * 5)
    assert brief(said)[-3:] == [("paused", 4), 5, ("finished", 5)]


def test_large_networks_show_each_step() -> None:
    assert [updates_every(TrainingConfig(num_layers=n)) for n in (1, 2, 3, 4, 6)] == [2, 2, 2, 1, 1]


def test_a_run_that_diverges_says_so() -> None:
    ours, theirs = multiprocessing.Pipe()
    training = Training(TINY)
    with torch.no_grad():
        training.decoder.final_norm.weight.fill_(float("inf"))
    lead(training, theirs)
    said = answers(ours)
    assert brief(said) == [0, ("diverged", 0)]
    assert said[-1].weights == {}


@pytest.fixture
def process() -> Any:
    """A worker in a process, and our end of its pipe."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    worker = context.Process(target=work, args=(TrainingConfig(steps=2_000), theirs))
    worker.start()
    theirs.close()
    yield worker, ours
    if worker.is_alive():
        worker.kill()
    worker.join()


@pytest.mark.full
def test_a_process_ends_when_nobody_listens(process: Any) -> None:
    worker, ours = process
    assert ours.recv().step == 0
    ours.close()
    worker.join(60)
    assert worker.exitcode == 0


def test_report_of_a_state_has_no_weights() -> None:
    assert Report("paused", 3).weights == {}
