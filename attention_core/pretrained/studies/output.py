"""A model's output at one position, and which studies can explain it.

A decoder predicts the next token, a model with a masked-token head the masked one, a classifier the class of its image
or text.
The output of a model without any such head is the text's embedding.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, cast

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.model_run import logits_at
from attention_core.pretrained.recording.recorder import record
from attention_core.pretrained.recording.selection import check_index
from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.running.cancellation import stopping
from attention_core.pretrained.running.predictions import Candidate, predictions
from attention_core.pretrained.running.rerun import prepare
from attention_core.pretrained.studies.flow.information_flow import most_tokens
from attention_core.pretrained.studies.outputs.attribution import MAX_CELLS, num_weights, reads_logits
from attention_core.pretrained.studies.outputs.residual_stream import reads_stream

OutputKind = Literal["next_token", "masked_token", "class", "embedding"]
Look = Literal["logit_lens", "direct_effect", "attribution"]


@dataclass(frozen=True)
class Output:
    """An explainable output."""

    kind: OutputKind
    position: int | None
    """The token that it is the output at; null where it belongs to all tokens together."""
    vocabulary: int
    """Number of tokens or classes with a logit."""
    candidates: list[Candidate]
    """Most probable first; none of an embedding."""
    looks: list[Look]
    """The calls that this analysis supports, by name."""
    weights: int
    """Of all heads together: attribution holds their gradients."""
    max_weights: int
    """The most that attribution supports."""
    max_information_flow_tokens: int
    """The most tokens that may reach a position whose information flow is asked for; 0 if this model has none."""

    @property
    def nbytes(self) -> int:
        """Approximate memory held, in bytes."""
        return 200 * (1 + len(self.candidates))


def output(
    loaded: LoadedModel, analysis: Analysis, position: int, *, cancelled: Callable[[], bool] | None = None
) -> Output:
    """Rerun the analysis's input and return the logits at ``position``.

    Raises SelectionError for a position that does not exist; a classifier and an embedding have none.
    """
    kind = _kind(loaded, analysis)
    logits, candidates = None, []
    if kind != "embedding":
        logits = _logits(loaded, analysis, kind, position, cancelled)
        before = (analysis.target_tokens or analysis.tokens)[position].id if kind == "next_token" else None
        candidates = predictions(logits[None], [position], kind, loaded.answers, before)[0].candidates
    return Output(
        kind=kind,
        position=position if kind in ("next_token", "masked_token") else None,
        vocabulary=0 if logits is None else len(logits),
        candidates=candidates,
        looks=_looks(loaded, analysis, kind),
        weights=num_weights(analysis),
        max_weights=MAX_CELLS,
        max_information_flow_tokens=most_tokens(loaded),
    )


def _kind(loaded: LoadedModel, analysis: Analysis) -> OutputKind:
    if not reads_logits(loaded, analysis):
        return "embedding"
    if loaded.class_names is not None:
        return "class"
    return "next_token" if loaded.model.can_generate() else "masked_token"


def _looks(loaded: LoadedModel, analysis: Analysis, kind: OutputKind) -> list[Look]:
    looks: list[Look] = []
    if reads_stream(loaded):
        looks += ["logit_lens", "direct_effect"]
    has_one_side = loaded.entry.kind != "encoder_decoder"
    if num_weights(analysis) <= MAX_CELLS and (kind != "embedding" or has_one_side):
        looks.append("attribution")
    return looks


def _logits(
    loaded: LoadedModel, analysis: Analysis, kind: OutputKind, position: int, cancelled: Callable[[], bool] | None
) -> Float[Tensor, " V"]:
    """Logits of every token or class, in float32; the head runs on a single position where it can."""
    rerun = prepare(loaded, analysis)
    if kind != "class":
        check_index("position", position, len(rerun.tokens))
    with torch.inference_mode(), record(stopping(cancelled, "output"), rerun.change):
        raw = logits_at(loaded.model, rerun.inputs, [] if kind == "class" else [position])
    logits = cast("Tensor", raw)  # this kind of output has them
    return logits[0].float() if kind == "class" else logits[0, 0].float()
