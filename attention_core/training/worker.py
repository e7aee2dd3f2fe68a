"""Run training in a separate, single-threaded process controlled through a pipe.

The process receives ``pause``, ``resume``, ``step`` (one, then wait) and ``stop``, and sends ``Update`` and ``Report``
objects. It ends when the run does, on ``stop``, and when the other end of the pipe is closed.
"""

from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray

from attention_core.training.config import TrainingConfig
from attention_core.training.run import DivergedError, Training

Command = Literal["pause", "resume", "step", "stop"]
LARGE = 256
"""Layers times width above which steps are slow enough to send an update after each one."""


@dataclass(frozen=True, eq=False)
class Report:
    """The state of a run, with its weights once it has paused or ended."""

    state: Literal["running", "paused", "finished", "stopped", "diverged"]
    step: int
    weights: dict[str, NDArray[np.float32]] = field(default_factory=dict)
    """By their names in the ``Decoder``; empty while the network learns, or when they are no longer finite."""


def updates_every(config: TrainingConfig) -> int:
    """Number of steps between two updates."""
    return 1 if config.num_layers * config.d_model >= LARGE else 2


def work(config: TrainingConfig, pipe: Connection) -> None:
    """Run to completion. The target of a process."""
    torch.set_num_threads(1)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):  # the other end is closed
        lead(Training(config), pipe)


def lead(training: Training, pipe: Connection) -> None:
    """Interleave steps and commands."""
    leading = _Leading(training, pipe)
    try:
        state = leading.run()
        pipe.send(Report(state, training.step_count, training.weights()))
    except DivergedError:
        with suppress(DivergedError):  # from weights that are not even finite: then there is nothing to show
            leading.show()
        pipe.send(Report("diverged", training.step_count))


class _Leading:
    """The state of a run between two steps."""

    def __init__(self, training: Training, pipe: Connection) -> None:
        self.training = training
        self.pipe = pipe
        self.every = updates_every(training.config)
        self.is_paused = False
        self.shown = -1

    def run(self) -> Literal["finished", "stopped"]:
        """Run to completion."""
        self.show()
        while not self.training.is_finished:
            command = _next_command(self.pipe, wait=self.is_paused)
            if command == "stop":
                self.show()
                return "stopped"
            self.follow(command)
        return "finished"

    def follow(self, command: Command | None) -> None:
        """Handle one command, or take one step if there is none."""
        was_paused = self.is_paused
        self.is_paused = command in {"pause", "step"} or (was_paused and command != "resume")
        if command not in {"pause", "resume"}:
            self.training.step()
        steps = self.training.step_count
        if self.is_paused or steps % self.every == 0 or self.training.is_finished:
            self.show()
        if self.is_paused and not self.training.is_finished:
            self.pipe.send(Report("paused", steps, self.training.weights()))
        elif was_paused and not self.is_paused:
            self.pipe.send(Report("running", steps))

    def show(self) -> None:
        """Send what has not been sent yet."""
        if self.shown < self.training.step_count:
            self.pipe.send(self.training.look())
            self.shown = self.training.step_count


def _next_command(pipe: Connection, *, wait: bool) -> Command | None:
    if not wait and not pipe.poll():
        return None
    return pipe.recv()
