"""Build masks from plain options and apply them to scores.

Also a common mistake: a finite number instead of −∞. It seems to work, because ``exp`` of a large negative number is 0,
but it leaks where the scores are as large as the number, and in fully masked rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.attend import entropy, mask_scores, softmax
from attention_core.masks import causal_mask, forbidden, padding_mask, prefix_mask, sliding_window_mask, to_additive
from attention_core.precision import Precision, cast
from attention_core.refusal import InvalidValueError, check_choice
from attention_core.trace import to_array

MaskKind = Literal["none", "causal", "padding", "sliding_window", "prefix", "custom"]

OPTIONS: dict[MaskKind, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "none": ((), ()),
    "causal": ((), ()),
    "padding": (("lengths", "is_token"), ("causal",)),
    "sliding_window": (("window",), ("causal_only",)),
    "prefix": (("prefix",), ()),
    "custom": (("allowed", "additive"), ("causal",)),
}
"""For each kind: options of which exactly one is needed, and options that may be left out."""

Scores = Float[np.ndarray, "*batch queries keys"]
Flags = Bool[np.ndarray, "*batch queries keys"]


@dataclass(frozen=True)
class MaskChoice:
    """Mask options from plain values, as requests supply them.

    Raises ValueError for an option that the kind does not have, or lacks.
    """

    kind: MaskKind
    window: int | None = None
    """sliding_window: how many keys a position attends to in each direction, itself included."""
    causal_only: bool | None = None
    """sliding_window: whether it reaches only back, as it does unless given, or in both directions."""
    prefix: int | None = None
    """prefix: how many of the first positions every query attends to."""
    lengths: int | Sequence[int] | None = None
    """padding: real tokens at the start of the sequence, or of each sequence of a batch."""
    is_token: Sequence[bool] | Sequence[Sequence[bool]] | None = None
    """padding: true at real tokens, for one sequence or for each of a batch; padding may be anywhere."""
    allowed: Sequence[Sequence[bool]] | None = None
    """custom: true where attending is allowed."""
    additive: Sequence[Sequence[float]] | None = None
    """custom: what is added to the scores, −∞ where attending is not allowed."""
    causal: bool | None = None
    """padding and custom: combined with a causal mask."""

    def __post_init__(self) -> None:
        check_choice("kind", self.kind, OPTIONS)
        present = {field.name for field in fields(self) if getattr(self, field.name) is not None} - {"kind"}
        one_of, optional = OPTIONS[self.kind]
        for name in sorted(present - {*one_of, *optional}):
            raise InvalidValueError("{name} is not an option of a mask of kind {kind}", name, self.kind)
        if one_of and len(present & {*one_of}) != 1:
            raise InvalidValueError(
                "kind {kind} needs {either}{options}", self.kind, "either " * (len(one_of) > 1), " or ".join(one_of)
            )
        for name in ("is_token", "allowed", "additive"):
            _refuse_ragged(name, getattr(self, name))

    def sizes(self) -> tuple[int | None, int | None]:
        """Numbers of queries and keys, where the mask determines them."""
        matrix = self.allowed or self.additive
        if matrix is not None:
            return len(matrix), len(matrix[0])
        if self.is_token is not None:
            return None, torch.tensor(self.is_token).shape[-1]
        if self.lengths is not None:
            return None, int(torch.tensor(self.lengths).max())
        return None, None

    def build(
        self, num_queries: int, num_keys: int, *, dtype: torch.dtype = torch.float64
    ) -> Bool[Tensor, "*batch Q K"] | Float[Tensor, "Q K"] | None:
        """The dense mask: boolean, or additive in ``dtype`` if given as numbers; a batch of sequences adds an axis.

        Raises ValueError if it does not fit the sizes.
        """
        mask = self._of_kind(num_queries, num_keys, dtype)
        if mask is None or not self.causal:
            return mask
        visible = causal_mask(num_queries, num_keys)
        return mask & visible if mask.dtype == torch.bool else mask.masked_fill(~visible, float("-inf"))

    def _of_kind(self, num_queries: int, num_keys: int, dtype: torch.dtype) -> Tensor | None:
        if self.kind == "causal":
            return causal_mask(num_queries, num_keys)
        if self.window is not None:
            return sliding_window_mask(num_queries, num_keys, self.window, causal_only=self.causal_only is not False)
        if self.prefix is not None:
            return prefix_mask(num_queries, num_keys, self.prefix)
        if self.kind == "padding":
            is_token = self._tokens(num_keys)
            return padding_mask(is_token).expand(*is_token.shape[:-1], num_queries, num_keys)
        return self._custom(num_queries, num_keys, dtype) if self.kind == "custom" else None

    def _custom(self, num_queries: int, num_keys: int, dtype: torch.dtype) -> Tensor:
        if self.additive is not None:
            return _sized("additive", torch.tensor(self.additive, dtype=dtype), num_queries, num_keys)
        return _sized("allowed", torch.tensor(self.allowed, dtype=torch.bool), num_queries, num_keys)

    def _tokens(self, num_keys: int) -> Bool[Tensor, "*batch K"]:
        if self.is_token is not None:
            is_token = torch.tensor(self.is_token, dtype=torch.bool)
            if is_token.shape[-1] != num_keys:
                raise InvalidValueError(
                    "is_token must have one entry for each of {num_keys} keys, not {given}",
                    num_keys,
                    is_token.shape[-1],
                )
            return is_token
        lengths = torch.tensor(self.lengths, dtype=torch.int64)
        if bool((lengths < 0).any() or (lengths > num_keys).any()):
            raise InvalidValueError(
                "lengths must lie between 0 and the {num_keys} keys, not {given}", num_keys, self.lengths
            )
        return torch.arange(num_keys) < lengths.unsqueeze(-1)


def _refuse_ragged(name: str, rows: Sequence[Any] | None) -> None:
    if rows is None or not isinstance(rows[0], Sequence):
        return
    for index, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise InvalidValueError(
                "{name} must have rows of one length: row {index} has {count} entries and row 0 has {first}",
                name,
                index,
                len(row),
                len(rows[0]),
            )


def _sized(name: str, mask: Tensor, num_queries: int, num_keys: int) -> Tensor:
    if mask.shape != (num_queries, num_keys):
        rows, cols = mask.shape
        raise InvalidValueError(
            "{name} must have {num_queries} rows of {num_keys} entries, not {rows} rows of {cols}",
            name,
            num_queries,
            num_keys,
            rows,
            cols,
        )
    return mask


@dataclass(frozen=True, eq=False)
class MaskedScores:
    """A mask in both forms, and the masked scores. A batch of padded sequences has a batch axis in front."""

    allowed: Flags
    """True where attending is allowed."""
    additive: Scores
    """0 where attending is allowed and −∞ where not, or what a custom additive mask adds."""
    scores: Scores
    """Before the mask."""
    masked_scores: Scores
    weights: Scores
    """Rows sum to 1, or are 0 where every key is masked."""
    entropy: Float[np.ndarray, "*batch queries"]
    """Of each row, in nats."""
    fully_masked: Bool[np.ndarray, "*batch queries"]
    """Rows in which every key is masked."""


@dataclass(frozen=True, eq=False)
class Leak:
    """The weight that leaks through a mask that adds a finite number instead of −∞, in one precision."""

    precision: Precision
    fill: float
    stored: float
    """The number as this precision holds it: −1e5 exceeds float16 and becomes −∞."""
    weights: Scores
    leaked: Float[np.ndarray, "*batch queries"]
    """For each row: the share of its weight on masked keys; 0 if nothing leaks."""

    @property
    def largest(self) -> float:
        """Of ``leaked``."""
        return float(self.leaked.max())


def example_scores(num_queries: int, num_keys: int, seed: int = 0) -> Float[np.ndarray, "queries keys"]:
    """Random normal (Q, K) scores rounded to one decimal for legibility."""
    generator = torch.Generator().manual_seed(seed)
    return to_array(torch.randn(num_queries, num_keys, generator=generator, dtype=torch.float64).round(decimals=1))


def apply_mask(choice: MaskChoice, scores: Scores, precision: Precision = "float64") -> MaskedScores:
    """A mask of the shape of these (*batch, Q, K) scores, and the masked scores, all in this precision.

    A batch of scores and a batch of sequences must have one size; a single score matrix serves a batch of sequences.
    Raises ValueError for scores beyond the precision's largest number.
    """
    rounded = cast(torch.as_tensor(scores), precision, "scores")
    mask = _mask_for(choice, rounded)
    allowed = ~forbidden(mask)
    additive = to_additive(mask, rounded.dtype) if mask.dtype == torch.bool else mask
    masked = mask_scores(rounded, mask)
    weights = softmax(masked)
    return MaskedScores(
        allowed=to_array(allowed),
        additive=to_array(additive),
        scores=to_array(rounded.expand(masked.shape)),
        masked_scores=to_array(masked),
        weights=to_array(weights),
        entropy=to_array(entropy(weights)),
        fully_masked=to_array(~allowed.any(dim=-1)),
    )


def leaks(
    choice: MaskChoice,
    scores: Scores,
    fills: Sequence[float],
    precisions: Sequence[Precision] = ("float16", "bfloat16", "float32"),
) -> list[Leak]:
    """For each precision and number: the weights when it is *added* to masked scores, and how much weight leaks.

    −∞ among the numbers is the right way, for comparison. It leaks where scores are as large as the number: 10⁴ − 10⁴
    is 0, like any other score. And in fully masked rows: adding the same number everywhere does not change softmax, so
    all the weight is on masked keys (evenly, where the number is so large that the scores are rounded away).
    """
    return [_leak(choice, scores, fill, precision) for precision in precisions for fill in fills]


def _leak(choice: MaskChoice, scores: Scores, fill: float, precision: Precision) -> Leak:
    rounded = cast(torch.as_tensor(scores), precision, "scores")
    hidden = forbidden(_mask_for(choice, rounded))
    stored = torch.tensor(fill, dtype=torch.float64).to(rounded.dtype)
    weights = softmax(rounded + torch.zeros_like(hidden, dtype=rounded.dtype).masked_fill(hidden, stored))
    # Weights rounded to bfloat16 need not add up to 1, but a share of them is never above it.
    rows = weights.double()
    leaked = rows.masked_fill(~hidden, 0.0).sum(dim=-1) / rows.sum(dim=-1).where(rows.any(dim=-1), 1.0)
    return Leak(precision, fill, float(stored), to_array(weights), to_array(leaked))


def _mask_for(choice: MaskChoice, scores: Tensor) -> Tensor:
    *batch, num_queries, num_keys = scores.shape
    mask = choice.build(num_queries, num_keys, dtype=scores.dtype)
    if mask is None:
        return torch.ones(num_queries, num_keys, dtype=torch.bool)
    if batch and mask.ndim > 2 and batch[0] != mask.shape[0]:
        raise InvalidValueError(
            "scores hold {matrices} matrices but the mask covers {sequences} sequences", batch[0], mask.shape[0]
        )
    return mask
