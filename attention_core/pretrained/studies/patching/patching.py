"""Activation patching: the effect of each head's, or each position's, activations on one answer.

Two prompts of equally many tokens, clean and corrupt, differ in what decides between two answers: texts or, for a model
that predicts classes of images, images, whose tokens are patches. The model runs on one of them, and one activation is
replaced by what it was in the run on the other (Vig et al. 2020; Meng et al. 2022; Heimersheim & Nanda 2024). With
``d = logit(answer) − logit(against)`` the effect of a patch is

``(d_patched − d_base) / (d_source − d_base)``,

where base is the run that is patched and source the one that the activation is from: 0 if nothing changes, 1 if the
patch alone makes the one run answer like the other. Denoising patches clean into corrupt, noising corrupt into clean.

Queries, keys and values are those after RoPE, as attention gets them; keys and values belong to KV heads. A pattern is
a head's weights, applied to the base run's values. An output is a head's weighted mean of values, before W_O. All
other activations are computed anew by the model, so an effect is total: direct and through everything behind it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float

from attention_core.pretrained.errors import SelectionError
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.parts import PartName
from attention_core.pretrained.recording.selection import check_index
from attention_core.pretrained.running.cancellation import Report, stopping
from attention_core.pretrained.studies.patching.contrast import (
    WEAK_GAP,
    Direction,
    PromptRun,
    VocabularyToken,
    shares,
)
from attention_core.pretrained.studies.patching.experiment import Experiment, Question, experiment
from attention_core.pretrained.studies.patching.meaning import caveats
from attention_core.pretrained.studies.patching.patches import (
    KEY_SIDE,
    Cell,
    PatchedLayers,
    Patches,
    What,
    check_replaceable,
    given_heads,
)
from attention_core.pretrained.studies.patching.prompts import differing
from attention_core.refusal import Sentence

By = Literal["head", "position"]
MAX_STRONGEST = 20


@dataclass(frozen=True)
class PatchedCell:
    """One patch and what it did."""

    layer: int
    head: int | None
    """A query head, or a KV head of keys and values; null for all heads of the layer."""
    position: int | None
    """The patched position; null for all of them."""
    effect: float
    difference: float


@dataclass(frozen=True, eq=False)
class Patching:
    """One grid of patches."""

    what: What
    by: By
    direction: Direction
    part: PartName
    position: int | None
    """The token at which the answer is predicted; null for a class, which belongs to all tokens together."""
    patched_position: int | None
    """The only position that is patched; null for all of them."""
    answer: VocabularyToken
    against: VocabularyToken
    """The token or class whose logit is subtracted."""
    clean: PromptRun
    corrupt: PromptRun
    differing: list[int]
    """The positions at which the prompts' tokens, or the pixels of their patches, differ."""
    gap: float
    """Clean minus corrupt logit difference, in logits: what an effect of 1 stands for."""
    weak: bool
    """Whether that is so small that effects say little."""
    query_heads_per_column: int
    """With keys and values one column is a KV head, which so many query heads share; else 1."""
    effects: Float[np.ndarray, "layers columns"]
    """0: as the run that is patched; 1: as the run that the activation is from. Columns are heads or positions."""
    differences: Float[np.ndarray, "layers columns"]
    """Logit differences of the patched runs."""
    strongest: list[PatchedCell]
    """The largest effects of either sign, at most 20."""
    runs: int
    """Patched forward passes."""

    @property
    def caveats(self) -> list[Sentence]:
        """How the effect is defined, and what it does not show."""
        return caveats(self.what, self.direction, weak=self.weak, shared=self.query_heads_per_column)

    @property
    def nbytes(self) -> int:
        """Approximate memory held, in bytes."""
        tokens = len(self.clean.tokens) + len(self.corrupt.tokens)
        return self.effects.nbytes + self.differences.nbytes + 200 * (tokens + 40)


def patching(
    loaded: LoadedModel,
    question: Question,
    *,
    what: What = "output",
    by: By = "head",
    patched_position: int | None = None,
    part: PartName | None = None,
    max_tokens: int | None = None,
    cancelled: Callable[[], bool] | None = None,
    report: Report | None = None,
) -> Patching:
    """Patch every head of every layer, or every position of every layer, one run each.

    ``patched_position`` restricts patches of heads to one position: a key's for keys and values, else a query's.
    Raises the errors of ``experiment``, SelectionError for a position that does not exist and for the residual stream
    by head, WindowTooLargeError for too many runs.
    """
    if what == "residual" and (by == "head" or part == "cross"):
        raise SelectionError("The residual stream belongs to no head: ask for it by position.", field="what")
    if by == "position" and patched_position is not None:
        raise SelectionError("patched_position is for patches by head.", field="patched_position")
    check = stopping(cancelled, "patching")
    tried = experiment(
        loaded, question, check, report=report, part=part, streams=what == "residual", max_tokens=max_tokens
    )
    attention = tried.base.layers[0].record.attention
    check_replaceable(loaded, attention, what)
    side = attention.num_keys if what in KEY_SIDE else attention.num_queries
    if patched_position is not None:
        check_index("patched_position", patched_position, side)
    owners = given_heads(attention, "keys" if what in KEY_SIDE else "queries")
    columns = len(owners) if by == "head" else side
    cells = [
        Cell(layer, column, patched_position) if by == "head" else Cell(layer, None, column)
        for layer in range(len(tried.base.layers))
        for column in range(columns)
    ]
    differences = [each for batch in tried.batches(cells) for each in _patched(tried, what, batch)]
    effects = shares(differences, tried.baselines, question.direction)
    return Patching(
        what=what,
        by=by,
        direction=question.direction,
        part=tried.hooked.part,
        position=tried.baselines.contrast.position,
        patched_position=patched_position,
        answer=tried.baselines.answer,
        against=tried.baselines.against,
        clean=tried.baselines.clean,
        corrupt=tried.baselines.corrupt,
        differing=differing(*tried.prompts),
        gap=tried.baselines.gap,
        weak=abs(tried.baselines.gap) < WEAK_GAP,
        query_heads_per_column=attention.num_heads // len(owners),
        effects=np.array(effects).reshape(-1, columns),
        differences=np.array(differences).reshape(-1, columns),
        strongest=strongest(cells, effects, differences),
        runs=len(cells),
    )


def strongest(cells: list[Cell], effects: list[float], differences: list[float]) -> list[PatchedCell]:
    """The cells with the largest effects of either sign."""
    found = [
        PatchedCell(cell.layer, cell.head, cell.position, effect, difference)
        for cell, effect, difference in zip(cells, effects, differences, strict=True)
    ]
    return sorted(found, key=lambda each: -abs(each.effect))[:MAX_STRONGEST]


def _patched(tried: Experiment, what: What, cells: Sequence[Cell]) -> list[float]:
    patches = Patches(what, cells, tried.source)
    layers = PatchedLayers(tried.hooked.part_of, tried.hooked.part, patches.change, tried.check)
    stream = patches.stream if what == "residual" else None
    return tried.differences(tried.logits(len(cells), layers, stream))
