"""RoPE on one query and one key: rotated vectors, scores by distance, and extrapolation past the trained length.

Plain numbers in, arrays out. All scores here are raw (``q · k``, not divided by √D); rows are queries, columns keys.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention_core import rope
from attention_core.precision import DTYPES, Precision, cast, largest
from attention_core.refusal import InvalidValueError
from attention_core.rope import Pairing
from attention_core.rope_scaling import (
    DynamicNtk,
    Linear,
    Llama3,
    NtkAware,
    Number,
    Scaling,
    Yarn,
    attention_factor,
)

Method = Literal["none", "linear", "ntk", "dynamic", "yarn", "llama3"]
SquareOfScores = Float[np.ndarray, "positions positions"]


@dataclass(frozen=True, eq=False)
class Slide:
    """The scores again with the same offset added to positions."""

    both: SquareOfScores
    """Query and key shifted together: the same scores as before."""
    query_only: SquareOfScores
    """Only the query shifted: other scores."""
    largest_change_both: float
    largest_change_query_only: float


@dataclass(frozen=True, eq=False)
class MixedPairings:
    """The scores when code and weights disagree about the pairing."""

    mixed_scores: SquareOfScores
    """Queries rotated by the chosen pairing, keys by the other: no longer a function of the distance."""
    wrong_layout_scores: SquareOfScores
    """Both rotated by the other pairing: still relative, but not what was trained."""
    permuted_scores: SquareOfScores
    """Both reordered first, then rotated by the other pairing: the right scores again."""
    largest_change_on_slide: float
    """Of ``mixed_scores`` when both positions move by 1; 0, apart from rounding, for a relative score."""


@dataclass(frozen=True, eq=False)
class Composition:
    """``R_mᵀ R_n`` and ``R_{n−m}`` as dense matrices."""

    product: Float[np.ndarray, "rotary_dim rotary_dim"]
    difference_rotation: Float[np.ndarray, "rotary_dim rotary_dim"]
    largest_difference: float


@dataclass(frozen=True, eq=False)
class RopeNumbers:
    """All RoPE results for one query and one key. Rows of scores are queries, columns keys."""

    frequencies: Float[np.ndarray, "pairs"]
    """Radians per position."""
    wavelengths: Float[np.ndarray, "pairs"]
    """Positions per full turn."""
    attention_factor: float
    """Multiplies cos and sin; 1 except under YaRN."""
    angles: Float[np.ndarray, "positions pairs"]
    """Radians."""
    cos: Float[np.ndarray, "positions pairs"]
    sin: Float[np.ndarray, "positions pairs"]
    vector: Float[np.ndarray, "dim"]
    """The query."""
    key: Float[np.ndarray, "dim"]
    rotated: Float[np.ndarray, "positions dim"]
    """The query at each position."""
    rotated_keys: Float[np.ndarray, "positions dim"]
    norms: Float[np.ndarray, "positions"]
    """Of the rotated query: the same at every position."""
    relative_scores: SquareOfScores | None
    """q·k after rotating each to its position, unscaled. Null where positions² exceeds
    OBSERVATORY_MAX_CONCEPT_CELLS."""
    decay_distances: Float[np.ndarray, "distances"]
    decay: Float[np.ndarray, "distances"]
    """Mean |S_j| at each of decay_distances (RoFormer, §3.4.3)."""
    permutation: Int[np.ndarray, "rotary_dim"]
    """half_split[i] = interleaved[permutation[i]]."""
    slide: Slide | None
    mixed_pairings: MixedPairings | None
    composition: Composition | None


def rope_numbers(
    dim: int,
    positions: Sequence[Number],
    pairing: Pairing,
    *,
    base: Number = 10_000.0,
    frequencies: Sequence[Number] | None = None,
    scaling: Scaling | None = None,
    sequence_length: Number | None = None,
    rotary_dim: int | None = None,
    vector: Sequence[Number] | None = None,
    key: Sequence[Number] | None = None,
    distances: Sequence[Number] | None = None,
    precision: Precision = "float64",
    scores: bool = True,
    slide: Number | None = None,
    mix_pairings: bool = False,
    compose: Sequence[Number] | None = None,
) -> RopeNumbers:
    """Rotate one query and one key to every position and compare them.

    ``frequencies`` replaces base and scaling. The query is (1, 0) in every pair unless given,
    the key the query. ``distances`` (for ``decay``) are the positions unless given; dynamic scaling takes its length
    from the largest position unless given. Vectors and scores are held in ``precision``, angles always in float64.
    """
    rope.check_pairing(pairing)
    rope.check_dim(dim)
    rotary_dim = dim if rotary_dim is None else rotary_dim
    if rotary_dim > dim:
        raise InvalidValueError("rotary_dim must be at most dim ({dim}), not {rotary_dim}", dim, rotary_dim)
    places = torch.tensor(positions, dtype=torch.float64)
    length = float(places.max()) + 1 if sequence_length is None else sequence_length
    if frequencies is None:
        theta = rope.frequencies(rotary_dim, base, scaling, sequence_length=length)
    else:
        theta = torch.tensor(frequencies, dtype=torch.float64)
        if len(theta) != rotary_dim // 2:
            raise InvalidValueError(
                "frequencies must have one entry for each of {pairs} pairs, not {given}", rotary_dim // 2, len(theta)
            )
    query_vector = _vector(vector, dim, rotary_dim, pairing, precision, "vector")
    key_vector = query_vector if key is None else _vector(key, dim, rotary_dim, pairing, precision, "key")
    pair = _Pair(query_vector, key_vector, theta, attention_factor(scaling), pairing)
    cos, sin = rope.cos_sin(places, theta, pair.factor)
    decay_distances = places if distances is None else torch.tensor(distances, dtype=torch.float64)
    rotated, rotated_keys = pair.queries(places), pair.keys(places)
    # No score exceeds the product of the norms, so it is enough to look at that.
    if not bool((rotated.double().norm(dim=-1).max() * rotated_keys.double().norm(dim=-1).max()) < largest(precision)):
        raise InvalidValueError("precision {precision} cannot hold the scores of numbers this large", precision)
    return RopeNumbers(
        frequencies=theta.numpy(),
        wavelengths=rope.wavelengths(theta).numpy(),
        attention_factor=pair.factor,
        angles=rope.angles(places, theta).numpy(),
        cos=cos.numpy(),
        sin=sin.numpy(),
        vector=_array(query_vector),
        key=_array(key_vector),
        rotated=_array(rotated),
        rotated_keys=_array(rotated_keys),
        norms=_array(rotated.double().norm(dim=-1)),
        relative_scores=_array(pair.scores(places, places)) if scores else None,
        decay_distances=decay_distances.numpy(),
        decay=rope.decay(decay_distances, theta).numpy(),
        permutation=rope.to_half_split(rotary_dim).numpy(),
        slide=None if slide is None else pair.slide(places, slide),
        mixed_pairings=pair.mix(places) if mix_pairings else None,
        composition=None if compose is None else _compose(compose, theta, pairing),
    )


@dataclass(frozen=True, eq=False)
class _Pair:
    """A query and a key with their RoPE settings."""

    query: Tensor
    key: Tensor
    theta: Tensor
    factor: float
    pairing: Pairing
    key_pairing: Pairing | None = None
    """Of the keys, where it is another."""

    def queries(self, positions: Tensor) -> Tensor:
        return self._rotate(self.query, positions, self.pairing)

    def keys(self, positions: Tensor) -> Tensor:
        return self._rotate(self.key, positions, self.key_pairing or self.pairing)

    def scores(self, query_positions: Tensor, key_positions: Tensor) -> Tensor:
        return self.queries(query_positions) @ self.keys(key_positions).T

    def slide(self, positions: Tensor, distance: Number) -> Slide:
        before, moved = self.scores(positions, positions), positions + distance
        both, query_only = self.scores(moved, moved), self.scores(moved, positions)
        return Slide(_array(both), _array(query_only), _change(both, before), _change(query_only, before))

    def mix(self, positions: Tensor) -> MixedPairings:
        other: Pairing = "half_split" if self.pairing == "interleaved" else "interleaved"
        rotary_dim = 2 * self.theta.shape[0]
        to_other = rope.to_half_split if other == "half_split" else rope.to_interleaved
        order = torch.cat((to_other(rotary_dim), torch.arange(rotary_dim, self.query.shape[0])))
        mixed = _Pair(self.query, self.key, self.theta, self.factor, self.pairing, key_pairing=other)
        wrong = _Pair(self.query, self.key, self.theta, self.factor, other)
        permuted = _Pair(self.query[order], self.key[order], self.theta, self.factor, other)
        return MixedPairings(
            mixed_scores=_array(mixed.scores(positions, positions)),
            wrong_layout_scores=_array(wrong.scores(positions, positions)),
            permuted_scores=_array(permuted.scores(positions, positions)),
            largest_change_on_slide=mixed.slide(positions, 1).largest_change_both,
        )

    def _rotate(self, vector: Tensor, positions: Tensor, pairing: Pairing) -> Tensor:
        cos, sin = rope.cos_sin(positions, self.theta, self.factor)
        return rope.apply_rotation(vector.expand(len(positions), -1), cos, sin, pairing=pairing)


@dataclass(frozen=True, eq=False)
class Stretch:
    """One method of context extension."""

    kind: Method
    attention_factor: float
    frequencies: Float[np.ndarray, "pairs"]
    wavelengths: Float[np.ndarray, "pairs"]
    angles: Float[np.ndarray, "positions pairs"]
    """Radians."""
    unseen_pairs: Int[np.ndarray, "positions"]
    """Pairs at an angle never met in training, whose longest text was less than one full turn of theirs."""
    scores: Float[np.ndarray, "positions"]
    """Score of two equal vectors, (1, 0) in every pair, at that distance, divided by the number of pairs."""


def compare_scalings(
    dim: int, positions: Sequence[Number], *, base: Number, trained_length: Number, factor: Number
) -> list[Stretch]:
    """The same positions under plain RoPE and under every scaling, each with the same factor.

    Llama3 takes its published bounds (1 and 4 turns), YaRN its own (1 and 32); dynamic NTK the largest position.
    """
    choices: dict[Method, Scaling | None] = {
        "none": None,
        "linear": Linear(factor),
        "ntk": NtkAware(factor),
        "dynamic": DynamicNtk(factor, trained_length),
        "yarn": Yarn(factor, trained_length),
        "llama3": Llama3(factor, trained_length=trained_length),
    }
    places = torch.tensor(positions, dtype=torch.float64)
    met = trained_length * rope.frequencies(dim, base)
    return [_stretch(kind, scaling, dim, base, places, met) for kind, scaling in choices.items()]


def _stretch(kind: Method, scaling: Scaling | None, dim: int, base: Number, places: Tensor, met: Tensor) -> Stretch:
    length = float(places.abs().max()) + 1
    theta = rope.frequencies(dim, base, scaling, sequence_length=length)
    phases, factor = rope.angles(places, theta), attention_factor(scaling)
    unseen = (phases.abs() > met) & (met < 2 * torch.pi)
    return Stretch(
        kind=kind,
        attention_factor=factor,
        frequencies=theta.numpy(),
        wavelengths=rope.wavelengths(theta).numpy(),
        angles=phases.numpy(),
        unseen_pairs=unseen.sum(dim=-1).numpy(),
        scores=(phases.cos().mean(dim=-1) * factor**2).numpy(),
    )


def _compose(pair: Sequence[Number], theta: Tensor, pairing: Pairing) -> Composition:
    m, n = pair
    product = rope.rotation_matrix(m, theta, pairing=pairing).T @ rope.rotation_matrix(n, theta, pairing=pairing)
    rotation = rope.rotation_matrix(n - m, theta, pairing=pairing)
    return Composition(product.numpy(), rotation.numpy(), _change(product, rotation))


def _vector(
    given: Sequence[Number] | None, dim: int, rotary_dim: int, pairing: Pairing, precision: Precision, name: str
) -> Tensor:
    if given is None:
        vector = torch.zeros(dim, dtype=DTYPES[precision])
        vector[0:rotary_dim:2] = 1
        if pairing == "half_split":
            vector[:rotary_dim] = vector[:rotary_dim][rope.to_half_split(rotary_dim)]
        return vector
    if len(given) != dim:
        raise InvalidValueError("{name} must have dim ({dim}) numbers, not {given}", name, dim, len(given))
    return cast(torch.tensor(given, dtype=torch.float64), precision, name)


def _array(tensor: Tensor) -> np.ndarray:
    """Convert to float64, which represents every value of every precision exactly."""
    return tensor.double().numpy()


def _change(after: Tensor, before: Tensor) -> float:
    return float((after.double() - before.double()).abs().max())
