"""A training run in a process of its own, at low priority and with one thread, led through a pipe.

Down the pipe come the words ``pause``, ``resume``, ``step`` (one, then wait) and ``stop``; up go ``Update`` objects and
``Report`` objects. The process ends when the run does, when it is told to, and when the other end is closed.
"""

import os
import signal
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray

from attention_core.training.network import TrainingConfig
from attention_core.training.run import DivergedError, Training

Command = Literal["pause", "resume", "step", "stop"]
NICENESS = 10
"""Whoever waits for an analysis goes first."""
LARGE = 256
"""Layers times width above which a step takes so long that each is shown, not only every second."""


@dataclass(frozen=True, eq=False)
class Report:
    """What became of the run, or that it waits."""

    state: Literal["running", "paused", "finished", "diverged"]
    step: int
    weights: dict[str, NDArray[np.float32]] = field(default_factory=dict)
    """Of a finished run, by their names in the ``Decoder``."""


def updates_every(config: TrainingConfig) -> int:
    """Steps between two updates."""
    return 1 if config.num_layers * config.d_model >= LARGE else 2


def work(config: TrainingConfig, pipe: Connection) -> None:
    """Run to the end. The target of a process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Control-C is the parent's affair
    with suppress(OSError, AttributeError):  # not everywhere
        os.nice(NICENESS)
    torch.set_num_threads(1)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):  # nobody listens any more
        lead(Training(config), pipe)


def lead(training: Training, pipe: Connection) -> None:
    """Take steps and commands in turn."""
    every = updates_every(training.config)
    paused, shown = False, -1

    def show() -> None:
        nonlocal shown
        if shown < training.step_count:
            pipe.send(training.look())
            shown = training.step_count

    try:
        show()
        while not training.is_finished:
            command = _next_command(pipe, wait=paused)
            if command == "stop":
                return
            waits = command in ("pause", "step") or (paused and command != "resume")
            if command not in {"pause", "resume"}:
                training.step()
            if waits or training.step_count % every == 0 or training.is_finished:
                show()
            if waits != paused:
                paused = waits
                pipe.send(Report("paused" if paused else "running", training.step_count))
        pipe.send(Report("finished", training.step_count, training.weights()))
    except DivergedError:
        pipe.send(Report("diverged", training.step_count))


def _next_command(pipe: Connection, *, wait: bool) -> Command | None:
    if not wait and not pipe.poll():
        return None
    return pipe.recv()
