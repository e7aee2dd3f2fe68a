"""Patch one run's activations into another, each run of a batch in its own place, inside our attention function."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Literal

from jaxtyping import Float
from torch import Tensor, nn

from attention_core.blockwise.attention import BlockwiseAttention
from attention_core.pretrained.errors import UnsupportedAttentionError
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.bias_rules import ContentBias
from attention_core.pretrained.recording.parts import PartName, key_heads
from attention_core.pretrained.recording.recorder import AttentionCall, Recording
from attention_core.pretrained.studies.patching.activations import Activations, LayerActivations

What = Literal["output", "queries", "keys", "values", "pattern", "residual"]
KEY_SIDE: frozenset[What] = frozenset({"keys", "values"})
"""What belongs to KV heads, and to keys instead of queries."""


@dataclass(frozen=True)
class Cell:
    """What is patched in one run."""

    layer: int
    head: int | None
    """A query head, or a KV head of keys and values; None for all of them."""
    position: int | None
    """None for all of them."""


@dataclass(frozen=True, eq=False, kw_only=True)
class OverwrittenAttention(BlockwiseAttention):
    """Attention whose head outputs are changed before the model goes on with them."""

    overwrite: Callable[[Float[Tensor, "B H Q V"]], None]

    def attend(
        self, on_block: Callable[[], None] | None = None
    ) -> tuple[Float[Tensor, "B H Q V"], Float[Tensor, "B H Q 2"]]:
        """See BlockwiseAttention."""
        head_outputs, log_sum_exp = super().attend(on_block)
        self.overwrite(head_outputs)
        return head_outputs, log_sum_exp


@dataclass(frozen=True, eq=False)
class Patches:
    """A batch of runs; run ``i`` takes ``what`` at ``cells[i]`` from the source run."""

    what: What
    cells: Sequence[Cell]
    source: Activations

    def change(self, layer: int, attention: BlockwiseAttention) -> BlockwiseAttention:
        """The attention of this layer with the patches of all runs."""
        if self.what == "residual" or all(cell.layer != layer for cell in self.cells):
            return attention
        source = self.source.layers[layer]
        match self.what:
            case "queries" | "keys" | "values":
                name: Literal["queries", "keys", "values"] = self.what
                patched = getattr(attention, name).clone()
                taken = getattr(source.record.attention, name)
                owners = given_heads(source.record.attention, name)
                for run, heads, span in self._places(layer, owners):
                    patched[run, heads, span] = taken[0, heads, span]
                return replace(attention, **{name: patched})
            case "pattern":
                return overwritten(attention, lambda outputs: self._mix(layer, source, attention, outputs))
        return overwritten(attention, lambda outputs: self._copy(layer, source, outputs))

    def stream(self, layer: int, stream: Float[Tensor, "B N D"]) -> Float[Tensor, "B N D"]:
        """The residual stream before this layer's block."""
        runs = [run for run, cell in enumerate(self.cells) if cell.layer == layer]
        if not runs or self.what != "residual":
            return stream
        patched = stream.clone()
        for run in runs:
            span = _span(self.cells[run].position)
            patched[run, span] = self.source.streams[layer][0, span]
        return patched

    def _places(self, layer: int, owners: list[list[int]]) -> list[tuple[int, list[int], slice]]:
        """Of this layer: run, heads, positions; heads as the tensors count them."""
        every = [each for owned in owners for each in owned]
        return [
            (run, every if cell.head is None else owners[cell.head], _span(cell.position))
            for run, cell in enumerate(self.cells)
            if cell.layer == layer
        ]

    def _copy(self, layer: int, source: LayerActivations, outputs: Float[Tensor, "B H Q V"]) -> None:
        for run, heads, span in self._places(layer, given_heads(source.record.attention, "queries")):
            outputs[run, heads, span] = source.head_outputs[0, heads, span]

    def _mix(
        self, layer: int, source: LayerActivations, attention: BlockwiseAttention, outputs: Float[Tensor, "B H Q V"]
    ) -> None:
        """Head outputs from the source's weights and each run's own values."""
        record = source.record
        group = attention.num_heads // attention.values.shape[1]
        for run, heads, span in self._places(layer, given_heads(record.attention, "queries")):
            for head in heads:
                rows = slice(*span.indices(attention.num_queries)[:2])
                weights = record.attention.head(head).weights(
                    rows, slice(0, attention.num_keys), record.log_sum_exp[:, head : head + 1]
                )
                values = attention.values[run, head // group]
                outputs[run, head, rows] = weights[0, 0].to(values.dtype) @ values


@dataclass(eq=False)
class PatchedLayers:
    """Receives one pass and changes the layers of one part, counted from 0; keeps nothing."""

    part_of: Callable[[nn.Module | None], PartName]
    part: PartName
    change: Callable[[int, BlockwiseAttention], BlockwiseAttention]
    on_block: Callable[[], None] | None = None
    _layer: int = 0

    def attend(self, call: AttentionCall) -> Float[Tensor, "B H Q V"]:
        """See Receiver."""
        return Recording(self.on_block, self._changed).attend(call)

    def _changed(self, module: nn.Module, attention: BlockwiseAttention) -> BlockwiseAttention:
        if self.part_of(module) != self.part:
            return attention
        layer, self._layer = self._layer, self._layer + 1
        return self.change(layer, attention)


def check_replaceable(loaded: LoadedModel, attention: BlockwiseAttention, what: str) -> None:
    """Refuse to replace queries or keys alone where a bias was computed from them: it would stay that of the old ones.

    Raises UnsupportedAttentionError.
    """
    if what in {"queries", "keys"} and isinstance(attention.bias, ContentBias):
        raise UnsupportedAttentionError(
            "In {id} queries and keys also make a bias by distance, which would stay as it was: patch outputs, values, "
            "patterns or the residual stream.",
            loaded.entry.id,
        )


def given_heads(attention: BlockwiseAttention, name: Literal["queries", "keys", "values"]) -> list[list[int]]:
    """For each head its indices in the tensor; some models pass several copies of a KV head."""
    if name == "queries":
        return [[head] for head in range(attention.num_heads)]
    numbers = key_heads(attention)
    group = attention.num_heads // attention.keys.shape[1]
    owners: list[list[int]] = [[] for _ in range(max(numbers) + 1)]
    for kv_head in range(attention.keys.shape[1]):
        owners[numbers[kv_head * group]].append(kv_head)
    return owners


def overwritten(
    attention: BlockwiseAttention, overwrite: Callable[[Float[Tensor, "B H Q V"]], None]
) -> OverwrittenAttention:
    """The same attention, its head outputs changed in place by ``overwrite``."""
    return OverwrittenAttention(
        **{each.name: getattr(attention, each.name) for each in fields(BlockwiseAttention)}, overwrite=overwrite
    )


def _span(position: int | None) -> slice:
    return slice(None) if position is None else slice(position, position + 1)
