"""Analyse a text with a model: tokens, overview, metrics and predictions, and the record for everything else.

tokenise → one forward pass with the recorder → one sweep over the weights for overview and metrics → predictions.
Results are plain data and numpy arrays: the server knows nothing of torch.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.pretrained.errors import InterventionError, SelectionError
from attention_core.pretrained.inputs.chat import Chat
from attention_core.pretrained.inputs.images import Picture
from attention_core.pretrained.inputs.sounds import Heard
from attention_core.pretrained.inputs.tokens import Inputs, Token, tokenise, tokenise_target
from attention_core.pretrained.models.entries import ModelEntry
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.distribution import Distribution, distribution
from attention_core.pretrained.recording.parity import Parity, parity
from attention_core.pretrained.recording.parts import PartRecord
from attention_core.pretrained.recording.pooled_scores import cached_pooled_window
from attention_core.pretrained.recording.recorder import LayerRecord
from attention_core.pretrained.recording.selection import cell_of_window, check_index, check_name, span
from attention_core.pretrained.recording.windows import Pooling, stage_window
from attention_core.pretrained.running.analysis_parts import Part, sweep_parts
from attention_core.pretrained.running.cancellation import stopping
from attention_core.pretrained.running.caveats import AnalysisWarning, caveats_of
from attention_core.pretrained.running.forward_pass import check_weights_only, run_text
from attention_core.pretrained.running.intervention_plan import planned_change
from attention_core.pretrained.running.interventions import Intervention
from attention_core.pretrained.running.predictions import Prediction, log_probabilities, predictions
from attention_core.pretrained.running.stopwatch import Stopwatch


@dataclass(frozen=True)
class AnalysisRequest:
    """What to analyse."""

    text: str
    text_pair: str | None = None
    target_text: str | None = None
    """The decoder's text so far, for encoder–decoder models; other models ignore it."""
    parity: bool = False
    """Also run the library's eager attention and compare."""
    interventions: tuple[Intervention, ...] = ()
    """Changes to the model's attention; all results are then those of the changed model."""
    chat: Chat | None = None
    """Given if the text is a chat message."""


@dataclass(frozen=True, eq=False)
class Analysis:
    """One text through one model, with the record from which all further views are computed."""

    model: ModelEntry
    tokens: list[Token]
    target_tokens: list[Token] | None
    parts: list[Part]
    predictions: list[Prediction]
    device: str
    dtype: str
    timings_ms: dict[str, float]
    parity: Parity | None
    interventions: tuple[Intervention, ...] = ()
    log_probabilities: np.ndarray | None = field(default=None, repr=False)
    """(predictions, vocabulary) float32, of every token for each prediction."""
    warnings: tuple[AnalysisWarning, ...] = ()
    picture: Picture | None = field(default=None, repr=False)
    """The preprocessed image, for an image model."""
    sound: Heard | None = field(default=None, repr=False)
    """The preprocessed sound, for an audio model."""
    wav: bytes = field(default=b"", repr=False)  # the same sound as a file, sample by sample
    request: AnalysisRequest | None = None
    """The request; None for uploaded tensors."""

    @property
    def nbytes(self) -> int:
        """Bytes needed to keep this analysis."""
        return (
            sum(
                sum(layer.nbytes for layer in part.record.layers)
                + part.overview.nbytes
                + sum(values.nbytes for values in part.metrics.values())
                + (0 if part.pooled_scores is None else part.pooled_scores.nbytes)
                for part in self.parts
            )
            + (0 if self.picture is None else len(self.picture.png))
            + (0 if self.sound is None else len(self.wav) + self.sound.outline.nbytes)
            + sum(each.nbytes for each in (*self.interventions, self.log_probabilities) if each is not None)
        )

    def window(
        self,
        part: str | None,
        layer: int,
        head: int,
        stage: str = "weights",
        rows: tuple[int, int] | None = None,
        cols: tuple[int, int] | None = None,
        max_size: int | None = None,
        pooling: Pooling = "max",
        max_cells: int = 2**20,
    ) -> np.ndarray:
        """(rows, cols) float32 of one stage of one head, pooled to ``max_size`` a side if given and needed.

        Raises SelectionError for an index out of range and WindowTooLargeError above ``max_cells``.
        """
        chosen, record_ = self._select(part, layer, head, stage)
        row_slice = span("rows", rows, chosen.query_tokens)
        col_slice = span("cols", cols, chosen.key_tokens)
        cell = cell_of_window(row_slice, col_slice, max_size, max_cells)
        with torch.inference_mode():
            if max_size is None or cell == (1, 1):
                window = stage_window(record_, head, stage, row_slice, col_slice)
            else:
                kept = chosen.pooled_scores
                selection = (layer, head, stage, row_slice, col_slice)
                window = cached_pooled_window(kept, record_, *selection, max_size, pooling)
        return window.float().cpu().numpy()

    def distribution(self, part: str | None, layer: int, head: int, stage: str, bins: int = 64) -> Distribution:
        """The distribution of one stage of one head over its unmasked cells."""
        _, record_ = self._select(part, layer, head, stage)
        with torch.inference_mode():
            return distribution(record_, head, stage, bins)

    def part(self, name: str | None) -> Part:
        """The part with this name, or the first. Raises SelectionError for an unknown part."""
        names = [part.name for part in self.parts]
        return self.parts[0 if name is None else names.index(check_name("part", name, names))]

    def self_attending_part(self, name: str | None) -> Part:
        """Like ``part``, but refuses cross-attention, whose layers cannot be chained."""
        part = self.part(name)
        if part.query_side != part.key_side:
            raise SelectionError(
                "part must be one whose queries and keys are the same tokens; {name} is not", part.name, field="part"
            )
        return part

    def _select(self, part: str | None, layer: int, head: int, stage: str) -> tuple[Part, LayerRecord]:
        chosen = self.part(part)
        check_name("stage", stage, chosen.stages)
        check_index("head", head, chosen.heads)
        return chosen, chosen.record.layers[check_index("layer", layer, chosen.layers)]


@dataclass(frozen=True, eq=False)
class PreparedText:
    """A request with its tokens, ready for the forward pass."""

    loaded: LoadedModel = field(repr=False)
    request: AnalysisRequest
    inputs: Inputs = field(repr=False)
    tokens: list[Token] = field(repr=False)
    target_tokens: list[Token] | None = field(repr=False)
    masked: list[int]
    """Tokens that are the model's mask."""
    watch: Stopwatch = field(repr=False)

    @property
    def predicted(self) -> list[int]:
        """The tokens that predictions are made at: the last one, or those masked; 0 for a class of the whole text."""
        if self.loaded.class_names is not None:
            return [0]
        return [(self.target_tokens or self.tokens)[-1].index] if self.loaded.model.can_generate() else self.masked


def analyse(
    loaded: LoadedModel,
    request: AnalysisRequest,
    *,
    max_tokens: int,
    cancelled: Callable[[], bool] | None = None,
) -> Analysis:
    """Run the model once with our attention inside, and sweep the weights of every head.

    ``cancelled`` is called between blocks of work; Cancelled is raised once it returns true.
    Raises SelectionError or InterventionError for interventions that this model or text cannot have.
    """
    return analyse_prepared(prepare(loaded, request, max_tokens=max_tokens), cancelled)


def prepare(loaded: LoadedModel, request: AnalysisRequest, *, max_tokens: int) -> PreparedText:
    """Tokenise. Raises InterventionError, and what ``tokenise`` raises."""
    if request.parity and request.interventions:
        raise InterventionError(
            "parity must be false with interventions: the library's own attention does not support them", field="parity"
        )
    watch = Stopwatch(loaded.device)
    with watch("tokenize"):
        inputs, tokens = tokenise(loaded, request.text, request.text_pair, max_tokens, request.chat)
        target_tokens = None
        if loaded.entry.kind == "encoder_decoder":
            target_inputs, target_tokens = tokenise_target(loaded, request.target_text, max_tokens)
            inputs = {**inputs, **target_inputs}
    if loaded.weights_only:
        counted = max(len(tokens), len(target_tokens or tokens))
        check_weights_only(loaded, changes=bool(request.interventions), parity=request.parity, tokens=counted)
    masked = [token.index for token in tokens if token.id == loaded.tokenizer.mask_token_id]
    return PreparedText(loaded, request, inputs, tokens, target_tokens, masked, watch)


def analyse_prepared(text: PreparedText, cancelled: Callable[[], bool] | None = None) -> Analysis:
    """Run the model on one text; see ``analyse``."""
    check = stopping(cancelled, "analysis")
    check()
    counts = (len(text.tokens), len(text.target_tokens or text.tokens))
    change = planned_change(text.loaded, text.request.interventions, *counts)
    with torch.inference_mode(), text.watch("forward"):
        logits, records = run_text(text.loaded, text.inputs, text.masked, check, change)
    return swept(text, logits, records, check)


def swept(
    text: PreparedText, logits: Float[Tensor, "n V"] | None, records: list[PartRecord], check: Callable[[], None]
) -> Analysis:
    """The analysis of a text that went through the model: a sweep over its weights, and its predictions."""
    loaded, request = text.loaded, text.request
    with torch.inference_mode():
        parts, overview_ms, metrics_ms = sweep_parts(records, text.tokens, loaded, check)
    generates, classifies = loaded.model.can_generate(), loaded.class_names is not None
    last = (text.target_tokens or text.tokens)[-1]
    return Analysis(
        model=loaded.entry,
        tokens=text.tokens,
        target_tokens=text.target_tokens,
        parts=parts,
        predictions=predictions(
            logits,
            text.predicted,
            "class" if classifies else "next_token" if generates else "masked_token",
            loaded.answers,
            last.id if generates else None,
        ),
        device=str(loaded.device),
        dtype=str(loaded.dtype).removeprefix("torch."),
        timings_ms={**text.watch.milliseconds, "overview": overview_ms, "metrics": metrics_ms},
        parity=parity(loaded.model, text.inputs, loaded.agreement_bound) if request.parity else None,
        interventions=request.interventions,
        warnings=caveats_of(loaded, parts, text.tokens, text.target_tokens),
        log_probabilities=None if logits is None else log_probabilities(logits).cpu().numpy(),
        request=request,
    )
