"""Rerun an analysis's input through its model, for studies that need more than the attention record."""

from dataclasses import dataclass

from torch import Tensor

from attention_core.pretrained.errors import SelectionError
from attention_core.pretrained.inputs.images import decode_image, prepared_again
from attention_core.pretrained.inputs.tokens import Token, tokenise, tokenise_target
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.recorder import Change
from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.running.intervention_plan import planned_change


@dataclass(frozen=True, eq=False)
class Rerun:
    """Model inputs and interventions for one forward pass."""

    inputs: dict[str, Tensor]
    tokens: list[Token]
    """The tokens at which the model predicts: in an encoder–decoder model, the target's."""
    change: Change | None


def prepare(loaded: LoadedModel, analysis: Analysis) -> Rerun:
    """Prepare a rerun identical to the analysis, interventions included.

    Raises SelectionError for an analysis of uploaded tensors.
    """
    loaded.check_carried()
    if analysis.picture is not None:
        return _prepare_image(loaded, analysis)
    request = analysis.request
    if request is None:
        raise SelectionError(
            "analysis_id must refer to a text or image analysed with a model; this one was made from something else",
            field="analysis_id",
        )
    inputs, tokens = tokenise(loaded, request.text, request.text_pair, chat=request.chat)
    targets = None
    if loaded.entry.kind == "encoder_decoder":
        target_inputs, targets = tokenise_target(loaded, request.target_text)
        inputs = {**inputs, **target_inputs}
    change = planned_change(loaded, request.interventions, len(tokens), len(targets or tokens))
    return Rerun(inputs, targets or tokens, change)


def _prepare_image(loaded: LoadedModel, analysis: Analysis) -> Rerun:
    """Prepare from the stored, already resized and cropped image."""
    picture = analysis.picture
    if picture is None or loaded.images is None:
        raise SelectionError("analysis_id must refer to an image analysed with an image model", field="analysis_id")
    pixels = prepared_again(decode_image(picture.png, picture.width * picture.height), loaded.images)
    inputs = {"pixel_values": pixels.to(device=loaded.device, dtype=loaded.dtype)}
    count = len(analysis.tokens)
    return Rerun(inputs, analysis.tokens, planned_change(loaded, analysis.interventions, count, count))
