"""A training run: take steps and snapshot the network.

Each step samples 64 fresh sequences, so the training loss is also the loss on unseen data. All randomness comes from
the run's seed; the example shown is the same for all runs of a task.
"""

import math
import time
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Float, UInt8
from numpy.typing import NDArray
from torch import Tensor

from attention_core.decoder import Decoder, DecoderTrace
from attention_core.training.config import TrainingConfig
from attention_core.training.head_roles import ROLES, role_masks, role_scores
from attention_core.training.tasks import TASKS, Batch

BATCH = 64
EXAMPLES = 4
"""Sequences over which heads are scored; the maps are of the first."""
EXAMPLE_SEED = 0


DIVERGED = 20.0
"""Multiple of the chance loss above which a run has failed: AdamW does not recover from there."""


class DivergedError(Exception):
    """The loss is NaN or infinite, or far above chance."""


@dataclass(frozen=True, eq=False)
class Update:
    """A snapshot of the network after some steps; 0 is before the first."""

    step: int
    loss: float
    """Mean cross-entropy of the predictable tokens, in nats, on sequences not yet trained on."""
    accuracy: float
    """Share of the predictable tokens that were predicted."""
    seconds: float
    """Spent on steps, without pauses."""
    scores: dict[str, Float[np.ndarray, "layers heads"]]
    """By role, [layers][heads], 0 to 1."""
    maps: UInt8[np.ndarray, "layers heads queries keys"]
    """Weights on the example; 0…255 stands for 0…1."""


def example(config: TrainingConfig) -> Batch:
    """The fixed sequences shown during training."""
    return TASKS[config.task].example(EXAMPLES, torch.Generator().manual_seed(EXAMPLE_SEED))


def task_loss(logits: Float[Tensor, "B T V"], batch: Batch) -> tuple[Float[Tensor, ""], Float[Tensor, ""]]:
    """Mean cross-entropy over the scored positions, and the accuracy on them."""
    scored = batch.scored[:, :-1]
    predicted, targets = logits[:, :-1][scored], batch.ids[:, 1:][scored]
    return F.cross_entropy(predicted, targets), (predicted.argmax(-1) == targets).to(logits.dtype).mean()


class Training:
    """A network being trained; not thread-safe."""

    def __init__(self, config: TrainingConfig) -> None:
        self.config = config
        self.step_count = 0
        self._generator = torch.Generator().manual_seed(config.seed)
        self.decoder = Decoder(config.decoder(), generator=self._generator)
        self.optimizer = torch.optim.AdamW(self.decoder.parameters(), lr=config.learning_rate)
        self._draw = TASKS[config.task].draw
        self._example = example(config)
        self._masks = role_masks(self._example)
        self._seconds = 0.0
        self._most = DIVERGED * math.log(TASKS[config.task].answers)
        with torch.no_grad():  # on the sequences of the first step, which are sampled again for it
            ahead = torch.Generator()
            ahead.set_state(self._generator.get_state())
            batch = self._draw(BATCH, ahead)
            self._loss, self._accuracy = map(float, task_loss(self.decoder(batch.ids), batch))

    @property
    def is_finished(self) -> bool:
        """Whether all steps have been taken."""
        return self.step_count >= self.config.steps

    def step(self) -> None:
        """Take one step. Raises DivergedError, without taking it, for a loss that is not finite or far above chance."""
        began = time.perf_counter()
        batch = self._draw(BATCH, self._generator)
        loss, accuracy = task_loss(self.decoder(batch.ids), batch)
        self._loss, self._accuracy = loss.item(), accuracy.item()
        if not self._loss <= self._most:
            raise DivergedError(self._loss)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.step_count += 1
        self._seconds += time.perf_counter() - began

    @torch.no_grad()
    def look(self) -> Update:
        """A snapshot of the network. Raises DivergedError where its weights or its loss are not finite."""
        trace: DecoderTrace = self.decoder(self._example.ids, trace=True)
        weights = [block.attention.attention.weights for block in trace.blocks]
        if not all(bool(layer.isfinite().all()) for layer in weights) or not math.isfinite(self._loss):
            raise DivergedError(self._loss)
        scores = [role_scores(layer, self._masks) for layer in weights]
        return Update(
            step=self.step_count,
            loss=self._loss,
            accuracy=self._accuracy,
            seconds=self._seconds,
            scores={role: torch.stack([layer[role] for layer in scores]).float().numpy() for role in ROLES},
            maps=torch.stack([layer[0] for layer in weights]).mul(255).round().to(torch.uint8).numpy(),
        )

    def weights(self) -> dict[str, NDArray[np.float32]]:
        """Every parameter by its name in the ``Decoder``."""
        return {name: parameter.detach().numpy().copy() for name, parameter in self.decoder.named_parameters()}
