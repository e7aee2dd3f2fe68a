"""Split the record of a batch into one record for each text, as if it had gone through the model alone.

A text's record shares no memory with the batch, so that it can be dropped by itself; only what is the same for all
texts (a bias by distance, sinks) is shared.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from jaxtyping import Bool
from torch import Tensor

from attention_core.blockwise.bias import BiasRule
from attention_core.masks import DenseMask, MaskRule
from attention_core.pretrained.recording.bias_rules import DenseBias, RelativeBias
from attention_core.pretrained.recording.recorder import LayerRecord
from attention_core.pretrained.recording.unwritten_mask import RecordedMask


class NotSplittableError(Exception):
    """A layer's record is not one of these texts side by side: the model must be run on each alone."""


@dataclass(frozen=True, eq=False)
class TextMask:
    """One text of a mask rule of any kind."""

    mask: MaskRule
    index: int

    def window(self, rows: slice, cols: slice) -> Bool[Tensor, "*batch rows cols"]:
        """See MaskRule."""
        window = self.mask.window(rows, cols)
        return _text_of(window, self.index) if window.ndim > 3 else window


def split_records(layers: Sequence[LayerRecord], texts: int) -> list[list[LayerRecord]]:
    """The layers of each text. Raises NotSplittableError."""
    masks: dict[tuple[int, int], MaskRule] = {}
    biases: dict[tuple[int, int], BiasRule] = {}
    return [[_layer_of(layer, index, texts, masks, biases) for layer in layers] for index in range(texts)]


def _layer_of(
    layer: LayerRecord,
    index: int,
    texts: int,
    masks: dict[tuple[int, int], MaskRule],
    biases: dict[tuple[int, int], BiasRule],
) -> LayerRecord:
    """One text of one layer. Layers that share a mask or a bias go on sharing it."""
    attention = layer.attention
    held = (attention.queries, attention.keys, attention.values, layer.log_sum_exp)
    if any(tensor.shape[0] != texts for tensor in held) or attention.edits:
        raise NotSplittableError
    mask, bias = attention.mask, attention.bias
    if mask is not None and (id(mask), index) not in masks:
        masks[id(mask), index] = _mask_of(mask, index, texts)
    if bias is not None and (id(bias), index) not in biases:
        biases[id(bias), index] = _bias_of(bias, index, texts)
    queries, keys, values, log_sum_exp = (tensor[index : index + 1].clone() for tensor in held)
    return replace(
        layer,
        attention=replace(
            attention,
            queries=queries,
            keys=keys,
            values=values,
            mask=None if mask is None else masks[id(mask), index],
            bias=None if bias is None else biases[id(bias), index],
        ),
        log_sum_exp=log_sum_exp,
    )


def _mask_of(mask: MaskRule, index: int, texts: int) -> MaskRule:
    if isinstance(mask, RecordedMask):
        return replace(mask, size=(1, *mask.size[1:]), first_text=mask.first_text + index)
    if isinstance(mask, DenseMask):
        return DenseMask(_own(mask.allowed, index, texts)) if mask.allowed.ndim > 3 else mask
    return TextMask(mask, index)


def _bias_of(bias: BiasRule, index: int, texts: int) -> BiasRule:
    if isinstance(bias, DenseBias) and bias.values.ndim == 4:
        return replace(bias, values=_own(bias.values, index, texts))
    if isinstance(bias, RelativeBias) and bias.by_distance.ndim == 3:
        return replace(bias, by_distance=_own(bias.by_distance, index, texts))
    raise NotSplittableError


def _own(values: Tensor, index: int, texts: int) -> Tensor:
    """A text's own copy of what differs between texts; what does not is shared."""
    if values.shape[0] not in (1, texts):
        raise NotSplittableError
    return values if values.shape[0] == 1 else _text_of(values, index).clone()


def _text_of(values: Tensor, index: int) -> Tensor:
    return values[index : index + 1] if values.shape[0] > 1 else values
