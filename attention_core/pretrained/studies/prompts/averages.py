"""Averages over several prompts, each counted once: the measures of every head, and one head's aligned weights.

Results of single prompts are those of single analyses. Means and deviations are computed in float64 from all prompts;
a deviation is that of the prompts themselves, √(Σ (x − mean)² / n).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from jaxtyping import Float, Int

from attention_core.pretrained.errors import SelectionError, WindowTooLargeError
from attention_core.pretrained.recording.selection import check_index
from attention_core.pretrained.recording.specificity import weights_above_others
from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.running.analysis_parts import Part
from attention_core.pretrained.studies.prompts.alignment import AlignedPart, Alignment
from attention_core.pretrained.studies.prompts.text_measures import (
    NEED_NEIGHBOURS,
    PROMPT_MEASURES,
    text_measures,
    why_undefined,
)
from attention_core.refusal import Sentence

CELL = "cell"
"""The name of the weight between two positions, where it stands for a measure."""
ABOVE = "cell_above"
"""The name of that weight minus the mean of what the other queries give the same key."""


@dataclass(frozen=True, eq=False)
class MeasureSummary:
    """One measure of every head over the prompts."""

    mean: Float[np.ndarray, "layers heads"]
    """Each prompt counts once, whatever its length."""
    deviation: Float[np.ndarray, "layers heads"]
    """The standard deviation over the prompts, √(Σ (x − mean)² / n)."""
    least: Float[np.ndarray, "layers heads"]
    """The smallest value."""
    most: Float[np.ndarray, "layers heads"]
    """The largest value."""
    count: int
    """Prompts in which the measure is defined."""

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return self.mean.nbytes + self.deviation.nbytes + self.least.nbytes + self.most.nbytes


@dataclass(frozen=True, eq=False)
class PromptMeasures:
    """The measures of every head of one part in each prompt."""

    part: str
    """encoder, decoder or cross."""
    values: dict[str, Float[np.ndarray, "prompts layers heads"]]
    """By name; of the prompts in which the measure is defined."""
    defined: dict[str, list[int]]
    """By name: the indices of those prompts."""
    count: int
    """Prompts in all."""
    undefined: dict[str, Sentence] = field(default_factory=dict)
    """By name, the measures that no prompt has: why."""

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return sum(values.nbytes + 8 * len(values) for values in self.values.values())

    def and_also(self, other: "PromptMeasures") -> "PromptMeasures":
        """With the measures of the same prompts and part that another has."""
        return replace(self, values=self.values | other.values, defined=self.defined | other.defined)

    def summaries(self) -> dict[str, MeasureSummary]:
        """Mean, spread and extremes of each measure."""
        return {name: _summary(values) for name, values in self.values.items()}

    def of_head(self, layer: int, head: int) -> dict[str, list[float | None]]:
        """One head's values by name, in the order of the prompts; None where a measure is undefined.

        Raises SelectionError for a head out of range.
        """
        _, layers, heads = next(iter(self.values.values())).shape
        check_index("layer", layer, layers)
        check_index("head", head, heads)
        columns: dict[str, list[float | None]] = {}
        for name, values in self.values.items():
            columns[name] = [None] * self.count
            for index, value in zip(self.defined[name], values[:, layer, head].tolist(), strict=True):
                columns[name][index] = value
        return columns


@dataclass(frozen=True, eq=False)
class AlignedWeights:
    """One head's weights over the prompts, by aligned query and key."""

    mean: Float[np.ndarray, "queries keys"]
    """Over the prompts that have both positions; 0 where none has."""
    deviation: Float[np.ndarray, "queries keys"]
    """The standard deviation over the same prompts."""
    counts: Int[np.ndarray, "queries keys"]
    """How many have both positions."""
    allowed: Int[np.ndarray, "queries keys"]
    """In how many of them the mask lets the query attend to the key: with none, the mean is 0 by the mask."""

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return self.mean.nbytes + self.deviation.nbytes + self.counts.nbytes + self.allowed.nbytes


@dataclass(frozen=True, eq=False)
class MeasuresOfOne:
    """What is kept of one prompt's analysis."""

    part: str
    values: dict[str, Float[np.ndarray, "layers heads"]]
    """By name, the measures that are defined."""
    is_self_attention: bool = True
    """Whether queries and keys are the same tokens."""


def measures_of(
    analysis: Analysis, name: str | None = None, on_block: Callable[[], None] | None = None
) -> MeasuresOfOne:
    """The measures of one part, the first unless named: those that this prompt has. ``on_block`` may raise to stop."""
    part = analysis.part(name)
    few = part.query_tokens < 2
    kept = {name: values for name, values in part.metrics.items() if not (few and name in NEED_NEIGHBOURS)}
    tokens = analysis.tokens if part.query_side == "source" else analysis.target_tokens or []
    own = text_measures(part.record, tokens, on_block)
    return MeasuresOfOne(part.name, kept | own, part.query_side == part.key_side)


def collect_measures(found: Sequence[MeasuresOfOne]) -> PromptMeasures:
    """Put together what each prompt has."""
    names = [name for name in PROMPT_MEASURES if any(name in each.values for each in found)]
    defined = {name: [index for index, each in enumerate(found) if name in each.values] for name in names}
    values = {name: np.stack([found[index].values[name] for index in defined[name]]) for name in names}
    missing = [name for name in PROMPT_MEASURES if name not in values]
    reasons = {name: why_undefined(name, is_self_attention=found[0].is_self_attention) for name in missing}
    return PromptMeasures(found[0].part, values, defined, len(found), reasons)


@dataclass(eq=False)
class Averaging:
    """Accumulates arrays of one shape, each with the cells that it has, by Welford's method."""

    shape: tuple[int, ...]
    mean: np.ndarray = field(init=False, repr=False)
    squares: np.ndarray = field(init=False, repr=False)
    counts: np.ndarray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.mean, self.squares = np.zeros(self.shape), np.zeros(self.shape)
        self.counts = np.zeros(self.shape, dtype=np.int64)

    def add(self, values: np.ndarray, has: np.ndarray) -> None:
        """Add one array; cells outside ``has`` are ignored."""
        self.counts += has
        step = np.where(has, values - self.mean, 0.0)
        self.mean += step / np.maximum(self.counts, 1)
        self.squares += np.where(has, step * (values - self.mean), 0.0)

    @property
    def deviation(self) -> np.ndarray:
        """√(Σ (x − mean)² / n); 0 where there is nothing."""
        return np.sqrt(np.maximum(self.squares, 0.0) / np.maximum(self.counts, 1))


class WeightAverage:
    """One head's weights, averaged over the prompts of an alignment, one analysis at a time.

    The tokens of a merged position are averaged as queries and summed as keys, so that a row still adds up to 1.
    Raises WindowTooLargeError if a prompt's weights have more than ``max_cells`` cells.
    """

    def __init__(self, aligned: AlignedPart, layer: int, head: int, *, max_cells: int) -> None:
        longest = [max(_lengths(each)) for each in (aligned.queries, aligned.keys)]
        if longest[0] * longest[1] > max_cells:
            raise WindowTooLargeError(
                "The longest prompt has {count} tokens, and so more than {limit} weights: average shorter prompts.",
                max(longest),
                field="prompts",
                limit=max_cells,
            )
        self._aligned, self._layer, self._head = aligned, layer, head
        shape = len(aligned.queries.positions), len(aligned.keys.positions)
        self._sums, self._allowed = Averaging(shape), np.zeros(shape, dtype=np.int64)

    def add(self, index: int, analysis: Analysis) -> None:
        """Add the analysis of the prompt with this index. Raises SelectionError for a head out of range."""
        part = analysis.part(self._aligned.part)
        cells = part.query_tokens * part.key_tokens
        window = analysis.window(part.name, self._layer, self._head, max_cells=cells).astype(np.float64)
        queries, keys = self._aligned.queries.places[index], self._aligned.keys.places[index]
        rows, cols = _members(queries, part.query_tokens), _members(keys, part.key_tokens)
        merged = (rows / np.maximum(rows.sum(axis=1, keepdims=True), 1)) @ window @ cols.T
        self._sums.add(merged, np.outer(rows.any(axis=1), cols.any(axis=1)))
        allowed = part.allowed_window(self._layer, slice(0, part.query_tokens), slice(0, part.key_tokens))
        self._allowed += rows @ allowed[self._head].cpu().numpy() @ cols.T > 0

    def result(self) -> AlignedWeights:
        """The average so far."""
        sums = self._sums
        return AlignedWeights(
            sums.mean.astype(np.float32), sums.deviation.astype(np.float32), sums.counts, self._allowed
        )


class CellAverage:
    """The weight from one aligned query to one aligned key in every head, averaged over the prompts.

    Raises SelectionError for a position out of range.
    """

    def __init__(self, aligned: AlignedPart, query: int, key: int) -> None:
        self._aligned = aligned
        self._query = check_index("query", query, len(aligned.queries.positions))
        self._key = check_index("key", key, len(aligned.keys.positions))
        self._found: dict[int, Float[np.ndarray, "measures layers heads"]] = {}
        self._part = ""

    def add(self, index: int, analysis: Analysis) -> None:
        """Add the analysis of the prompt with this index, if it has both positions."""
        part = analysis.part(self._aligned.part)
        query, key = self._aligned.queries.places[index][self._query], self._aligned.keys.places[index][self._key]
        self._part = part.name
        if query is not None and key is not None:
            self._found[index] = _cell(part, query, key)

    def result(self) -> PromptMeasures:
        """The weights, and how far they are above other queries'.

        Raises SelectionError if no prompt has both positions.
        """
        if not self._found:
            raise SelectionError(
                "no prompt has both positions, query {query} and key {key}", self._query, self._key, field="key"
            )
        values = dict(zip((CELL, ABOVE), np.stack(list(self._found.values()), axis=1), strict=True))
        defined = {name: list(self._found) for name in values}
        return PromptMeasures(self._part, values, defined, len(self._aligned.keys.places))


def _cell(part: Part, query: range, key: range) -> Float[np.ndarray, "measures layers heads"]:
    """Of each head: the mean over these queries of the sum over these keys, and how far it is above other queries'."""
    rows, cols = slice(0, part.query_tokens), slice(key.start, key.stop)
    own = key if part.query_side == part.key_side else None
    with torch.inference_mode():
        tensors = [
            weights_above_others(
                layer.attention.weights(rows, cols, layer.log_sum_exp)[0].double(),
                layer.attention.allowed(rows, cols)[0],
                query,
                own,
            )
            for layer in part.record.layers
        ]
        return torch.stack([torch.stack(each) for each in zip(*tensors, strict=True)]).cpu().numpy()


def _lengths(alignment: Alignment) -> list[int]:
    return [max(place.stop for place in each if place is not None) for each in alignment.places]


def _members(places: Sequence[range | None], count: int) -> Float[np.ndarray, "positions tokens"]:
    """1 where a token stands at a position."""
    table = np.zeros((len(places), count))
    for index, place in enumerate(places):
        if place is not None:
            table[index, place.start : place.stop] = 1.0
    return table


def _summary(values: Float[np.ndarray, "prompts layers heads"]) -> MeasureSummary:
    exact = values.astype(np.float64)
    return MeasureSummary(
        mean=exact.mean(axis=0).astype(np.float32),
        deviation=exact.std(axis=0).astype(np.float32),
        least=values.min(axis=0).astype(np.float32),
        most=values.max(axis=0).astype(np.float32),
        count=len(values),
    )
