"""Reach in an analysed text or image: which token really influences which, beside what masks allow and heads look at.

The text runs many times, each time with one token replaced (``attention_core.reach``): a position that has the same
state bit for bit is not reached. It runs as the library runs it, so that a mask which our own attention gets right and
the library wrong is seen; with interventions, as ours does with them. In other ways of running the text, see
``reach_cases``.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor
from transformers import PreTrainedModel

from attention_core.pretrained.errors import SelectionError, WindowTooLargeError
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.model_run import run_model
from attention_core.pretrained.recording.recorder import record
from attention_core.pretrained.recording.replaced.swapping import restore_modules
from attention_core.pretrained.recording.shared_copy import copy_sharing_weights
from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.running.analysis_parts import Part
from attention_core.pretrained.running.cancellation import stopping
from attention_core.pretrained.running.intervention_plan import planned_change
from attention_core.pretrained.running.rerun import prepare
from attention_core.pretrained.studies.reach_cases import (
    MeasuredCase,
    ReachCase,
    StateDeviation,
    measured_case,
    start_of,
)
from attention_core.pretrained.studies.reach_patches import MAX_PATCHES, patch_boxes, reach_of_patches
from attention_core.reach.measure import Reach, reach
from attention_core.reach.replacement import special_ids, token_embedding
from attention_core.reach.states import EMBEDDINGS
from attention_core.reach.verdict import Leak, judge, permitted

MAX_TOKENS = 96
"""Longest text that is measured: it runs twice for each of its tokens."""
BUDGET = 2**28
"""Bytes that a batch of copies may take."""

STATES_TOO: dict[str, Any] = {"output_hidden_states": True}
STATES = {"encoder": "encoder_hidden_states", "decoder": "decoder_hidden_states", "cross": "decoder_hidden_states"}
"""Of an encoder–decoder model's output, by part."""


@dataclass(frozen=True, eq=False)
class TextReach:
    """What was measured of one part of a model. Rows are queries, columns are keys."""

    part: str
    change: Float[np.ndarray, "layers queries keys"]
    """The largest change of a number of the query's state after each layer once the key's token is another; 0 where the
    state is the same bit for bit, or changes no more than rounding does."""
    weights: Float[np.ndarray, "layers queries keys"]
    """The largest weight of any head of each layer."""
    may: Bool[np.ndarray, "layers queries keys"]
    """Whether the declared masks of this layer and those before it let the key's token reach the query."""
    exact: bool
    """Whether "not reached" means bit for bit the same."""
    leaks: list[Leak]
    """Pairs that are reached and must not be, by the layer at which they appear."""
    unused: list[tuple[int, int]]
    """(query, key) that may be reached and never are."""
    unknown: list[int]
    """Keys of which nothing is known: they stand for no patch, or their replacement changed nothing."""
    attention: Literal["library", "ours"]
    """Whose attention ran: ours where the analysis changes it."""
    case: ReachCase = "plain"
    """How the text ran."""
    start: int | None = None
    """First token of the second of two packed documents, or behind the padding."""
    deviation: StateDeviation | None = None
    """Where cached steps or a packed document give another state than one pass, or the document alone."""

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return self.change.nbytes + self.weights.nbytes + self.may.nbytes


def text_reach(
    loaded: LoadedModel,
    analysis: Analysis,
    *,
    part: str | None = None,
    case: ReachCase = "plain",
    start: int | None = None,
    cancelled: Callable[[], bool] | None = None,
    report: Callable[[int, int], None] | None = None,
) -> TextReach:
    """Replace each token of the text, or patch of the image, in turn, and see whose states change after each layer.

    ``case`` is how the text runs, ``start`` the first token of the second of two packed documents (the middle, unless
    given), or behind padding (behind four). ``report`` is told how many runs of how many are done. Raises
    SelectionError for what is neither, a model that returns no states or has no such case, and changes with another
    case than plain; WindowTooLargeError for a long text, or too many patches.
    """
    chosen = analysis.part(part)
    is_image = analysis.picture is not None
    _check_size(analysis, chosen)
    inputs = prepare(loaded, analysis).inputs
    options: dict[str, Any] = {"budget": BUDGET, "check": stopping(cancelled, "reach"), "report": report}
    if not is_image:
        options["vocabulary"] = _vocabulary(loaded.model)
    if case == "plain":
        start_of(case, start, len(analysis.tokens))
        with torch.inference_mode(), _refusing():
            measured = _plain(loaded, analysis, chosen, inputs, options)
    else:
        if analysis.interventions or is_image or loaded.entry.kind == "encoder_decoder":
            raise SelectionError(
                "packed, padded and cached texts are measured of a model of one part, without changes", field="case"
            )
        start = start_of(case, start, chosen.query_tokens)
        with torch.inference_mode():
            masks = _masks(chosen)
        with torch.inference_mode(), _refusing():
            measured = measured_case(_of_the_library(loaded.model), inputs, masks, case, start, **options)
    return _judged(measured, chosen, analysis, case, start)


def _check_size(analysis: Analysis, part: Part) -> None:
    is_image = analysis.picture is not None
    limit = MAX_PATCHES + len(analysis.tokens) - len(patch_boxes(analysis.tokens)) if is_image else MAX_TOKENS
    longest = max(part.query_tokens, part.key_tokens)
    if longest > limit:
        raise WindowTooLargeError(
            "reach is measured in up to {limit} tokens; there are {count}", longest, field="analysis_id", limit=limit
        )
    if analysis.request is None and not is_image:
        raise SelectionError("analysis_id must refer to a text or an image analysed with a model", field="analysis_id")


def _judged(measured: MeasuredCase, part: Part, analysis: Analysis, case: ReachCase, start: int | None) -> TextReach:
    """What was measured beside what the masks allow."""
    found, masks, asked = measured.found, measured.masks, measured.asked
    verdict = judge(found, masks, queries=asked.nonzero().flatten().tolist())
    unknown = set(verdict.unmoved)
    if measured.replaced is not None:
        unknown |= set((~measured.replaced).nonzero().flatten().tolist())
    return TextReach(
        part=part.name,
        change=torch.where(found.reached & asked[:, None], found.change, torch.zeros(()))[1:].numpy(),
        weights=torch.stack([_known(weights, found) for weights in found.weights[1:]]).numpy(),
        may=(permitted(found, masks)[1:] & asked[:, None]).numpy(),
        exact=found.exact,
        leaks=list(verdict.leaks),
        unused=list(verdict.unused),
        unknown=sorted(unknown),
        attention="ours" if analysis.interventions else "library",
        case=case,
        start=start,
        deviation=measured.deviation,
    )


def _plain(
    loaded: LoadedModel, analysis: Analysis, part: Part, inputs: Mapping[str, Tensor], options: Mapping[str, Any]
) -> MeasuredCase:
    """The text or image as it was analysed, with its changes; the weights are those of the analysis."""
    argument = "decoder_input_ids" if part.name == "decoder" and "decoder_input_ids" in inputs else "input_ids"
    counts = (len(analysis.tokens), len(analysis.target_tokens or analysis.tokens))
    run = _runner(loaded, analysis, counts, options["check"])
    weights = _weights(part, options["check"])
    asked = torch.ones(part.query_tokens, dtype=torch.bool)
    if analysis.picture is not None:
        states = _states_of(run, inputs, part, "pixel_values")
        measured = reach_of_patches(states, inputs["pixel_values"], analysis.tokens, **options)
        replaced = torch.tensor([token.box is not None for token in analysis.tokens])
        return MeasuredCase(_named(measured, part, weights), _masks(part), asked, replaced=replaced)
    measured = reach(
        _states_of(run, inputs, part, argument), inputs[argument][0], positions=part.query_tokens, **options
    )
    return MeasuredCase(_named(measured, part, weights), _masks(part), asked)


def _known(weights: Tensor | None, found: Reach) -> Tensor:
    """0 of a layer without attention."""
    return torch.zeros(found.change.shape[1:]) if weights is None else weights.float()


@contextmanager
def _refusing() -> Iterator[None]:
    """What cannot be measured, as a refusal."""
    try:
        yield
    except SelectionError:
        raise
    except ValueError as error:
        raise SelectionError(
            "reach cannot be measured in this text with this model: {cause}", str(error), field="analysis_id"
        ) from error


def _vocabulary(model: PreTrainedModel) -> list[int]:
    """Ids that a token is replaced by: those of the embedding that the configuration does not name as special."""
    table, special = token_embedding(model), special_ids(model)
    size = table.num_embeddings if table is not None else int(model.config.get_text_config().vocab_size)
    return [each for each in range(size) if each not in special]


def _of_the_library(model: PreTrainedModel) -> PreTrainedModel:
    """A copy that shares the weights and has the library's own attention, the fused one where it has one."""
    copy = copy_sharing_weights(model)
    if restore_modules(copy):
        return copy
    try:
        copy.set_attn_implementation("sdpa")
    except (ValueError, ImportError):  # a type that has no such attention
        copy.set_attn_implementation("eager")
    return copy


def _runner(
    loaded: LoadedModel, analysis: Analysis, counts: tuple[int, int], check: Callable[[], None]
) -> Callable[[Mapping[str, Tensor]], Any]:
    """One pass over copies of the text: the library's output, with the states."""
    if not analysis.interventions:
        library = _of_the_library(loaded.model)
        return lambda inputs: run_model(library, {**inputs, **STATES_TOO}, [])

    def changed(inputs: Mapping[str, Tensor]) -> Any:
        with record(check, planned_change(loaded, analysis.interventions, *counts)):  # a plan is good for one pass
            return run_model(loaded.model, {**inputs, **STATES_TOO}, [])

    return changed


def _states_of(
    run: Callable[[Mapping[str, Tensor]], Any], inputs: Mapping[str, Tensor], part: Part, argument: str
) -> Callable[[Tensor], list[Tensor]]:
    """From (rows, N) ids to the states (rows, Q, d) that enter the first layer and leave each."""
    others = {name: value for name, value in inputs.items() if name != argument}

    def states(ids: Tensor) -> list[Tensor]:
        repeated = {name: value.expand(len(ids), *value.shape[1:]) for name, value in others.items()}
        return _hidden_states(run({**repeated, argument: ids}), part)

    return states


def _hidden_states(output: Any, part: Part) -> list[Tensor]:
    states = getattr(output, "hidden_states", None) or getattr(output, STATES.get(part.name, ""), None)
    if not states or len(states) != part.layers + 1:
        raise SelectionError("model must return its states after each layer; this one does not", field="analysis_id")
    return list(states)


def _weights(part: Part, check: Callable[[], None]) -> Float[Tensor, "layers queries keys"]:
    """The largest weight of any head of each layer."""
    rows, cols = slice(0, part.query_tokens), slice(0, part.key_tokens)
    weights = []
    for layer in part.record.layers:
        check()
        weights.append(layer.attention.weights(rows, cols, layer.log_sum_exp)[0].amax(0).float().cpu())
    return torch.stack(weights)


def _masks(part: Part) -> list[Bool[Tensor, "queries keys"]]:
    """What any head of each layer may attend to."""
    rows, cols = slice(0, part.query_tokens), slice(0, part.key_tokens)
    return [part.allowed_window(index, rows, cols).any(0).cpu() for index in range(part.layers)]


def _named(found: Reach, part: Part, weights: Tensor) -> Reach:
    """States by layer, with the weights of the analysis; what enters the first layer has none."""
    names = (EMBEDDINGS, *(f"layer {index}" for index in range(part.layers)))
    return replace(found, names=names, weights=(None, *weights))
