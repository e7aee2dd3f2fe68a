"""Split the residual stream into the parts that each block adds up, at every token of a text.

A block writes to the stream twice, after attention and after its feed-forward layer, each time as a sum of vectors:

    after attention      y_i = x_i + Σ_h Σ_j α^h_ij v^h_j W_O^h + b_O
    after feed-forward   y_i = x_i + FFN(x)_i

(α: weights, v: values with their bias, x: the stream before.) In a block whose two halves run in parallel it is one sum
of all of these. Where the norm follows the sum (post-norm, as in BERT), the stream goes on as ``g ∘ (s − mean s) / σ +
b`` of that sum s. With σ held at its value that is linear, so each part passes through it alone, and ``b`` joins the
biases (Kobayashi et al. 2021; Ferrando et al. 2022, https://arxiv.org/abs/2203.04212).

Where what attention writes is normed before it is added (Gemma 2 and 3, OLMo 2 and 3), each head's part goes through
that norm in the same way, its scale held at the value that all heads together gave it. So the parts are exact for this
run, but do not say how the scale would change without a head. The part of the feed-forward layer is what its norm
writes.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.model_run import body
from attention_core.pretrained.recording.output_projections import OutputProjection, as_projection
from attention_core.pretrained.recording.recorder import LayerRecord, record
from attention_core.pretrained.recording.shared_copy import copy_sharing_weights
from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.running.rerun import prepare
from attention_core.pretrained.studies.outputs.block_layouts import Layout, layout_of
from attention_core.pretrained.studies.outputs.block_stations import Watch
from attention_core.pretrained.studies.outputs.fixed_norms import FixedNorm
from attention_core.pretrained.studies.outputs.residual_stream import added_by

Station = Literal["embedding", "after_attention", "after_feed_forward", "after_block"]
"""Where the stream is looked at; ``after_block`` if attention and feed-forward layer run in parallel."""


@dataclass(frozen=True, eq=False)
class StreamSum:
    """One sum of the stream, at all N tokens, in float32."""

    layer: int
    station: Station
    total: Float[Tensor, "N D"]
    """The recorded state, behind the norm if it is post-norm."""
    before: Float[Tensor, "N D"]
    feed_forward: Float[Tensor, "N D"] | None
    attention: tuple[LayerRecord, OutputProjection] | None
    norm: FixedNorm
    """Of the whole sum."""
    written_norm: FixedNorm
    """Of what attention writes, before it is added; or a factor."""

    def residual_part(self, at: Int[Tensor, " n"]) -> Float[Tensor, "n D"]:
        """The part of the stream before, at these tokens."""
        return self.norm.unscaled(self.before[at]) / self.norm.sigma[at]

    def feed_forward_part(self, at: Int[Tensor, " n"]) -> Float[Tensor, "n D"] | None:
        """The part of the feed-forward layer, its bias included."""
        return None if self.feed_forward is None else self.norm.unscaled(self.feed_forward[at]) / self.norm.sigma[at]

    def bias_part(self, at: Int[Tensor, " n"]) -> Float[Tensor, "n D"]:
        """The part of W_O's bias and of the norm's, which belongs to no head."""
        bias = self.attention[1].bias if self.attention else None
        output = torch.zeros_like(self.total[0]) if bias is None else bias.float()
        written = self.written_norm.unscaled(output) / self.written_norm.sigma[at]
        if self.attention:
            written = written + self.written_norm.shift()
        return self.norm.unscaled(written) / self.norm.sigma[at] + self.norm.shift()

    def head_parts(
        self, at: Int[Tensor, " n"], keys: int
    ) -> Iterator[tuple[int, Float[Tensor, "n K"], Float[Tensor, "K D"]]]:
        """For every head: factors c and vectors u such that its part of query i from key j is ``c_ij u_j``.

        ``keys``: how many of the first keys any of these queries attends to.
        """
        if self.attention is None:
            return
        seen, projection = self.attention
        values = seen.attention.values[0].float()
        group = seen.attention.num_heads // len(values)
        for head in range(seen.attention.num_heads):
            written = values[head // group, :keys] @ projection.of_head(head, values.shape[-1]).float()
            weights = _mixed(seen, head, at, keys) / self.written_norm.sigma[at] / self.norm.sigma[at]
            yield head, weights, self.norm.unscaled(self.written_norm.unscaled(written))


@dataclass(frozen=True, eq=False)
class StreamSums:
    """The stream of a text from the embedding on, as sums in their order."""

    embedding: Float[Tensor, "N D"]
    sums: list[StreamSum]

    def states(self) -> Iterator[Float[Tensor, "N D"]]:
        """The stream at every station, from the embedding to the last block."""
        yield self.embedding
        for each in self.sums:
            yield each.total


def stream_sums(loaded: LoadedModel, analysis: Analysis, check: Callable[[], None] | None = None) -> StreamSums:
    """Rerun the analysis's text, interventions included, and take its blocks apart.

    Raises ModelUnavailableError for an architecture missing from ``block_layouts.LAYOUTS``. ``check`` is called before
    each block of work and may raise.
    """
    layout = layout_of(loaded)
    shared = replace(loaded, model=copy_sharing_weights(loaded.model))
    rerun = prepare(shared, analysis)
    model: Any = body(shared.model)
    blocks = list(model.get_submodule(layout.blocks).children())
    watch = Watch(slice(None))
    paths = (*layout.norms, *layout.projections, *(layout.written_norms or ()))
    for block in blocks:
        for module in (block, *(block.get_submodule(name) for name in paths)):
            watch(module)
    with torch.inference_mode():
        with record(check, rerun.change) as recording:
            model(**rerun.inputs, **({"use_cache": False} if loaded.entry.kind == "decoder" else {}))
        sums = [
            each
            for layer, (block, seen) in enumerate(zip(blocks, recording.layers, strict=True))
            for each in _sums_of(layout, layer, block, watch, seen)
        ]
        return StreamSums(watch.read[blocks[0]].float(), sums)


def _sums_of(layout: Layout, layer: int, block: nn.Module, watch: Watch[slice], seen: LayerRecord) -> list[StreamSum]:
    first, second = (block.get_submodule(name) for name in layout.norms)
    start, end = watch.read[block].float(), watch.written[block].float()
    heads = (seen, as_projection(block.get_submodule(layout.projections[0])))
    plain = FixedNorm.of(None, end)
    written, fed = added_by(layout, block, watch)
    if layout.order == "parallel":
        return [StreamSum(layer, "after_block", end, start, fed, heads, plain, written)]
    if layout.order == "pre":
        middle = watch.read[second].float()
        norms = [plain] * 2
    else:
        middle = watch.written[first].float()
        norms = [FixedNorm.of(norm, watch.read[norm].float()) for norm in (first, second)]
    return [
        StreamSum(layer, "after_attention", middle, start, None, heads, norms[0], written),
        StreamSum(layer, "after_feed_forward", end, middle, fed, None, norms[1], plain),
    ]


def _mixed(seen: LayerRecord, head: int, at: Int[Tensor, " n"], keys: int) -> Float[Tensor, "n K"]:
    """What the head's output mixes its values with: its weights, unless the head is off or set to its mean output."""
    attention, cols = seen.attention.head(head), slice(0, keys)
    log_sum_exp = seen.log_sum_exp[:, head : head + 1]
    edit = attention.edits.get(0)
    if edit is not None and edit.output == "zero":
        return seen.log_sum_exp.new_zeros(len(at), keys, dtype=torch.float32)
    if edit is not None and edit.output == "mean":
        mean = attention.weights(slice(0, attention.num_queries), cols, log_sum_exp)[0, 0].float().mean(dim=0)
        return mean.expand(len(at), -1)
    rows = slice(int(at.min()), int(at.max()) + 1)
    return attention.weights(rows, cols, log_sum_exp)[0, 0, at - rows.start].float()
