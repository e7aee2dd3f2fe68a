"""Trace one token through a transformer block: the residual stream and every term added to it.

- pre-norm (GPT-2, Llama): ``after = x + attention(norm(x))``, ``outputs = after + feed_forward(norm(after))``;
- post-norm (BERT): ``after = norm(x + attention(x))``, ``outputs = norm(after + feed_forward(after))``;
- parallel (GPT-NeoX): ``outputs = x + attention(norm₁(x)) + feed_forward(norm₂(x))``.

Every equation is checked with the numbers themselves (Vaswani et al. 2017; on the position of norms, Xiong et al.
2020).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from attention_core.attend import softmax
from attention_core.refusal import InvalidValueError
from attention_core.trace import to_array

Order = Literal["pre", "post", "parallel"]
NormName = Literal["layer", "rms", "none"]
Step = Literal["norm", "project", "add"]

STEPS: dict[Order, tuple[tuple[str, Step, tuple[str, ...]], ...]] = {
    "pre": (
        ("attention_normed", "norm", ("inputs",)),
        ("attention_output", "project", ("head_outputs",)),
        ("after_attention", "add", ("inputs", "attention_output")),
        ("feed_forward_normed", "norm", ("after_attention",)),
        ("feed_forward_output", "project", ("feed_forward_hidden",)),
        ("outputs", "add", ("after_attention", "feed_forward_output")),
    ),
    "post": (
        ("attention_output", "project", ("head_outputs",)),
        ("attention_sum", "add", ("inputs", "attention_output")),
        ("after_attention", "norm", ("attention_sum",)),
        ("feed_forward_output", "project", ("feed_forward_hidden",)),
        ("feed_forward_sum", "add", ("after_attention", "feed_forward_output")),
        ("outputs", "norm", ("feed_forward_sum",)),
    ),
    "parallel": (
        ("attention_normed", "norm", ("inputs",)),
        ("attention_output", "project", ("head_outputs",)),
        ("feed_forward_normed", "norm", ("inputs",)),
        ("feed_forward_output", "project", ("feed_forward_hidden",)),
        ("outputs", "add", ("inputs", "attention_output", "feed_forward_output")),
    ),
}
"""The stations each one is computed from. ``head_outputs`` and ``feed_forward_hidden`` are internal to attention and
the feed-forward layer. The first norm and the first projection belong to attention, the second to the feed-forward
layer."""
OF_ORDER: dict[Order, tuple[str, ...]] = {
    "pre": (
        "inputs",
        "attention_normed",
        "head_outputs",
        "attention_output",
        "after_attention",
        "feed_forward_normed",
        "feed_forward_hidden",
        "feed_forward_output",
        "outputs",
    ),
    "post": (
        "inputs",
        "head_outputs",
        "attention_output",
        "attention_sum",
        "after_attention",
        "feed_forward_hidden",
        "feed_forward_output",
        "feed_forward_sum",
        "outputs",
    ),
    "parallel": (
        "inputs",
        "attention_normed",
        "head_outputs",
        "attention_output",
        "feed_forward_normed",
        "feed_forward_hidden",
        "feed_forward_output",
        "outputs",
    ),
}
"""The stations in the order of computation."""
BOUND = 1e-5
"""Largest difference in an equation in float32, relative to its largest number if that is above 1; in half precision
larger by the ratio of the rounding steps."""
CANDIDATES = 5


@dataclass(frozen=True, eq=False)
class Station:
    """One vector along the residual stream, as the model computed it."""

    name: str
    vector: Float[np.ndarray, "size"]
    """Of ``head_outputs`` all heads concatenated, of ``feed_forward_hidden`` the wider layer."""

    @property
    def norm(self) -> float:
        """Euclidean norm."""
        return float(np.linalg.norm(self.vector.astype(np.float64)))

    @property
    def mean(self) -> float:
        """Mean of the components."""
        return float(self.vector.mean(dtype=np.float64))

    @property
    def standard_deviation(self) -> float:
        """Standard deviation of the components (÷ d, as in LayerNorm)."""
        return float(self.vector.std(dtype=np.float64))


@dataclass(frozen=True, eq=False)
class NormNumbers:
    """``layer``: ``(x − mean) / √(variance + ε) · scale + shift``; ``rms``: ``x / √(mean square + ε) · scale``."""

    name: str
    """The station that it computes."""
    source: str
    """Its input station."""
    kind: NormName
    mean: float
    spread: float
    """The variance, or the mean square."""
    epsilon: float
    scale: Float[np.ndarray, "d"] | None
    shift: Float[np.ndarray, "d"] | None


@dataclass(frozen=True)
class Check:
    """An equation between stations and the difference between its two sides."""

    name: str
    """The station on the left."""
    equation: str
    """The equation, in names of stations."""
    difference: float
    bound: float

    @property
    def holds(self) -> bool:
        """Whether the difference is within the bound."""
        return self.difference <= self.bound


@dataclass(frozen=True)
class Guess:
    """A candidate for the next token."""

    id: int
    probability: float


@dataclass(frozen=True, eq=False)
class BlockWalk:
    """The trace of one token through one block."""

    order: Order
    """Where the norms are."""
    layer: int
    token: int
    embedding: list[Station]
    """The input of the first block, and the terms that it is the sum of."""
    stations: list[Station]
    """In the order of computation."""
    norms: list[NormNumbers]
    checks: list[Check]
    weights: Float[np.ndarray, "heads keys"]
    """Of this token as a query."""
    stream_norms: Float[np.ndarray, "states"]
    """Length of the token's vector before each block, and after the last."""
    attention_norms: Float[np.ndarray, "layers"]
    """Length of what each block's attention adds."""
    feed_forward_norms: Float[np.ndarray, "layers"]
    """Length of what each block's feed-forward layer adds; 0 where there is none."""
    guesses: list[Guess]
    """A decoder's predictions of the next token, most probable first; empty for encoders."""

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        vectors = [station.vector for station in (*self.embedding, *self.stations)]
        vectors += [each for norm in self.norms for each in (norm.scale, norm.shift) if each is not None]
        return sum(each.nbytes for each in (*vectors, self.weights))


def equation(name: str, text: str, left: Tensor, right: Tensor) -> Check:
    """The check ``left = right`` with its maximum difference."""
    coarseness = torch.finfo(left.dtype).eps / torch.finfo(torch.float32).eps
    bound = BOUND * max(1.0, float(left.abs().max())) * max(1.0, coarseness)
    return Check(name, f"{name} = {text}", float((left.double() - right.double()).abs().max()), bound)


def equations(
    order: Order, at: Mapping[str, Float[Tensor, " n"]], norms: Sequence[nn.Module], projections: Sequence[nn.Module]
) -> tuple[list[NormNumbers], list[Check]]:
    """Recompute every station from the preceding ones; ``at`` holds the vectors by station."""
    left_norms, left_projections = list(norms), list(zip(("W_O", "W_down"), projections, strict=True))
    numbers, checks = [], []
    for name, step, sources in STEPS[order]:
        if step == "norm":
            computed, expected = norm_numbers(left_norms.pop(0), name, sources[0], at[sources[0]])
            numbers.append(computed)
            text = f"norm({sources[0]})"
        elif step == "project":
            matrix, module = left_projections.pop(0)
            expected = module(at[sources[0]].view(1, 1, -1)).flatten()
            text = f"{sources[0]} · {matrix}"
        else:
            expected = torch.stack([at[source] for source in sources]).sum(dim=0)
            text = " + ".join(sources)
        checks.append(equation(name, text, at[name], expected))
    return numbers, checks


def norm_numbers(module: nn.Module, name: str, source: str, x: Float[Tensor, " d"]) -> tuple[NormNumbers, Tensor]:
    """The parameters and statistics of a norm, and its output for x recomputed from them in float64.

    Raises ValueError for a module that is neither LayerNorm, an RMS norm nor the identity.
    """
    x = x.double()
    if isinstance(module, nn.Identity):
        return NormNumbers(name, source, "none", 0.0, 0.0, 0.0, None, None), x
    epsilon = epsilon_of(module)
    scale = getattr(module, "weight", None)
    shift = getattr(module, "bias", None)
    kind: NormName = "layer" if is_centring(module) else "rms"
    if epsilon is None or (kind == "rms" and "RMSNorm" not in type(module).__name__):
        raise InvalidValueError("module must be a normalisation layer, not {name}", type(module).__name__)
    scale = None if scale is None else gain(module)
    mean = x.mean() if kind == "layer" else torch.zeros_like(x[0])
    spread = ((x - mean) ** 2).mean()
    normed = (x - mean) / (spread + epsilon).sqrt()
    if scale is not None:
        normed = normed * scale.double()
    if shift is not None:
        normed = normed + shift.double()
    arrays = [None if each is None else to_array(each.float()) for each in (scale, shift)]
    return NormNumbers(name, source, kind, float(mean), float(spread), float(epsilon), *arrays), normed


EPSILONS = ("eps", "epsilon", "variance_epsilon")
"""Attribute names of ε in norm modules."""


ADDING_ONE = frozenset({"GemmaRMSNorm", "Gemma2RMSNorm", "Gemma3RMSNorm"})
CENTRING = frozenset({"CohereLayerNorm", "Cohere2LayerNorm"})


def is_centring(norm: nn.Module) -> bool:
    """Whether a norm removes the mean: a LayerNorm, torch's or a library's own; an RMSNorm does not."""
    return isinstance(norm, nn.LayerNorm) or type(norm).__name__ in CENTRING


def gain(norm: nn.Module) -> Float[Tensor, " d"]:
    """What a norm multiplies with: its weight, to which those of Gemma 1 to 3 add 1."""
    weight = norm.get_parameter("weight")
    return 1.0 + weight.float() if type(norm).__name__ in ADDING_ONE else weight


def epsilon_of(norm: nn.Module) -> float | None:
    """A norm's ε; None of a module that has none."""
    return next((float(value) for key in EPSILONS if (value := getattr(norm, key, None)) is not None), None)


def guesses(logits: Float[Tensor, " V"]) -> list[Guess]:
    """The most probable next tokens."""
    best = softmax(logits.float()).topk(min(CANDIDATES, len(logits)))
    return [Guess(id_, chance) for id_, chance in zip(best.indices.tolist(), best.values.tolist(), strict=True)]


def embedding_stations(
    parts: Mapping[str, Float[Tensor, " d"]], whole: Float[Tensor, " d"], norm: nn.Module | None = None
) -> tuple[list[Station], Check]:
    """The embeddings that are added, their sum where a norm follows, and the input of the first block."""
    total = torch.stack(list(parts.values())).sum(dim=0)
    stations = [Station(name, to_array(vector.float())) for name, vector in parts.items()]
    text = " + ".join(parts)
    if norm is not None:
        stations.append(Station("embedding_sum", to_array(total.float())))
        text, total = f"norm({text})", norm_numbers(norm, "embeddings", "embedding_sum", total)[1]
    stations.append(Station("embeddings", to_array(whole.float())))
    return stations, equation("embeddings", text, whole, total)
