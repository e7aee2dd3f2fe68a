"""Check a loaded model's reach: a decoder sees no future, and no layer shuts out what it is declared to see.

Two passes over a few copies of a short text: in the first all are the same, in the second tokens are replaced from
another position on in each. Only if a last state before that position changes, everything is measured
(``attention_core.reach``), so that the layer can be named, with our attention and with the library's own: a leak of
ours alone is refused, one of both is a property of the model, of which users are told. What is shut is read off the
masks of the first pass, since a weight may be rounded away by chance, and a mask is not.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from transformers import PreTrainedModel

from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models.configuration import ModelFacts
from attention_core.pretrained.models.trial.declared_masks import DeclaredMasks
from attention_core.pretrained.recording.model_run import run_model, watching_state
from attention_core.pretrained.recording.parity import eager_copy
from attention_core.pretrained.recording.recorder import LayerRecord, record
from attention_core.pretrained.recording.shared_copy import copy_sharing_weights
from attention_core.reach.allowed import reachable
from attention_core.reach.copies import MARGIN, changes
from attention_core.reach.measure import Reach, is_layer, reach
from attention_core.reach.replacement import other_text
from attention_core.reach.states import EMBEDDINGS, OUTPUT, evaluating
from attention_core.reach.verdict import Leak, judge
from attention_core.refusal import Sentence

logger = logging.getLogger(__name__)

MOST_TOKENS = 12
COPIES = 3
"""Unchanged; replaced from the second token on; from the middle on."""
SHARE = 3
"""The passes of the comparison are at least this many times as many tokens."""


@dataclass(frozen=True, eq=False)
class ReachRun:
    """What a reach is measured of: the text's ids, by what name the model takes them, and what it takes beside."""

    ids: Tensor
    argument: str
    beside: Mapping[str, Tensor]
    masks: DeclaredMasks

    def inputs(self, rows: Tensor) -> dict[str, Tensor]:
        """Of a pass over these rows."""
        others = {name: each.expand(len(rows), *each.shape[1:]) for name, each in self.beside.items()}
        return {**others, self.argument: rows}


def reach_check(
    model: PreTrainedModel, inputs: Mapping[str, Tensor], facts: ModelFacts, compared: int
) -> tuple[Sentence, ...]:
    """What is to be said of the model; nothing if all is as its configuration declares, or cannot be measured.

    ``inputs`` are those of the trial; ``compared`` is how many tokens the comparison of both attentions ran. Raises
    ModelUnavailableError if a token reaches back with our attention and not with the library's own.
    """
    run = _run_of(model, inputs, facts, compared)
    if run is None:
        return ()
    try:
        return tuple(_found(model, run))
    except ModelUnavailableError:
        raise
    except Exception as error:  # noqa: BLE001 - a model that the comparison has passed is not refused for this
        logger.warning("reach cannot be measured: %s", error)
        return ()


def _found(model: PreTrainedModel, run: ReachRun) -> Iterator[Sentence]:
    shared = copy_sharing_weights(model)
    with record() as recording:
        before = _last_state(shared, run.inputs(run.ids.expand(COPIES, -1).contiguous()))
    if not run.beside:
        yield from _shut(run, recording.layers)
    if run.masks.kind == "causal" and _reaches_back(shared, run, before):
        yield from _leaks(_measured(shared, run), _measured(eager_copy(model), run))


def _run_of(model: PreTrainedModel, inputs: Mapping[str, Tensor], facts: ModelFacts, compared: int) -> ReachRun | None:
    """None for what reads no text, or a single token."""
    argument = "decoder_input_ids" if facts.kind == "encoder_decoder" else "input_ids"
    most = min(MOST_TOKENS, max(2, compared // (SHARE * 2 * COPIES)))
    if facts.reads != "text" or argument not in inputs or inputs[argument].shape[1] < 2:
        return None
    ids = inputs[argument][0, :most]
    beside = {name: each for name, each in inputs.items() if name != argument}
    return ReachRun(
        ids, argument, beside, DeclaredMasks(model.config, "all" if facts.kind == "encoder" else "causal", len(ids))
    )


def _reaches_back(model: PreTrainedModel, run: ReachRun, before: Tensor) -> bool:
    count = len(run.ids)
    try:
        other = other_text(run.ids, 0, model=model)
    except ValueError:  # a vocabulary of one
        return False
    changed = run.ids.expand(COPIES, count).clone()
    changed[1, 1:], changed[2, count // 2 :] = other[1:], other[count // 2 :]
    after = _last_state(model, run.inputs(changed))
    if before.shape[:2] != changed.shape or after.shape != before.shape:
        return False
    change = changes(after, before)
    moved = change > MARGIN * change[0].max()
    return bool(moved[1, :1].any() or moved[2, : count // 2].any())


def _last_state(model: PreTrainedModel, inputs: Mapping[str, Tensor]) -> Tensor:
    with evaluating(model), watching_state(model) as states:
        run_model(model, inputs, [-1])
    return states[-1]


def _measured(model: PreTrainedModel, run: ReachRun) -> tuple[Reach, tuple[Leak, ...]]:
    measured = reach(model, run.ids, argument=run.argument, inputs=run.beside)
    return measured, judge(measured, run.masks.may(sum(map(is_layer, measured.names)))).leaks


def _leaks(ours: tuple[Reach, tuple[Leak, ...]], theirs: tuple[Reach, tuple[Leak, ...]]) -> Iterator[Sentence]:
    """Of the library's own. Raises ModelUnavailableError for what ours alone lets through, bit for bit."""
    known = {(each.query, each.key) for each in theirs[1]}
    own = [each for each in ours[1] if (each.query, each.key) not in known]
    if own and ours[0].exact and theirs[0].exact:
        raise ModelUnavailableError(
            "With our attention, unlike the library's own, position {query} is reached by position {key} {place}.",
            own[0].query,
            own[0].key,
            _place(own[0]),
        )
    if theirs[1]:
        first = theirs[1][0]
        yield Sentence(
            "It is declared as a decoder, but sees the future: position {query} is reached by position {key} {place}.",
            first.query,
            first.key,
            _place(first),
        )


def _place(leak: Leak) -> Sentence:
    if leak.name == EMBEDDINGS:
        return Sentence("from the embeddings on")
    if leak.name == OUTPUT:
        return Sentence("in the output")
    if leak.way == "not through attention":
        return Sentence("from layer {layer} on, not through attention", leak.layer)
    return Sentence("from layer {layer} on", leak.layer)


def _shut(run: ReachRun, layers: Sequence[LayerRecord]) -> Iterator[Sentence]:
    """What no head of a layer may attend to, and no later layer makes up for, although it is declared."""
    count = len(run.ids)
    if any(each.attention.num_queries != count or each.attention.num_keys != count for each in layers):
        return
    span = slice(0, count)
    opened = [_open(layer.attention.masked_scores(span, span)) for layer in layers]
    must = run.masks.must(len(layers))
    missing = reachable(must)[-1] & ~reachable(opened)[-1]
    if bool(missing.any()):
        layer = next(
            (index for index, (one, other) in enumerate(zip(must, opened, strict=True)) if (one & ~other).any()), 0
        )
        query, key = missing.nonzero()[0].tolist()
        yield Sentence(
            "Its masks shut out what is declared, first in layer {layer}: position {query} is not reached by {key}.",
            layer,
            query,
            key,
        )


def _open(scores: Tensor) -> Tensor:
    """(N, N) Where any head may attend; a mask inside a bias is the lowest finite number."""
    allowed = scores > torch.finfo(scores.dtype).min / 2
    return allowed.flatten(0, -3).any(0).cpu()
