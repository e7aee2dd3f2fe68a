"""Trial forward pass of a loaded model: check that it runs and that every layer is recorded, and find its shapes.

The configuration is trusted only until then; the recorded facts replace it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._pytree import tree_leaves
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from attention_core.pretrained.errors import ModelUnavailableError, UnsupportedAttentionError, as_unavailable
from attention_core.pretrained.models.configuration import ModelFacts
from attention_core.pretrained.models.preprocessing.class_tokens import class_tokens
from attention_core.pretrained.models.preprocessing.image_layout import ImageLayout, image_layout
from attention_core.pretrained.models.preprocessing.image_rules import ImageRules, NoTokenizer
from attention_core.pretrained.models.preprocessing.sound_layout import SoundLayout, noise, sound_layout
from attention_core.pretrained.models.preprocessing.sound_rules import SoundRules
from attention_core.pretrained.models.tokenizers.special_tokens import special_ids
from attention_core.pretrained.models.tokenizers.start_token import start_token
from attention_core.pretrained.recording.model_run import run_model, watching_state
from attention_core.pretrained.recording.output_projections import OutputProjection, watch
from attention_core.pretrained.recording.parts import (
    OTHER_POSITIONS,
    PartRecord,
    PartShape,
    check_positions,
    part_shapes,
    split_into_parts,
    tokens_of,
)
from attention_core.pretrained.recording.recorder import record
from attention_core.pretrained.recording.returned_weights import returned_weights, run_returning_weights, shapes_of

SOURCE_TOKENS = 12
TARGET_TOKENS = 9
"""Different from the source's, so that the two cannot be confused."""


@dataclass(frozen=True, eq=False)
class Trial:
    """The results of the trial run."""

    kind: str
    """encoder, decoder or encoder_decoder."""
    parts: tuple[PartShape, ...]
    projections: dict[nn.Module | None, OutputProjection]
    """W_O by attention module, as far as found."""
    layout: ImageLayout = field(default_factory=ImageLayout)
    """Of an image model, the tokens beside the patches."""
    sound_layout: SoundLayout | None = None
    """Of an audio model, its positions in time."""


def trial_inputs(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase | NoTokenizer,
    facts: ModelFacts,
    images: ImageRules | None,
    sounds: SoundRules | None = None,
    *,
    tokens: int = SOURCE_TOKENS,
) -> dict[str, Tensor]:
    """That many random ordinary tokens, a noise image or a second of noise; always the same.

    A decoder beside an encoder gets somewhat fewer.
    """
    generator = torch.Generator().manual_seed(0)
    if images is not None:
        pixels = torch.randn((1, 3, images.height, images.width), generator=generator)
        return {"pixel_values": pixels.to(dtype=model.dtype, device=model.device)}
    heard: dict[str, Tensor] = {}
    if sounds is not None:
        heard = _on_device(model, sounds.features(noise(sounds)))
        if facts.kind != "encoder_decoder":
            return heard
    rows = model.get_input_embeddings().num_embeddings
    known = set(tokenizer.get_vocab().values()) - special_ids(tokenizer)
    ordinary = torch.tensor(sorted(each for each in known if 0 <= each < rows) or [0])

    def draw(count: int, most: int) -> Tensor:
        chosen = torch.randint(len(ordinary), (1, min(count, most)), generator=generator)
        return ordinary[chosen].to(model.device)

    inputs = heard or {"input_ids": draw(tokens, facts.max_tokens)}
    if facts.kind == "encoder_decoder":
        most = facts.max_target_tokens or facts.max_tokens
        inputs["decoder_input_ids"] = draw(tokens - SOURCE_TOKENS + TARGET_TOKENS, most)
        inputs["decoder_input_ids"][0, 0] = start_token(model, tokenizer)
    return inputs


def _on_device(model: PreTrainedModel, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name: each.to(dtype=model.dtype, device=model.device) for name, each in inputs.items()}


def run_trial(
    model: PreTrainedModel,
    inputs: Mapping[str, Tensor],
    facts: ModelFacts,
    images: ImageRules | None = None,
    sounds: SoundRules | None = None,
) -> Trial:
    """Run and record one forward pass. Raises ModelUnavailableError with the reason if the model is unsupported."""
    kind = facts.kind
    with as_unavailable("It does not run: {cause}."), torch.no_grad(), watch(model) as watched, record() as recording:
        try:
            with watching_state(model) as states:
                output = run_model(model, inputs, [-1])
        except UnsupportedAttentionError as error:
            raise ModelUnavailableError("It cannot be shown: {error}.", error) from error
        parts = split_into_parts(model, kind, recording.layers)
    _check_numbers((output, states), model.dtype)
    _check_layers(parts, facts)
    check_positions(parts, inputs)
    if any(len({layer.attention.num_heads for layer in part.layers}) > 1 for part in parts):
        raise ModelUnavailableError("Its layers have different numbers of heads, which is not supported here.")
    with torch.no_grad():
        shapes = part_shapes(parts)
        if kind != "encoder_decoder" and shapes[0].causal is not None:
            kind = "decoder" if shapes[0].causal else "encoder"
            shapes = part_shapes(split_into_parts(model, kind, recording.layers))
        projections = watched.confirmed((layer.module, layer.attention.attend()[0]) for layer in recording.layers)
        sound = None

        def heard(inputs: Mapping[str, Tensor]) -> int:
            with record() as again:
                (model.get_encoder() if kind == "encoder_decoder" else model)(**_on_device(model, inputs))
            return again.layers[0].attention.num_queries

        if sounds is not None:
            sound = sound_layout(model.config, sounds, parts[0].layers[0].attention.num_queries, heard)
    layout = ImageLayout()
    if images is not None:
        layout = image_layout(model, images, inputs)
        layout = replace(layout, read=class_tokens(model, recording.layers[-1].module, layout, inputs))
    return Trial(kind, shapes, projections, layout, sound)


def run_weights_trial(
    model: PreTrainedModel,
    inputs: Mapping[str, Tensor],
    facts: ModelFacts,
    images: ImageRules | None = None,
    sounds: SoundRules | None = None,
) -> Trial:
    """Run a model once whose own weights are shown. Raises ModelUnavailableError if it does not return all of them."""
    kind = facts.kind
    with as_unavailable("It does not run: {cause}."), torch.no_grad():
        output = run_returning_weights(model, inputs)
    _check_numbers(output, model.dtype)
    try:
        weights = returned_weights(output, kind)
        shapes = shapes_of(weights, kind, facts.kv_heads, facts.head_dim)
        if kind != "encoder_decoder" and shapes[0].causal is not None:
            kind = "decoder" if shapes[0].causal else "encoder"
            weights = returned_weights(output, kind)
            shapes = shapes_of(weights, kind, facts.kv_heads, facts.head_dim)
    except UnsupportedAttentionError as error:
        raise ModelUnavailableError("It cannot be shown: {error}.", error) from error
    _check_counts({shape.name: shape.layers for shape in shapes}, facts)
    layout = ImageLayout() if images is None else image_layout(model, images, inputs)
    first = next(iter(weights.values()))
    sound = None

    def heard(inputs: Mapping[str, Tensor]) -> int:
        asked = model.get_encoder() if kind == "encoder_decoder" else model
        return int(run_returning_weights(asked, _on_device(model, inputs)).attentions[0].shape[-1])

    if sounds is not None:
        with torch.no_grad():
            sound = sound_layout(model.config, sounds, first.shape[-1], heard)
    counts = tokens_of(inputs, first.shape[2])
    for shape, each in zip(shapes, weights.values(), strict=True):
        if tuple(each.shape[2:]) != (counts[shape.query_side], counts[shape.key_side]):
            raise UnsupportedAttentionError(OTHER_POSITIONS)
    return Trial(kind, shapes, {}, layout, sound)


def _check_numbers(output: Any, dtype: torch.dtype) -> None:
    if any(bool(each.isnan().any()) for each in tree_leaves(output) if isinstance(each, Tensor)):
        name = str(dtype).removeprefix("torch.")
        raise ModelUnavailableError("In {name} its numbers overflow their format (NaN).", name)


def _check_layers(parts: list[PartRecord], facts: ModelFacts) -> None:
    """Check that every configured layer was recorded exactly once."""
    _check_counts({part.name: len(part.layers) for part in parts}, facts)


def _check_counts(recorded: Mapping[str, int], facts: ModelFacts) -> None:
    if facts.decoder_layers is None:
        layers = sum(recorded.values())
        if layers < facts.layers:
            raise ModelUnavailableError(
                "Only {found} of its {layers} layers have an attention that can be recorded.", layers, facts.layers
            )
        _check_not_more(layers, facts.layers)
        return
    for name, count in (("encoder", facts.layers), ("decoder", facts.decoder_layers), ("cross", facts.decoder_layers)):
        layers = recorded.get(name, 0)
        if layers < count:
            raise ModelUnavailableError(
                "Only {found} of the {count} layers of its {name} part have an attention that can be recorded.",
                layers,
                count,
                name,
            )
        _check_not_more(layers, count)


def _check_not_more(found: int, layers: int) -> None:
    if found > layers:
        raise ModelUnavailableError(
            "It computes attention {found} times in {layers} layers; combining several in a layer is not supported.",
            found,
            layers,
        )
