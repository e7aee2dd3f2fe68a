"""Run a model once and record its attention: ours inside it or, where that cannot be, the weights that it returns."""

from collections.abc import Callable, Mapping, Sequence

from jaxtyping import Float
from torch import Tensor

from attention_core.pretrained.errors import InterventionError, TextTooLongError, as_failed
from attention_core.pretrained.inputs.arranged_tensors import PartTensors
from attention_core.pretrained.inputs.tensor_layers import make_layers
from attention_core.pretrained.models.loading import LoadedModel, with_projections
from attention_core.pretrained.recording.model_run import logits_at
from attention_core.pretrained.recording.parts import SIDES, PartRecord, Side, check_positions, split_into_parts
from attention_core.pretrained.recording.recorder import Change, LayerRecord, record
from attention_core.pretrained.recording.returned_weights import most_tokens, returned_weights, run_returning_weights


def check_weights_only(loaded: LoadedModel, *, changes: bool, parity: bool, tokens: int) -> None:
    """Refuse what needs more than weights, and texts whose weights would take too much memory.

    Raises InterventionError or TextTooLongError.
    """
    if changes:
        raise InterventionError(
            "{id} shows weights only, those that its own attention returns: nothing in it can be changed",
            loaded.entry.id,
        )
    if parity:
        raise InterventionError(
            "{id} shows weights only, those that its own attention returns: there is nothing to compare them with",
            loaded.entry.id,
            field="parity",
        )
    limit = most_tokens(loaded.parts)
    if tokens > limit:
        raise TextTooLongError(
            "{id} returns the weights of all its heads whole: a text may have {limit} tokens, this one has {count}.",
            loaded.entry.id,
            tokens,
            limit=limit,
        )


def run_text(
    loaded: LoadedModel,
    inputs: dict[str, Tensor],
    masked: list[int],
    check: Callable[[], None],
    change: Change | None,
) -> tuple[Tensor | None, list[PartRecord]]:
    """Logits where the model predicts, or of the classes, and the record of each part."""
    if loaded.class_names is not None:
        return _run_whole(loaded, inputs, check, change)
    positions = [-1] if loaded.model.can_generate() else masked
    if loaded.weights_only:
        return _run_for_weights(loaded, inputs, positions, check)
    with as_failed(), record(check, change) as recording:
        logits = logits_at(loaded.model, inputs, positions)
    return None if logits is None else logits[0], recorded_parts(loaded, inputs, recording.layers)


def recorded_parts(
    loaded: LoadedModel, inputs: Mapping[str, Tensor], layers: Sequence[LayerRecord]
) -> list[PartRecord]:
    """The parts of a pass with W_O, where known. Raises UnsupportedAttentionError unless each row is a token."""
    parts = split_into_parts(loaded.model, loaded.entry.kind, with_projections(loaded, layers))
    check_positions(parts, inputs)
    return parts


def run_image(
    loaded: LoadedModel, inputs: dict[str, Tensor], check: Callable[[], None], change: Change | None
) -> tuple[Tensor | None, list[PartRecord]]:
    """Logits of the classes, if any, and the record of the only part."""
    return _run_whole(loaded, inputs, check, change)


def _run_whole(
    loaded: LoadedModel, inputs: dict[str, Tensor], check: Callable[[], None], change: Change | None
) -> tuple[Tensor | None, list[PartRecord]]:
    if loaded.weights_only:
        return _run_for_weights(loaded, inputs, None, check)
    with as_failed(), record(check, change) as recording:
        logits = logits_at(loaded.model, inputs, [])
    return logits, recorded_parts(loaded, inputs, recording.layers)


def run_sound(
    loaded: LoadedModel, inputs: dict[str, Tensor], check: Callable[[], None], change: Change | None
) -> tuple[Tensor | None, list[PartRecord]]:
    """Logits of the decoder's next token, if there is a decoder, and the record of each part."""
    predicts = "decoder_input_ids" in inputs and loaded.model.can_generate()
    if loaded.weights_only:
        return _run_for_weights(loaded, inputs, [-1] if predicts else [], check)
    with as_failed(), record(check, change) as recording:
        logits = logits_at(loaded.model, inputs, [-1] if predicts else [])
    logits = logits[0] if predicts and logits is not None else None
    return logits, recorded_parts(loaded, inputs, recording.layers)


def _run_for_weights(
    loaded: LoadedModel, inputs: Mapping[str, Tensor], positions: list[int] | None, check: Callable[[], None]
) -> tuple[Float[Tensor, "n V"] | None, list[PartRecord]]:
    """The logits at these positions (all of them without: those of a class; None without a head), and all weights."""
    check()
    with as_failed():
        output = run_returning_weights(loaded.model, inputs)
    check()
    kind = str(loaded.entry.kind)
    only: tuple[Side, Side] = ("source", "source")
    records = []
    for part, weights in returned_weights(output, kind).items():
        arranged = PartTensors("", weights, None, None, None, None)
        layers = make_layers(arranged, None, check, is_decoder=part == "decoder").records
        records.append(PartRecord(part, layers, *(SIDES[part] if kind == "encoder_decoder" else only)))
    logits = getattr(output, "logits", None)
    if logits is None or positions is None:
        return logits, records
    return (logits[0, positions] if positions else None), records
