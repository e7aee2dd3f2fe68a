"""Parity by head and layer: where our attention and the library's differ on one text.

Three comparisons with the library's own eager attention: every weight of every head; the hidden states after each
layer, where small differences would grow; and, for the architectures of our own decoder (GPT-2, Llama, Qwen3), the
same weights in our own modules alone.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.decoder_config import from_transformers
from attention_core.decoder_weights import decoder_from_weights
from attention_core.pretrained.inputs.tokens import Token, tokenise, tokenise_target
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.model_run import body
from attention_core.pretrained.recording.parity import (
    BOUND,
    agreement,
    compared_with_eager,
    eager_copy,
    largest_differences,
    relative_difference,
    returned_weights,
)
from attention_core.pretrained.recording.parts import PartName, part_of_modules, split_into_parts
from attention_core.pretrained.recording.recorder import LayerRecord, record
from attention_core.pretrained.recording.selection import check_index, check_name
from attention_core.pretrained.running.cancellation import stopping

MAX_TOKENS = 512
"""Longest text: the whole matrices of one head are returned."""
MAX_COPIED_BYTES = 2**30
"""Largest model whose weights are copied into our own decoder."""


@dataclass(frozen=True, eq=False)
class PartParity:
    """One part of the model."""

    name: PartName
    weights: Float[np.ndarray, "layers heads"]
    """Largest absolute difference of any weight."""


@dataclass(frozen=True)
class OwnDecoderParity:
    """Our decoder with the model's weights, compared with the library's model."""

    logits: float
    """Largest absolute difference."""
    largest_logit: float
    """By absolute value, for comparison with the difference."""


@dataclass(frozen=True, eq=False)
class ParityByHead:
    """All differences. The matrices are those of the requested head."""

    tokens: list[Token]
    target_tokens: list[Token] | None
    parts: list[PartParity]
    hidden_states: dict[str, Float[np.ndarray, "states"]]
    """By ``encoder`` and ``decoder``: largest difference after the embedding and after each layer."""
    part: PartName
    layer: int
    head: int
    ours: Float[np.ndarray, "queries keys"]
    """Our weights of the head."""
    theirs: Float[np.ndarray, "queries keys"]
    """The library's."""
    own_decoder: OwnDecoderParity | None
    """For GPT-2, Llama and Qwen3 up to 1 GiB: the same weights in modules of our own."""
    dtype: str
    relative_hidden_state: float
    """The largest difference of a part's last hidden state, relative to the largest number in it."""
    bound: float = BOUND
    """What rounding explains in this model, or on this input where that is more."""

    @property
    def within_bound(self) -> bool:
        """Whether every weight and ``relative_hidden_state`` are within it."""
        largest = max(float(part.weights.max()) for part in self.parts)
        return largest <= self.bound and self.relative_hidden_state <= self.bound

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return self.ours.nbytes + self.theirs.nbytes + 256 * len(self.tokens)


def parity_by_head(
    loaded: LoadedModel,
    text: str,
    *,
    part: str | None = None,
    layer: int = 0,
    head: int = 0,
    max_tokens: int = MAX_TOKENS,
    cancelled: Callable[[], bool] | None = None,
) -> ParityByHead:
    """Run the model with our attention, and its eager copy, on the text.

    The decoder of an encoder–decoder model gets only its start token. Raises the errors of ``tokenise``, SelectionError
    for a part, layer or head that does not exist.
    """
    check = stopping(cancelled, "comparison")
    loaded.check_carried()
    inputs, tokens = tokenise(loaded, text, max_tokens=min(max_tokens, MAX_TOKENS))
    targets = None
    if loaded.entry.kind == "encoder_decoder":
        target_inputs, targets = tokenise_target(loaded)
        inputs = {**inputs, **target_inputs}
    names: list[str] = [each.name for each in loaded.parts]
    chosen = loaded.parts[0 if part is None else names.index(check_name("part", part, names))]
    check_index("layer", layer, chosen.layers)
    check_index("head", head, chosen.heads)
    with torch.inference_mode():
        with record(check) as recording:
            ours = _hidden_states(body(loaded.model), loaded.entry.kind, inputs)
        records = split_into_parts(loaded.model, loaded.entry.kind, recording.layers)
        shown = next(each for each in records if each.name == chosen.name).layers[layer]
        eager = eager_copy(loaded.model)
        part_of = part_of_modules(loaded.model, loaded.entry.kind)
        differences: dict[PartName, list[Float[Tensor, " H"]]] = {each.name: [] for each in records}
        kept: list[Tensor] = []

        def compare(mine: LayerRecord, theirs: Float[Tensor, "B H Q K"] | None) -> None:
            check()
            weights = returned_weights(theirs)
            differences[part_of(mine.module)].append(largest_differences(mine, weights))
            if mine is shown:
                kept.append(weights[0, head].float())

        with compared_with_eager(loaded.model, eager, recording.layers, compare):
            theirs = _hidden_states(body(eager), loaded.entry.kind, inputs)
        check()
        own_decoder = _own_decoder(loaded, inputs)
        relative = max(relative_difference(states[-1], theirs[name][-1]) for name, states in ours.items())
        largest = max(float(each.max()) for layers in differences.values() for each in layers)
        bound = loaded.agreement_bound
        if max(largest, relative) > bound:
            bound = agreement(loaded.model, inputs, bound).bound
    return ParityByHead(
        tokens=tokens,
        target_tokens=targets,
        parts=[PartParity(name, torch.stack(layers).cpu().numpy()) for name, layers in differences.items()],
        hidden_states={
            name: np.array(
                [float((mine - yours).abs().max()) for mine, yours in zip(states, theirs[name], strict=True)]
            )
            for name, states in ours.items()
        },
        part=chosen.name,
        layer=layer,
        head=head,
        ours=_square(shown, head),
        theirs=kept[0].cpu().numpy(),
        own_decoder=own_decoder,
        dtype=str(loaded.dtype).removeprefix("torch."),
        relative_hidden_state=relative,
        bound=bound,
    )


def _hidden_states(model: Any, kind: str | None, inputs: Mapping[str, Tensor]) -> dict[str, tuple[Tensor, ...]]:
    output = model(**inputs, output_hidden_states=True)
    if "encoder_hidden_states" in output:
        return {"encoder": output.encoder_hidden_states, "decoder": output.decoder_hidden_states}
    return {kind or "encoder": output.hidden_states}


def _square(layer: LayerRecord, head: int) -> np.ndarray:
    attention = layer.attention
    rows, cols = slice(0, attention.num_queries), slice(0, attention.num_keys)
    return attention.head(head).weights(rows, cols, layer.log_sum_exp[:, head : head + 1])[0, 0].float().cpu().numpy()


def _own_decoder(loaded: LoadedModel, inputs: Mapping[str, Tensor]) -> OwnDecoderParity | None:
    """Logits from our own decoder with the model's weights, against those of the eager copy."""
    if loaded.nbytes > MAX_COPIED_BYTES or not loaded.model.can_generate():
        return None
    try:
        decoder = decoder_from_weights(from_transformers(loaded.model.config.to_dict()), loaded.model.state_dict())
    except ValueError:  # an architecture, or an option of one, that our decoder does not support
        return None
    ours = decoder.to(loaded.device)(inputs["input_ids"])
    theirs = eager_copy(loaded.model)(**inputs, use_cache=False).logits
    return OwnDecoderParity(float((ours - theirs).abs().max()), float(theirs.abs().max()))
