"""Decompose a decoder's residual stream at one token into what each block adds (Elhage et al. 2021).

``stream_0`` is the embedding (with its position, where that is learned); every block adds what its heads and its
feed-forward layer write, and the sum goes through the last norm and the output matrix:
``logits = norm(stream_L) W_U + b``. Some models norm what both write before it is added (Gemma 2 and 3, OLMo 2 and 3),
or multiply it with a factor (Granite).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.model_run import body
from attention_core.pretrained.recording.output_projections import OutputProjection, as_projection
from attention_core.pretrained.recording.recorder import record
from attention_core.pretrained.recording.selection import check_index
from attention_core.pretrained.recording.shared_copy import copy_sharing_weights
from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.running.rerun import prepare
from attention_core.pretrained.studies.outputs.block_layouts import Layout, layout_of
from attention_core.pretrained.studies.outputs.block_stations import Watch
from attention_core.pretrained.studies.outputs.fixed_norms import FixedNorm
from attention_core.pretrained.studies.outputs.readers import Reader, reader_of


@dataclass(frozen=True, eq=False)
class ResidualStream:
    """One token's residual stream, in float32. L layers, width D."""

    position: int
    stream: Float[Tensor, "states D"]
    """Before each of the L blocks, and after the last: L + 1 states."""
    head_outputs: Float[Tensor, "L HV"]
    """Outputs of all heads concatenated, before the output projection."""
    projections: list[OutputProjection]
    written: list[FixedNorm]
    """What each layer's attention writes goes through this before it is added; the identity in most models."""
    feed_forward: Float[Tensor, "L D"]
    """What each feed-forward layer adds."""
    reader: Reader
    is_written_normed: bool
    """Whether ``written`` are norms."""


def reads_stream(loaded: LoadedModel) -> bool:
    """Whether ``residual_stream`` takes this model apart."""
    try:
        _layout_of(loaded)
    except ModelUnavailableError:
        return False
    return True


def residual_stream(
    loaded: LoadedModel, analysis: Analysis, position: int, check: Callable[[], None] | None = None
) -> ResidualStream:
    """Rerun the analysis's text and record the residual stream at ``position``.

    Raises ModelUnavailableError for an architecture without a layout of blocks that add to one stream, or a model that
    makes no logits of it; SelectionError for a position that does not exist. ``check`` is called before each block of
    work and may raise.
    """
    layout, reader = _layout_of(loaded)
    shared = replace(loaded, model=copy_sharing_weights(loaded.model))
    rerun = prepare(shared, analysis)
    check_index("position", position, len(rerun.tokens))
    model: Any = body(shared.model)
    blocks = list(model.get_submodule(layout.blocks).children())
    watch = Watch(slice(position, position + 1))
    paths = (*layout.projections, *(layout.written_norms or ()))
    for block in blocks:
        for module in (block, *(block.get_submodule(name) for name in paths)):
            watch(module)
    with torch.inference_mode():
        with record(check, rerun.change):
            model(**rerun.inputs, use_cache=False)
        added = [added_by(layout, block, watch) for block in blocks]
        attentions = [block.get_submodule(layout.projections[0]) for block in blocks]
        states = [*(watch.read[block] for block in blocks), watch.written[blocks[-1]]]
        return ResidualStream(
            position,
            stream=torch.cat(states).float(),
            head_outputs=torch.cat([watch.read[each] for each in attentions]).float(),
            projections=[as_projection(each) for each in attentions],
            written=[written for written, _ in added],
            feed_forward=torch.cat([fed for _, fed in added]),
            reader=reader,
            is_written_normed=layout.written_norms is not None,
        )


def added_by(layout: Layout, block: nn.Module, watch: Watch[slice]) -> tuple[FixedNorm, Float[Tensor, "N D"]]:
    """How a block adds what its attention writes, and what its feed-forward layer adds, in float32.

    ``watch`` has seen the block's projections and the norms of what they write.
    """
    fed = watch.written[block.get_submodule(layout.projections[1])].float()
    if layout.written_norms is not None:
        of_heads, of_fed = (block.get_submodule(name) for name in layout.written_norms)
        return FixedNorm.of(of_heads, watch.read[of_heads].float()), watch.written[of_fed].float()
    factor = 1.0 if layout.multiplier is None else float(getattr(block, layout.multiplier))
    return FixedNorm.times(factor, fed), factor * fed


def _layout_of(loaded: LoadedModel) -> tuple[Layout, Reader]:
    layout, reader = layout_of(loaded), reader_of(loaded)
    if reader is None or layout.order == "post" or loaded.entry.kind != "decoder":
        raise ModelUnavailableError(
            "This is available only for decoders: models whose blocks add to one residual stream, from which the next "
            "token is predicted; {id} is of another kind.",
            loaded.entry.id,
        )
    return layout, reader
