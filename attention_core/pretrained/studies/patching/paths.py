"""Path patching: what one head does to another, or to the logits, along direct paths only (Wang et al. 2022, §3.1).

1. In the base run the sender's output is replaced by that of the source run, and every other head's output is held at
   its value of the base run. Feed-forward layers and norms are computed anew, so a path may lead through them, but
   through no other head, as in Wang et al. Where feed-forward layers are held, too, paths lead along the residual
   stream alone (Goldowsky-Dill et al. 2023).
2. The queries, keys or values that the receiver gets in run 1 are patched into the base run, and everything behind the
   receiver is computed anew. Its logit difference gives the effect, as in ``patching``.

For a path to the logits, those of run 1 count. Only heads of later layers can receive from a head.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from jaxtyping import Float
from torch import Tensor

from attention_core.blockwise.attention import BlockwiseAttention
from attention_core.pretrained.errors import ModelUnavailableError, SelectionError
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.recorder import AttentionCall, Recording
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
from attention_core.pretrained.studies.patching.meaning import path_caveats
from attention_core.pretrained.studies.patching.patches import Cell, PatchedLayers, check_replaceable, given_heads
from attention_core.pretrained.studies.patching.patching import PatchedCell, strongest
from attention_core.refusal import Sentence

Fixed = Literal["sender", "receiver", "logits"]
Via = Literal["queries", "keys", "values"]
FeedForward = Literal["recomputed", "held"]


@dataclass(frozen=True, eq=False)
class PathPatching:
    """The effect of every path from one sender, to one receiver, or to the logits."""

    fixed: Fixed
    """The end that all paths share; columns of the effects are heads at the other end, senders for logits."""
    layer: int | None
    head: int | None
    """The head at the shared end; null for logits."""
    via: Via | None
    """What of the receiver is patched; null for logits."""
    feed_forward: FeedForward
    """Whether paths may lead through feed-forward layers: computed anew, or held at the run that is patched."""
    direction: Direction
    position: int | None
    """The token at which the answer is predicted; null for a class, which belongs to all tokens together."""
    answer: VocabularyToken
    against: VocabularyToken
    clean: PromptRun
    corrupt: PromptRun
    gap: float
    """Clean minus corrupt logit difference, in logits: what an effect of 1 stands for."""
    weak: bool
    first_layer: int
    """The first layer with heads that may be at the other end; before it, and behind the last, effects are 0."""
    last_layer: int
    query_heads_per_column: int
    """Where columns are KV heads that receive keys or values, so many query heads share one; else 1."""
    effects: Float[np.ndarray, "layers heads"]
    differences: Float[np.ndarray, "layers heads"]
    """Logit differences; those of the unpatched run where there is no path."""
    to_logits: float | None
    """The effect of the path from the sender straight to the logits; null where no sender is fixed."""
    strongest: list[PatchedCell]
    runs: int
    """Patched forward passes."""

    @property
    def caveats(self) -> list[Sentence]:
        """How the effect is defined, and what it does not show."""
        return path_caveats(
            self.direction,
            to_logits=self.fixed == "logits",
            held=self.feed_forward == "held",
            weak=self.weak,
            shared=self.query_heads_per_column,
        )

    @property
    def nbytes(self) -> int:
        """Approximate memory held, in bytes."""
        tokens = len(self.clean.tokens) + len(self.corrupt.tokens)
        return self.effects.nbytes + self.differences.nbytes + 200 * (tokens + 40)


def path_patching(
    loaded: LoadedModel,
    question: Question,
    *,
    fixed: Fixed = "logits",
    layer: int | None = None,
    head: int | None = None,
    via: Via = "queries",
    feed_forward: FeedForward = "recomputed",
    max_tokens: int | None = None,
    cancelled: Callable[[], bool] | None = None,
    report: Report | None = None,
) -> PathPatching:
    """All paths from a sender, to a receiver, or from every head to the logits.

    ``layer`` and ``head`` are the fixed head's; a receiver of keys or values is a KV head. Raises the errors of
    ``experiment``, SelectionError for a head that does not exist or has nobody at the other end,
    ModelUnavailableError where feed-forward layers are to be held in an unknown kind of block.
    """
    if loaded.entry.kind == "encoder_decoder":
        raise ModelUnavailableError(
            "Path patching follows one residual stream; {id} has two, an encoder's and a decoder's.", loaded.entry.id
        )
    check = stopping(cancelled, "path patching")
    tried = experiment(loaded, question, check, report=report, max_tokens=max_tokens)
    fed = _written(tried) if feed_forward == "held" else None
    attention = tried.base.layers[0].record.attention
    if fixed != "logits":
        check_replaceable(loaded, attention, via)
    heads, kv_heads = attention.num_heads, len(given_heads(attention, via))
    layers = len(tried.base.layers)
    span, columns = range(layers), heads
    if fixed == "logits":
        _check_no_head(layer, head)
    else:
        layer, head = _fixed_head(fixed, layer, head, layers, heads if fixed == "sender" else kv_heads)
        span = range(layer + 1, layers) if fixed == "sender" else range(layer)
        columns = kv_heads if fixed == "sender" else heads
    cells = [Cell(each, column, None) for each in span for column in range(columns)]
    to_logits, differences = _measured(replace(tried, fed=fed), cells, fixed, layer, head, via)
    effects = shares(differences, tried.baselines, question.direction)
    base = tried.baselines.corrupt if question.direction == "denoising" else tried.baselines.clean
    return PathPatching(
        fixed=fixed,
        layer=layer,
        head=head,
        via=None if fixed == "logits" else via,
        feed_forward=feed_forward,
        direction=question.direction,
        position=tried.baselines.contrast.position,
        answer=tried.baselines.answer,
        against=tried.baselines.against,
        clean=tried.baselines.clean,
        corrupt=tried.baselines.corrupt,
        gap=tried.baselines.gap,
        weak=abs(tried.baselines.gap) < WEAK_GAP,
        first_layer=span.start,
        last_layer=span.stop - 1,
        query_heads_per_column=heads // columns,
        effects=_grid(effects, span, layers, columns, 0.0),
        differences=_grid(differences, span, layers, columns, base.difference),
        to_logits=None if to_logits is None else shares([to_logits], tried.baselines, question.direction)[0],
        strongest=strongest(cells, effects, differences),
        runs=len(cells) * (2 if fixed == "receiver" else 1) + (fixed == "sender"),
    )


def _check_no_head(layer: int | None, head: int | None) -> None:
    for name, value in (("layer", layer), ("head", head)):
        if value is not None:
            raise SelectionError("{name} is for a sender or a receiver, not for the logits.", name, field=name)


def _fixed_head(fixed: Fixed, layer: int | None, head: int | None, layers: int, heads: int) -> tuple[int, int]:
    for name, value in (("layer", layer), ("head", head)):
        if value is None:
            raise SelectionError("{name} must be given", name, field=name)
    layer, head = check_index("layer", layer or 0, layers), check_index("head", head or 0, heads)
    if fixed == "sender" and layer == layers - 1:
        raise SelectionError("No layer follows layer {layer}: its heads send to the logits only.", layer, field="layer")
    if fixed == "receiver" and layer == 0:
        raise SelectionError("No layer is before layer 0: its heads receive from no head.", field="layer")
    return layer, head


def _grid(
    numbers: list[float], span: range, layers: int, columns: int, elsewhere: float
) -> Float[np.ndarray, "layers heads"]:
    grid = np.full((layers, columns), elsewhere)
    grid[span.start : span.stop] = np.array(numbers).reshape(-1, columns)
    return grid


def _measured(
    tried: Experiment, cells: list[Cell], fixed: Fixed, layer: int | None, head: int | None, via: Via
) -> tuple[float | None, list[float]]:
    """The logit difference of the sender's path to the logits, if one is fixed, and of each cell's path."""
    match fixed:
        case "logits":
            return None, [each for batch in tried.batches(cells) for each in _send(tried, batch)[0]]
        case "sender":
            (straight,), reached = _send(tried, [Cell(layer or 0, head, None)])
            received = (_receive(tried, batch, reached, [0] * len(batch), via) for batch in tried.batches(cells))
            return straight, [each for found in received for each in found]
    receiver = Cell(layer or 0, head, None)
    effects: list[float] = []
    for batch in tried.batches(cells):
        _, reached = _send(tried, batch, only=receiver.layer)
        effects += _receive(tried, [receiver] * len(batch), reached, range(len(batch)), via)
    return None, effects


Reached = dict[int, AttentionCall]
"""What the heads of each layer got."""


@dataclass(eq=False)
class _Held:
    """Receives run 1: all head outputs held but the senders', and keeps what later layers are given."""

    tried: Experiment
    senders: Sequence[Cell]
    only: int | None
    reached: Reached
    _layer: int = 0

    def attend(self, call: AttentionCall) -> Float[Tensor, "B H Q V"]:
        """See Receiver."""
        layer, self._layer = self._layer, self._layer + 1
        self.tried.check()
        if self.only is None or layer == self.only:
            self.reached[layer] = call
        outputs = self.tried.base.layers[layer].head_outputs.repeat(len(self.senders), 1, 1, 1)
        for run, sender in enumerate(self.senders):
            if sender.layer == layer:
                outputs[run, sender.head] = self.tried.source.layers[layer].head_outputs[0, sender.head]
        return outputs


def _send(tried: Experiment, senders: Sequence[Cell], only: int | None = None) -> tuple[list[float], Reached]:
    reached: Reached = {}
    fed = tried.fed
    tried.hooked.on_feed_forward = None if fed is None else lambda layer, written: fed[layer].expand_as(written).clone()
    try:
        logits = tried.logits(len(senders), _Held(tried, senders, only, reached))
    finally:
        tried.hooked.on_feed_forward = None
    return tried.differences(logits), reached


def _written(tried: Experiment) -> list[Float[Tensor, "1 N D"]]:
    """What every feed-forward layer writes in the run that is patched."""
    kept: list[Tensor] = []

    def keep(_: int, written: Tensor) -> Tensor:
        kept.append(written.clone())
        return written

    tried.hooked.watch_feed_forward()
    tried.hooked.on_feed_forward = keep
    try:
        tried.logits(1, Recording(tried.check))
    finally:
        tried.hooked.on_feed_forward = None
    return kept


def _receive(
    tried: Experiment, receivers: Sequence[Cell], reached: Reached, runs: Sequence[int], via: Via
) -> list[float]:
    """Run 2: each receiver gets what reached it in one of the runs 1."""
    owners = given_heads(tried.base.layers[0].record.attention, via)

    def change(layer: int, attention: BlockwiseAttention) -> BlockwiseAttention:
        here = [(run, cell.head or 0) for run, cell in enumerate(receivers) if cell.layer == layer]
        if not here:
            return attention
        patched, taken = getattr(attention, via).clone(), getattr(reached[layer], via)
        for run, head in here:
            patched[run, owners[head]] = taken[runs[run], owners[head]]
        return replace(attention, **{via: patched}, are_on_grids=False)

    hooked = tried.hooked
    layers = PatchedLayers(hooked.part_of, hooked.part, change, tried.check)
    return tried.differences(tried.logits(len(receivers), layers))
