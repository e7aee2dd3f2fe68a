"""Build layer records from uploaded arrays."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from attention_core.blockwise.attention import BlockwiseAttention
from attention_core.blockwise.given_weights import given_weights
from attention_core.blockwise.row_blocks import row_blocks
from attention_core.masks import DenseMask, MaskRule, PredicateMask, causal
from attention_core.pretrained.errors import TensorsError
from attention_core.pretrained.inputs.arranged_tensors import PartTensors
from attention_core.pretrained.inputs.tensor_files import FLOATS
from attention_core.pretrained.recording.recorder import LayerRecord
from attention_core.pretrained.recording.returned_weights import reads_back_only
from attention_core.refusal import Sentence

ROW_SUM_BOUND = {torch.float16: 5e-3, torch.bfloat16: 2e-2}
"""Largest deviation of a row sum from 1 by rounding alone; 1e-3 for wider formats."""


@dataclass(frozen=True, eq=False)
class PartLayers:
    """The layer records of one part."""

    records: list[LayerRecord]
    is_causal: bool
    """Whether no query attends to a later key."""
    caveats: dict[str, Sentence]
    """By their codes: what users should know of these arrays."""


def make_layers(
    arranged: PartTensors, scale: float | None, check: Callable[[], None], *, is_decoder: bool
) -> PartLayers:
    """A record for each layer. ``check`` is called between blocks of work and may raise.

    By default a decoder's queries and keys are masked causally, and weights whose upper triangle is 0 are considered
    causal. ``scale`` is 1/√(head size) unless given.
    """
    weights = arranged.weights
    masks = _masks(arranged, is_decoder=is_decoder)
    if weights is not None:
        no_scale = torch.zeros(1, weights.shape[1], weights.shape[2], 2)
        records = []
        for index, mask in enumerate(masks):
            check()
            _check_masked(arranged, index, mask)
            values = None if arranged.values is None else _wide(arranged.values[index : index + 1])
            records.append(
                LayerRecord(None, given_weights(_single(weights[index : index + 1]), values, mask), no_scale)
            )
    else:
        records = _attend(arranged, scale, masks, check)
    told = {"rows_do_not_sum_to_1": _uneven_rows(arranged), "nearly_causal": _nearly_causal(arranged, masks)}
    return PartLayers(records, _is_causal(arranged, masks), {code: said for code, said in told.items() if said})


def _attend(
    arranged: PartTensors, scale: float | None, masks: list[MaskRule | None], check: Callable[[], None]
) -> list[LayerRecord]:
    queries, keys, values = arranged.queries, arranged.keys, arranged.values
    assert queries is not None and keys is not None  # noqa: S101, PT018 - as arranged
    records = []
    blocks = {id(mask): row_blocks(arranged.num_queries, arranged.num_keys, mask) for mask in masks}
    for index, mask in enumerate(masks):
        layer = slice(index, index + 1)
        attention = BlockwiseAttention(
            queries=_wide(queries[layer]),
            keys=_wide(keys[layer]),
            values=_wide(keys[layer, :, :, :1]),  # this pass computes only the log-sum-exp
            scale=queries.shape[-1] ** -0.5 if scale is None else scale,
            mask=mask,
            blocks=blocks[id(mask)],
        )
        _, log_sum_exp = attention.attend(check)
        largest = log_sum_exp[0, ..., 0]  # in float64, whose range exceeds that of the displayed scores
        wrong = (largest.isnan() | (largest > torch.finfo(attention.precision).max)).nonzero()
        if len(wrong):
            head, query = wrong[0].tolist()
            place = f"layer {index}, head {head}, query {query}"
            name = arranged.rows_named
            raise TensorsError(
                "{field} and keys make scores too large for their number format at {place}.", place, field=name
            )
        own = _wide(keys[layer, :, :, :0] if values is None else values[layer])
        records.append(LayerRecord(None, replace(attention, values=own), log_sum_exp))
    return records


# --- masks --------------------------------------------------------------------------------------------------------


def _masks(arranged: PartTensors, *, is_decoder: bool) -> list[MaskRule | None]:
    """The mask rule of each layer; layers share one where possible."""
    tensor = arranged.queries if arranged.weights is None else arranged.weights
    assert tensor is not None  # noqa: S101 - as arranged
    layers, name = tensor.shape[0], arranged.prefix + "mask"
    queries, keys = arranged.num_queries, arranged.num_keys
    mask = arranged.mask
    if mask is None and (is_decoder if arranged.weights is None else reads_back_only(arranged.weights)):
        mask = "causal"
    if mask is None or mask == "none":
        return [None] * layers
    if isinstance(mask, str):
        if queries > keys:
            raise TensorsError(
                "{field} is causal, which needs as many keys as queries or more, not {queries} and {keys}.",
                queries,
                keys,
                field=name,
            )
        return [PredicateMask(causal, queries, keys)] * layers
    if tuple(mask.shape) not in {(queries, keys), (layers, queries, keys)}:
        wanted = f"({queries}, {keys}) or ({layers}, {queries}, {keys})"
        raise TensorsError("{field} must have the shape {wanted}, not {shape}.", wanted, tuple(mask.shape), field=name)
    if mask.dtype in FLOATS or not bool(((mask == 0) | (mask == 1)).all()):
        raise TensorsError(
            "{field} must be boolean, true where attention is allowed; additive masks are not accepted.",
            field=name,
        )
    allowed = mask.bool()
    if allowed.ndim == 2:
        return [DenseMask(allowed)] * layers
    return [DenseMask(each) for each in allowed]


def _is_causal(arranged: PartTensors, masks: list[MaskRule | None]) -> bool:
    size = arranged.num_queries
    if size != arranged.num_keys or None in masks:
        return False
    dense = {id(mask): mask.allowed for mask in masks if isinstance(mask, DenseMask)}  # others come from a string
    return not any(bool(allowed.triu(1).any()) for allowed in dense.values())


# --- caveats and checks ----------------------------------------------------------------------------------------------


def _check_masked(arranged: PartTensors, index: int, mask: MaskRule | None) -> None:
    """Check that weights are 0 where the mask forbids."""
    if mask is None or arranged.weights is None or arranged.mask is None:
        return
    hidden = ~mask.window(slice(0, arranged.num_queries), slice(0, arranged.num_keys))
    read = ((arranged.weights[index] != 0) & hidden).nonzero()
    if len(read):
        head, query, key = read[0].tolist()
        place = f"layer {index}, head {head}, query {query}, key {key}"
        raise TensorsError(
            "{prefix}weights is not 0 where the mask forbids attention: {place}.",
            arranged.prefix,
            place,
            field=arranged.prefix + "weights",
        )


def _nearly_causal(arranged: PartTensors, masks: list[MaskRule | None]) -> Sentence | None:
    """Arrays that would count as causal but for a few cells, or None: at most a tenth of those above the diagonal."""
    size, mask = arranged.num_queries, arranged.mask
    if size != arranged.num_keys or isinstance(mask, str) or (arranged.weights is None and mask is None):
        return None
    if arranged.weights is not None and mask is None:
        name, read = "weights", arranged.weights != 0
    else:
        name, read = "mask", torch.stack([each.allowed for each in masks if isinstance(each, DenseMask)])
    ahead = read.triu(1)
    total = ahead[..., 0, 0].numel() * size * (size - 1) // 2
    count = int(ahead.sum())
    if not 0 < count <= max(1, total // 10) or count == total:
        return None
    *place, query, key = ahead.nonzero()[0].tolist()
    where = "".join(f"{axis} {index}, " for axis, index in zip(("layer", "head"), place, strict=False))
    return Sentence(
        "{field} would be causal but for {count} of {total} cells above the diagonal, the first at {place}: this is "
        "shown as attention that reads ahead. If those cells are noise, set them to 0.",
        field=arranged.prefix + name,
        count=count,
        total=total,
        place=f"{where}query {query}, key {key}",
    )


def _uneven_rows(arranged: PartTensors) -> Sentence | None:
    """Rows of weights that do not sum to 1, or None. Those that are all 0 read nothing, which is said by itself."""
    weights = arranged.weights
    if weights is None:
        return None
    bound = ROW_SUM_BOUND.get(weights.dtype, 1e-3)
    count, first, lowest, highest = 0, "", float("inf"), float("-inf")
    for index, layer in enumerate(weights):
        sums = layer.double().sum(dim=-1)
        off = ((sums - 1).abs() > bound) & layer.any(dim=-1)
        if bool(off.any()):
            head, query = off.nonzero()[0].tolist()
            first = first or f"layer {index}, head {head}, query {query} with {float(sums[head, query]):.4g}"
            count += int(off.sum())
            lowest, highest = min(lowest, float(sums[off].min())), max(highest, float(sums[off].max()))
    if not count:
        return None
    total = weights.shape[0] * weights.shape[1] * weights.shape[2]
    return Sentence(
        "In {count} of {total} rows of {field} the weights do not sum to 1, but to {lowest} … {highest}; the first is "
        "{first}. They are shown as they are.",
        count=count,
        total=total,
        field=arranged.prefix + "weights",
        lowest=f"{lowest:.4g}",
        highest=f"{highest:.4g}",
        first=first,
    )


def _wide(tensor: Tensor) -> Tensor:
    """float32 or wider: half-precision queries and keys are multiplied in float32."""
    return tensor.to(torch.promote_types(tensor.dtype, torch.float32)).contiguous()


def _single(tensor: Tensor) -> Tensor:
    """float32 or narrower: displayed weights are float32."""
    return tensor.float() if tensor.dtype == torch.float64 else tensor
