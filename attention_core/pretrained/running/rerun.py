"""Rerun an analysis's input through its model, for studies that need more than the attention record."""

from dataclasses import dataclass

from torch import Tensor

from attention_core.pretrained.errors import SelectionError
from attention_core.pretrained.inputs.images import decode_image, prepared_again
from attention_core.pretrained.inputs.sounds import Heard, decode_sound
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
    if analysis.sound is not None:
        return _prepare_sound(loaded, analysis, analysis.sound)
    request = analysis.request
    if request is None:
        raise SelectionError(
            "analysis_id must refer to a text, image or sound analysed with a model; this one was made from something "
            "else",
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


def _prepare_sound(loaded: LoadedModel, analysis: Analysis, heard: Heard) -> Rerun:
    """Prepare from the stored sound, which is at the model's rate already."""
    if loaded.sounds is None:
        raise SelectionError("analysis_id must refer to a sound analysed with an audio model", field="analysis_id")
    made = loaded.sounds.features(decode_sound(analysis.wav, heard.seconds).samples)
    inputs = {name: each.to(device=loaded.device, dtype=loaded.dtype) for name, each in made.items()}
    targets = None
    if loaded.entry.kind == "encoder_decoder":
        target_inputs, targets = tokenise_target(loaded, heard.target_text)
        inputs = {**inputs, **target_inputs}
    change = planned_change(loaded, analysis.interventions, len(analysis.tokens), len(targets or analysis.tokens))
    return Rerun(inputs, targets or analysis.tokens, change)
