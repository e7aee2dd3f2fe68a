"""Hyperparameters of the shipped decoder, and of one that continues it."""

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
    """Positions are learned, but initialised as sinusoids with frequencies from 3 to 0.01 radians per token: neighbours
    differ as much as possible, so that "the previous token" is one rotation away. With random vectors a head would have
    to learn every position separately."""
    embedding_scale: float = 0.06
    """Initial root mean square of token and position embeddings."""
    query_scale: float = 0.06
    """Initial scale of the matrix for queries and keys."""
    value_scale: float = 0.03
    """Initial scale of the matrices for values and outputs."""
    previous_heads: int = 2
    """Number of heads of layer 0 initialised as previous-token heads."""
    previous_scale: float = 2.0
    """Factor of positions in their queries and keys."""
    dropout: float = 0.1
    """After the embeddings and at the end of each sub-layer; not on the attention weights."""

    steps: int = 3000
    rows: int = 4
    """Sequences of one step, each ``context`` tokens long."""
    parts: int = 2
    """Parts of each step, computed sequentially or in parallel with the same result."""
    rate: float = 1e-3
    """Highest learning rate (AdamW)."""
    embedding_rate: float = 1e-3
    """Learning rate of token embeddings."""
    position_rate: float = 2e-4
    """Learning rate of positions: low, so that they are not blurred before they are useful."""
    last_rate: float = 0.05
    """Share of the highest learning rate at the last step."""
    warmup: int = 100
    weight_decay: float = 0.1
    """Applied to matrices only, not to biases and LayerNorm."""
    momenta: tuple[float, float] = (0.9, 0.98)
    longest_gradient: float = 1.0
    precision: Literal["bfloat16", "float32"] = "bfloat16"
    """Precision of the matrix products; weights, sums and losses are float32."""

    taught_heads: int = 2
    """Number of heads of layer 1 that are taught where to attend (see ``lesson``)."""
    lesson_steps: int = 300
    """Pretraining steps, with the learning rate ``lesson_rate``."""
    lesson_rows: int = 2
    """Sequences of one step of the lesson; a multiple of ``parts``."""
    lesson_rate: float = 3e-3
    lesson_share: float = 0.3
    """Factor of the lesson's loss in the training."""

    only_repeats: int = 100
    """Number of initial steps in which every row is a repetition, so that the taught heads are useful at once."""
    repeats: float = 0.25
    """Share of such rows in all later steps."""
    random_repeats: float = 0.6
    """Share of these rows that repeat random tokens; the others repeat a piece of text."""
    marked: float = 0.5
    """Share of the rows that begin with the end-of-text token, as texts often do when models are used."""

    choosing: float = 0.025
    """Share of each text, before the held-out part, used to choose the best step (validation)."""
    held_out: float = 0.05
    """Share at the end of each text for a single evaluation of the finished model (test)."""
    evaluate_every: int = 100

    sentences: int = 0
    """Sentences with an indirect object in each step, beside the rows (see ``names``)."""
    sentence_pool: int = 20_000
    """Number of sentences that those of a step are drawn from."""
    sentences_share: float = 1.0
    """Factor in the loss of −ln p of the name that should follow."""
    spelt_sentences: int = 0
    """Number of sentences from which the tokenizer learns, beside the texts, so that every name is one token."""


NAMES_RECIPE = Recipe(
    layers=4,
    steps=1500,
    rows=1,
    parts=1,
    rate=8e-4,
    embedding_rate=8e-4,
    position_rate=1e-4,
    warmup=50,
    precision="float32",
    lesson_steps=0,
    lesson_share=0.0,
    only_repeats=0,
    sentences=64,
    evaluate_every=150,
    spelt_sentences=5000,
)
"""The second model: continues the first four layers of the first, without a lesson."""
