"""RoPE scaling: how each method of context extension slows the rotation beyond the trained length.

A model trained on L positions has seen pair i at angles up to ``L · θ_i``. Slow pairs have never completed a turn;
beyond L they reach angles the model has never seen. Every method here lowers frequencies so that ``factor · L``
positions fit; they differ in which pairs are slowed.

- ``Linear`` (position interpolation, Chen et al. 2023): all pairs equally. Neighbours become hard to distinguish.
- ``NtkAware`` (bloc97 2023; Peng et al. 2023, §3.1): a larger base. The fastest pair keeps its speed, the slowest is
  slowed by the full factor, those between gradually.
- ``DynamicNtk`` (emozilla 2023): the same, with a factor that grows with the text; nothing changes up to L.
- ``Yarn`` (Peng et al. 2023): pairs that complete many turns within L are unchanged, those with less than one turn are
  slowed by the full factor, with a ramp between; and scores are sharpened by the attention factor.
- ``Llama3`` (released with Llama 3.1): the same idea with bounds on the wavelength and no attention factor.

Settings are named as in transformers' ``rope_parameters``, except ``trained_length`` for its
``original_max_position_embeddings`` (``max_position_embeddings`` for the dynamic kind).
"""

import math
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, Literal

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.refusal import InvalidValueError

Number = int | float
"""Model configurations use both."""


@dataclass(frozen=True)
class Linear:
    """``θ' = θ/factor``, the same as dividing every position by the factor."""

    factor: Number

    def __post_init__(self) -> None:
        _check(self.factor)


@dataclass(frozen=True)
class NtkAware:
    """``base' = base · factor^(dim/(dim−2))``: θ_0 stays 1, the slowest θ is divided by exactly ``factor``."""

    factor: Number

    def __post_init__(self) -> None:
        _check(self.factor)


@dataclass(frozen=True)
class DynamicNtk:
    """NTK-aware with factor ``factor · length/trained_length − (factor − 1)`` once length > trained_length."""

    factor: Number
    trained_length: Number

    def __post_init__(self) -> None:
        _check(self.factor, self.trained_length)


@dataclass(frozen=True)
class Yarn:
    """Fast pairs (``beta_fast`` turns or more in the trained length) stay, slow ones (``beta_slow``) are divided.

    ``attention_factor`` overrides ``0.1 ln(factor) + 1``; ``mscale`` and ``mscale_all_dim`` are DeepSeek's;
    ``truncate`` rounds the ends of the ramp to whole pairs.
    """

    factor: Number
    trained_length: Number
    beta_fast: Number = 32.0
    beta_slow: Number = 1.0
    attention_factor: Number | None = None
    mscale: Number | None = None
    mscale_all_dim: Number | None = None
    truncate: bool = True

    def __post_init__(self) -> None:
        _check(self.factor, self.trained_length)
        if not 0 < self.beta_slow <= self.beta_fast < math.inf:
            raise InvalidValueError(
                "beta_fast must be at least beta_slow and both positive, not {beta_fast} and {beta_slow}",
                self.beta_fast,
                self.beta_slow,
            )
        if self.attention_factor is not None and not 0 < self.attention_factor < math.inf:
            raise InvalidValueError(
                "{name} must be positive and finite, not {given}", "attention_factor", self.attention_factor
            )


@dataclass(frozen=True)
class Llama3:
    """Short wavelengths (< trained_length/high_freq_factor) stay, long ones (> trained_length/low_…) are divided."""

    factor: Number = 8.0
    low_freq_factor: Number = 1.0
    high_freq_factor: Number = 4.0
    trained_length: Number = 8192

    def __post_init__(self) -> None:
        _check(self.factor, self.trained_length)
        if not 0 < self.low_freq_factor < self.high_freq_factor < math.inf:
            raise InvalidValueError(
                "high_freq_factor must be greater than low_freq_factor and both positive, not "
                "{high_freq_factor} and {low_freq_factor}",
                self.high_freq_factor,
                self.low_freq_factor,
            )


Scaling = Linear | NtkAware | DynamicNtk | Yarn | Llama3
ScalingKind = Literal["linear", "ntk", "dynamic", "yarn", "llama3"]
KINDS: dict[ScalingKind, type[Scaling]] = {
    "linear": Linear,
    "ntk": NtkAware,
    "dynamic": DynamicNtk,
    "yarn": Yarn,
    "llama3": Llama3,
}


def stretched_base(scaling: Scaling, dim: int, base: Number, sequence_length: Number | None = None) -> Number:
    """The base of the frequencies: ``base · factor^(dim/(dim−2))`` for the NTK kinds, else unchanged.

    Raises ValueError for a single pair, which the base does not affect.
    """
    match scaling:
        case NtkAware(factor):
            stretch = factor
        case DynamicNtk(factor, trained_length):
            length = max(sequence_length or 0.0, trained_length)
            stretch = factor * length / trained_length - (factor - 1)
        case _:
            return base
    if dim < 4:
        raise InvalidValueError(
            "dim must be at least 4 for NTK-aware scaling, not {dim}: the base does not affect a single pair", dim
        )
    return base * stretch ** (dim / (dim - 2))


def stretched_frequencies(scaling: Scaling, theta: Float[Tensor, " pairs"], base: Number) -> Float[Tensor, " pairs"]:
    """Scale the frequencies, given an already scaled base."""
    match scaling:
        case Linear(factor):
            return theta / factor
        case Yarn():
            return yarn(theta, base, scaling)
        case Llama3():
            return llama3(theta, scaling)
        case _:
            return theta


def yarn(theta: Float[Tensor, " pairs"], base: Number, settings: Yarn) -> Float[Tensor, " pairs"]:
    """``θ' = (1 − γ_i) θ_i/factor + γ_i θ_i``, γ falling from 1 (fast pairs) to 0 (Peng et al. 2023, eq. 20).

    The ramp of γ runs over the index of the pair, as in the authors' code and transformers; eq. 18 of the paper
    writes it over the number of turns.
    """
    low, high = yarn_ramp(2 * theta.shape[0], base, settings)
    index = torch.arange(theta.shape[0], dtype=theta.dtype, device=theta.device)
    kept = 1 - ((index - low) / (high - low)).clamp(0, 1)
    return theta / settings.factor * (1 - kept) + theta * kept


def yarn_ramp(dim: int, base: Number, settings: Yarn) -> tuple[Number, Number]:
    """Index of the last unscaled pair and of the first fully scaled one.

    Pair i makes ``L θ_i/2π`` turns in the trained length L; solved for i: ``dim · ln(L/(2π turns)) / (2 ln base)``.
    Raises ValueError unless base is above 1: otherwise no pair is slower than another.
    """
    if base <= 1:
        raise InvalidValueError("base must be greater than 1 for YaRN, not {base}", base)

    def index_of(turns: Number) -> float:
        return dim * math.log(settings.trained_length / (turns * 2 * math.pi)) / (2 * math.log(base))

    low, high = index_of(settings.beta_fast), index_of(settings.beta_slow)
    if settings.truncate:
        low, high = math.floor(low), math.ceil(high)
    low, high = float(max(low, 0)), float(min(high, dim - 1))  # including integers beyond int64
    return low, high + 0.001 if low == high else high


def llama3(theta: Float[Tensor, " pairs"], settings: Llama3) -> Float[Tensor, " pairs"]:
    """``θ`` where λ = 2π/θ is short, ``θ/factor`` where it is long; between, ``(1 − s) θ/factor + s θ``.

    ``s = (trained_length/λ − low_freq_factor) / (high_freq_factor − low_freq_factor)``.
    """
    low, high = settings.low_freq_factor, settings.high_freq_factor
    wavelength = 2 * math.pi / theta
    smooth = (settings.trained_length / wavelength - low) / (high - low)
    between = (1 - smooth) * theta / settings.factor + smooth * theta
    slowed = torch.where(wavelength > settings.trained_length / low, theta / settings.factor, between)
    return torch.where(wavelength < settings.trained_length / high, theta, slowed)


def attention_factor(scaling: Scaling | None) -> float:
    """Multiplies cosine and sine, so its square multiplies every score: 1 except for YaRN.

    YaRN: ``0.1 ln(factor) + 1`` (eq. 22, √(1/t)); DeepSeek: the ratio of two such terms, with mscale before the
    logarithm.
    """
    if not isinstance(scaling, Yarn):
        return 1.0
    if scaling.attention_factor is not None:
        return float(scaling.attention_factor)
    if scaling.mscale and scaling.mscale_all_dim:
        return _sharpening(scaling.factor, scaling.mscale) / _sharpening(scaling.factor, scaling.mscale_all_dim)
    return _sharpening(scaling.factor, 1.0)


def choose(kind: ScalingKind, settings: Mapping[str, Any]) -> Scaling:
    """The scaling of this kind. Raises ValueError for settings that are unknown to the kind or missing."""
    known = {field.name: field for field in fields(KINDS[kind])}
    for name in settings:
        if name not in known:
            raise InvalidValueError(
                "{name} is not a setting of {kind} scaling; its settings are {known}", name, kind, ", ".join(known)
            )
    for name, field in known.items():
        if field.default is MISSING and name not in settings:
            raise InvalidValueError("scaling of kind {kind} needs {name}", kind, name)
    return KINDS[kind](**settings)


def from_rope_parameters(parameters: Mapping[str, Any], max_position_embeddings: Number) -> Scaling | None:
    """The scaling in a model's configuration (transformers' ``rope_parameters``), None for plain RoPE.

    Raises ValueError for an unsupported kind (longrope, proportional, axial).
    """
    kind = parameters.get("rope_type", parameters.get("type")) or "default"
    trained_length = parameters.get("original_max_position_embeddings") or max_position_embeddings
    match kind:
        case "default":
            return None
        case "linear":
            return Linear(parameters["factor"])
        case "dynamic":
            return DynamicNtk(parameters["factor"], max_position_embeddings)
        case "yarn":
            return Yarn(
                factor=parameters.get("factor") or max_position_embeddings / trained_length,
                trained_length=trained_length,
                beta_fast=parameters.get("beta_fast") or 32.0,
                beta_slow=parameters.get("beta_slow") or 1.0,
                attention_factor=parameters.get("attention_factor"),
                mscale=parameters.get("mscale"),
                mscale_all_dim=parameters.get("mscale_all_dim"),
                truncate=parameters.get("truncate", True),
            )
        case "llama3":
            return Llama3(
                parameters["factor"], parameters["low_freq_factor"], parameters["high_freq_factor"], trained_length
            )
    raise InvalidValueError("rope_type must be default, linear, dynamic, yarn or llama3, not {kind}", repr(kind))


def _sharpening(factor: Number, strength: Number) -> float:
    return 1.0 if factor <= 1 else 0.1 * strength * math.log(factor) + 1.0


def _check(factor: Number, trained_length: Number = 1.0) -> None:
    if not 1 <= factor < math.inf:
        raise InvalidValueError("{name} must be at least {least} and finite, not {given}", "factor", 1, factor)
    if not 1 <= trained_length < math.inf:
        raise InvalidValueError(
            "{name} must be at least {least} and finite, not {given}", "trained_length", 1, trained_length
        )
