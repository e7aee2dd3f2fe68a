"""Facts about a run that are known before its first step."""

import math
from dataclasses import dataclass

from attention_core.decoder import Decoder
from attention_core.training.config import TrainingConfig
from attention_core.training.head_roles import role_masks, uniform_scores
from attention_core.training.run import example
from attention_core.training.tasks import TASKS
from attention_core.training.worker import updates_every


@dataclass(frozen=True)
class Facts:
    """Facts about a network and its task."""

    parameters: int
    """Number of learned parameters."""
    vocabulary: tuple[str, ...]
    example: tuple[str, ...]
    """The words of the sequence whose maps are shown; the same for every run of a task."""
    scored: tuple[bool, ...]
    """Of each of its positions: whether the next word is predictable."""
    chance_loss: float
    """Of uniform guessing, in nats: ln of the number of words that can be the answer."""
    chance_scores: dict[str, float]
    """By role, of a head with uniform weights."""
    updates_every: int
    """Steps between two updates."""


def facts(config: TrainingConfig) -> Facts:
    """Compute the facts from the configuration alone."""
    batch = example(config)
    task = TASKS[config.task]
    return Facts(
        parameters=sum(parameter.numel() for parameter in Decoder(config.decoder()).parameters()),
        vocabulary=task.vocabulary,
        example=tuple(task.vocabulary[token] for token in batch.ids[0].tolist()),
        scored=tuple(batch.scored[0].tolist()),
        chance_loss=math.log(task.answers),
        chance_scores=uniform_scores(role_masks(batch)),
        updates_every=updates_every(config),
    )
