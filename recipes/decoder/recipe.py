"""Hyperparameters of the shipped decoder."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Recipe:
    """The defaults are the shipped model; same recipe, texts and machine give the same model."""

    seed: int = 0

    vocabulary: int = 4096
    layers: int = 6
    heads: int = 6
    width: int = 192
    context: int = 512
    fastest_position: float = 3.0
    position_base: float = 300.0
    """Positions are learnt, but begin as sinusoids whose speeds go from 3 to 0.01 radians a token: neighbours differ as
    much as may be, so that "the token before" is one rotation away. From random vectors a head would have to learn
    every position by itself."""
    embedding_scale: float = 0.06
    """Root mean square of token and position embeddings at first."""
    query_scale: float = 0.06
    """Of the matrix for queries and keys at first."""
    value_scale: float = 0.03
    """Of the matrices for values and outputs at first."""
    previous_heads: int = 2
    """How many heads of layer 0 begin as previous-token heads."""
    previous_scale: float = 2.0
    """What their queries and keys multiply positions by."""
    dropout: float = 0.1
    """After the embeddings and at the end of each sub-layer; not on the attention weights."""

    steps: int = 3000
    rows: int = 4
    """Sequences of one step, each ``context`` tokens long."""
    parts: int = 2
    """Of each step, computed one after the other or at the same time with the same result."""
    rate: float = 1e-3
    """Highest learning rate (AdamW)."""
    embedding_rate: float = 1e-3
    """That of token embeddings."""
    position_rate: float = 2e-4
    """That of positions: no step blurs them before they are of use."""
    last_rate: float = 0.05
    """Share of the highest learning rate at the last step."""
    warmup: int = 100
    weight_decay: float = 0.1
    """On matrices alone, not on biases and LayerNorm."""
    momenta: tuple[float, float] = (0.9, 0.98)
    longest_gradient: float = 1.0
    precision: Literal["bfloat16", "float32"] = "bfloat16"
    """Of the matrix products; weights, sums and losses are float32."""

    taught_heads: int = 2
    """How many heads of layer 1 are taught where to look (see ``lesson``)."""
    lesson_steps: int = 300
    """Before the training, with the learning rate ``lesson_rate``."""
    lesson_rows: int = 2
    """Sequences of one step of the lesson; a multiple of ``parts``."""
    lesson_rate: float = 3e-3
    lesson_share: float = 0.3
    """What the lesson's loss is multiplied by in the training."""

    only_repeats: int = 100
    """In so many steps at first every row is a repetition: what the taught heads find is of use at once."""
    repeats: float = 0.25
    """Share of such rows in all later steps."""
    random_repeats: float = 0.6
    """Of these rows, the share whose piece is random tokens; in the others it is a piece of text."""
    marked: float = 0.5
    """Share of the rows that begin with the end-of-text token, as texts often do when models are used."""

    choosing: float = 0.025
    """Share of each text, before the held-out part, on which the best step is chosen."""
    held_out: float = 0.05
    """Share at the end of each text that is only measured once, on the finished model."""
    evaluate_every: int = 100
