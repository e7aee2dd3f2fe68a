"""Training configuration: the network, its task and the optimiser settings, immutable.

A pre-norm decoder of our own modules (RMSNorm, no biases; attention only unless ``feed_forward``), weights initialised
like torch's Linear, trained by AdamW (Loshchilov & Hutter 2019) on 64 fresh sequences a step.
"""

from dataclasses import dataclass
from typing import Any, Literal, get_args

from attention_core.decoder_config import DecoderConfig
from attention_core.refusal import InvalidValueError
from attention_core.training.tasks import LENGTH, TASKS, TaskName

LearnedPositions = Literal["none", "sinusoidal", "rope", "alibi"]
Mechanism = Literal["scaled", "cosine", "qk_norm"]
POSITIONS: tuple[LearnedPositions, ...] = get_args(LearnedPositions)
MECHANISMS: tuple[Mechanism, ...] = get_args(Mechanism)

MAX_LAYERS, MAX_HEADS, MAX_WIDTH, MAX_STEPS = 6, 8, 128, 2_000
MAX_LEARNING_RATE = 10.0
COSINE_SCALE = 10.0
"""Cosines are at most 1, which leaves a softmax over 48 keys nearly uniform; times ten it can be sharp."""

OWN_SETTINGS: dict[Mechanism, dict[str, Any]] = {
    "scaled": {},
    "cosine": {"qk_norm": "l2", "qk_norm_learned_scale": False, "attention_scale": COSINE_SCALE},
    "qk_norm": {"qk_norm": "rms", "qk_norm_before_rope": True},
}
"""Decoder options of each mechanism. QK-norm as in Qwen3: normed, scaled, then rotated."""


@dataclass(frozen=True)
class TrainingConfig:
    """A network and its training; the default learns induction within a few hundred steps."""

    task: TaskName = "repeat"
    num_layers: int = 2
    num_heads: int = 4
    num_kv_heads: int | None = None
    """As many as heads unless given."""
    d_model: int = 64
    positions: LearnedPositions = "rope"
    mechanism: Mechanism = "scaled"
    feed_forward: bool = False
    learning_rate: float = 1e-2
    steps: int = 300
    seed: int = 0

    def __post_init__(self) -> None:
        limits = {"num_layers": MAX_LAYERS, "num_heads": MAX_HEADS, "d_model": MAX_WIDTH, "steps": MAX_STEPS}
        for name, most in limits.items():
            if not 1 <= (value := getattr(self, name)) <= most:
                raise InvalidValueError("{name} must lie between {least} and {most}, not {given}", name, 1, most, value)
        if not 0 < self.learning_rate <= MAX_LEARNING_RATE:
            raise InvalidValueError(
                "learning_rate must lie above 0 and at most {max_learning_rate}: {learning_rate}",
                f"{MAX_LEARNING_RATE:g}",
                self.learning_rate,
            )
        self.decoder()

    @property
    def kv_heads(self) -> int:
        """Number of key/value heads."""
        return self.num_heads if self.num_kv_heads is None else self.num_kv_heads

    @property
    def vocab_size(self) -> int:
        """Size of the task's vocabulary."""
        return len(TASKS[self.task].vocabulary)

    def decoder(self) -> DecoderConfig:
        """The decoder configuration. Raises ValueError for sizes that do not divide."""
        return DecoderConfig(
            self.vocab_size,
            self.d_model,
            self.num_layers,
            self.num_heads,
            self.num_kv_heads,
            hidden_dim=2 * self.d_model,
            max_length=LENGTH,
            positions=self.positions,
            feed_forward="swiglu" if self.feed_forward else None,
            init_std=None,
            **OWN_SETTINGS[self.mechanism],
        )
