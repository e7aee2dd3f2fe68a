"""The arrays of one part, checked against each other, as the records that windows and surveys read."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.blockwise.attention import BlockwiseAttention
from attention_core.blockwise.given_weights import given_weights
from attention_core.blockwise.row_blocks import row_blocks
from attention_core.masks import DenseMask, MaskRule, PredicateMask, causal
from attention_core.pretrained.errors import TensorsError, TensorsTooLargeError
from attention_core.pretrained.inputs.tensor_files import FLOATS, TensorFile
from attention_core.pretrained.recording.recorder import LayerRecord

MAX_LAYERS, MAX_HEADS = 256, 256
ABOVE_ONE = 1e-3
"""A weight may be this much above 1 from rounding."""
ROW_SUM_BOUND = {torch.float16: 5e-3, torch.bfloat16: 2e-2}
"""How far a row of weights may be from 1 by rounding alone; 1e-3 for longer formats."""

AXES = {
    "weights": "(layers, heads, queries, keys)",
    "queries": "(layers, heads, queries, head size)",
    "keys": "(layers, key heads, keys, head size)",
    "values": "(layers, key heads, keys, value size)",
}


@dataclass(frozen=True, eq=False)
class Arranged:
    """One part's arrays with all four axes, as in ``AXES``."""

    prefix: str
    """``cross.`` and the like, or nothing: what stands before the names in errors."""
    weights: Float[Tensor, "_ _ _ _"] | None
    queries: Float[Tensor, "_ _ _ _"] | None
    keys: Float[Tensor, "_ _ _ _"] | None
    values: Float[Tensor, "_ _ _ _"] | None
    mask: Tensor | str | None

    @property
    def rows_named(self) -> str:
        """The array that says how many queries there are."""
        return self.prefix + ("queries" if self.weights is None else "weights")

    @property
    def cols_named(self) -> str:
        """The array that says how many keys there are."""
        return self.prefix + ("keys" if self.weights is None else "weights")

    @property
    def num_queries(self) -> int:
        """Rows."""
        return (self.queries if self.weights is None else self.weights).shape[2]  # type: ignore[union-attr]

    @property
    def num_keys(self) -> int:
        """Columns."""
        return self.keys.shape[2] if self.weights is None else self.weights.shape[3]  # type: ignore[union-attr]


@dataclass(frozen=True, eq=False)
class Made:
    """The records of one part."""

    records: list[LayerRecord]
    is_causal: bool
    """Whether no query reads a later key."""
    uneven_rows: str | None = None
    """Where weights do not sum to 1, for people."""


def arrange(file: TensorFile, part: str) -> Arranged:
    """Take the arrays of a part (``""`` for the one that has no name). Raises TensorsError."""
    prefix = f"{part}." if part else ""
    found = {what: _four_axes(prefix + what, file.tensors.get(prefix + what), axes) for what, axes in AXES.items()}
    weights, queries, keys, values = found.values()
    if weights is not None and (queries is not None or keys is not None):
        message = f"{prefix}weights and {prefix}queries are both given: send the weights, or what they are made from."
        raise TensorsError(message, field=prefix + "queries")
    if weights is None and (queries is None or keys is None):
        missing = prefix + ("queries" if keys is not None else "keys" if queries is not None else "weights")
        raise TensorsError(f"{missing} is missing: send weights, or queries and keys.", field=missing)
    mask = file.tensors.get(prefix + "mask", file.masks.get(prefix + "mask"))
    arranged = Arranged(prefix, weights, queries, keys, values, mask)
    _check_sizes(arranged)
    for what, tensor in found.items():
        if tensor is not None:
            _check_numbers(prefix + what, tensor, is_weight=what == "weights")
    return arranged


def make_layers(arranged: Arranged, scale: float | None, check: Callable[[], None], *, is_decoder: bool) -> Made:
    """A record for each layer. ``check`` is called between blocks of work and may raise.

    Without a word on the mask, a decoder's queries and keys are masked causally, and weights whose upper triangle is 0
    are taken to be so. ``scale`` is 1/√(head size) when not given.
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
        return Made(records, _is_causal(arranged, masks), _uneven_rows(arranged, masks))
    return Made(_attend(arranged, scale, masks, check), _is_causal(arranged, masks))


def _attend(
    arranged: Arranged, scale: float | None, masks: list[MaskRule | None], check: Callable[[], None]
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
            values=_wide(keys[layer, :, :, :1]),  # only the log-sum-exp is wanted of this pass
            scale=queries.shape[-1] ** -0.5 if scale is None else scale,
            mask=mask,
            blocks=blocks[id(mask)],
        )
        _, log_sum_exp = attention.attend(check)
        largest = log_sum_exp[0, ..., 0]  # in float64, where more fits than in what scores are shown in
        wrong = (largest.isnan() | (largest > torch.finfo(attention.precision).max)).nonzero()
        if len(wrong):
            head, query = wrong[0].tolist()
            place = f"layer {index}, head {head}, query {query}"
            name = arranged.rows_named
            raise TensorsError(f"{name} and keys make scores too large for their number format at {place}.", field=name)
        own = _wide(keys[layer, :, :, :0] if values is None else values[layer])
        records.append(LayerRecord(None, replace(attention, values=own), log_sum_exp))
    return records


# --- masks --------------------------------------------------------------------------------------------------------


def _masks(arranged: Arranged, *, is_decoder: bool) -> list[MaskRule | None]:
    """The rule of each layer; layers share one where they can."""
    tensor = arranged.queries if arranged.weights is None else arranged.weights
    assert tensor is not None  # noqa: S101 - as arranged
    layers, name = tensor.shape[0], arranged.prefix + "mask"
    queries, keys = arranged.num_queries, arranged.num_keys
    mask = arranged.mask
    if mask is None and (is_decoder if arranged.weights is None else _has_empty_triangle(arranged.weights)):
        mask = "causal"
    if mask is None or mask == "none":
        return [None] * layers
    if isinstance(mask, str):
        if queries > keys:
            message = f"{name} is causal, which needs as many keys as queries or more, not {queries} and {keys}."
            raise TensorsError(message, field=name)
        return [PredicateMask(causal, queries, keys)] * layers
    if tuple(mask.shape) not in {(queries, keys), (layers, queries, keys)}:
        wanted = f"({queries}, {keys}) or ({layers}, {queries}, {keys})"
        raise TensorsError(f"{name} must have the shape {wanted}, not {tuple(mask.shape)}.", field=name)
    if mask.dtype in FLOATS or not bool(((mask == 0) | (mask == 1)).all()):
        message = (
            f"{name} must be boolean, true where reading is allowed; masks that are added to scores are not taken."
        )
        raise TensorsError(message, field=name)
    allowed = mask.bool()
    if allowed.ndim == 2:
        return [DenseMask(allowed)] * layers
    return [DenseMask(each) for each in allowed]


def _has_empty_triangle(weights: Float[Tensor, "L H Q K"]) -> bool:
    """Whether nothing is read from a later position, in a square with more than one."""
    size = weights.shape[2]
    return size == weights.shape[3] > 1 and not any(bool(layer.triu(1).any()) for layer in weights)


def _is_causal(arranged: Arranged, masks: list[MaskRule | None]) -> bool:
    size = arranged.num_queries
    if size != arranged.num_keys or None in masks:
        return False
    given = {id(mask): mask.allowed for mask in masks if isinstance(mask, DenseMask)}  # others come from a word
    return not any(bool(allowed.triu(1).any()) for allowed in given.values())


# --- checks -------------------------------------------------------------------------------------------------------


def _four_axes(name: str, tensor: Tensor | None, axes: str) -> Tensor | None:
    if tensor is None:
        return None
    if tensor.ndim == 5 and tensor.shape[1] == 1:
        tensor = tensor.squeeze(1)
    if not 2 <= tensor.ndim <= 4:
        raise TensorsError(f"{name} must be {axes}, not of shape {tuple(tensor.shape)}.", field=name)
    tensor = tensor.reshape((1,) * (4 - tensor.ndim) + tuple(tensor.shape))
    for count, limit, what in ((tensor.shape[0], MAX_LAYERS, "layers"), (tensor.shape[1], MAX_HEADS, "heads")):
        if count > limit:
            raise TensorsTooLargeError(f"{name} has {count} {what}; {limit} are taken.", field=name, limit=limit)
    return tensor if tensor.dtype in FLOATS else tensor.float()


def _check_sizes(arranged: Arranged) -> None:
    prefix, values = arranged.prefix, arranged.values
    first = arranged.queries if arranged.weights is None else arranged.weights
    assert first is not None  # noqa: S101 - as arranged
    known = arranged.rows_named
    for what, tensor in (("keys", arranged.keys), ("values", values)):
        if tensor is None:
            continue
        name = prefix + what
        if tensor.shape[0] != first.shape[0]:
            raise TensorsError(f"{name} has {tensor.shape[0]} layers, {known} has {first.shape[0]}.", field=name)
        if first.shape[1] % tensor.shape[1]:
            message = f"{name} has {tensor.shape[1]} heads, which the {first.shape[1]} of {known} cannot share evenly."
            raise TensorsError(message, field=name)
        if tensor.shape[2] != arranged.num_keys:
            message = f"{name} has {tensor.shape[2]} keys, {arranged.cols_named} has {arranged.num_keys}."
            raise TensorsError(message, field=name)
    if arranged.keys is not None and arranged.keys.shape[3] != first.shape[3]:
        message = f"{prefix}keys has head size {arranged.keys.shape[3]}, {known} has {first.shape[3]}."
        raise TensorsError(message, field=prefix + "keys")
    if arranged.keys is not None and values is not None and values.shape[1] != arranged.keys.shape[1]:
        message = f"{prefix}values has {values.shape[1]} heads, {prefix}keys has {arranged.keys.shape[1]}."
        raise TensorsError(message, field=prefix + "values")


def _check_numbers(name: str, tensor: Float[Tensor, "L H rows cols"], *, is_weight: bool) -> None:
    for index, layer in enumerate(tensor):
        kinds = {"not a number (NaN)": layer.isnan(), "infinite": layer.isinf()}
        if is_weight:
            kinds |= {"negative": layer < 0, "above 1": layer > 1 + ABOVE_ONE}
        for problem, places in kinds.items():
            if bool(places.any()):
                head, row, col = places.nonzero()[0].tolist()
                axes = ("query", "key") if is_weight else ("token", "component")
                place = f"layer {index}, head {head}, {axes[0]} {row}, {axes[1]} {col}"
                raise TensorsError(f"{name} is {problem} at {place}.", field=name)


def _check_masked(arranged: Arranged, index: int, mask: MaskRule | None) -> None:
    """Weights under a mask are 0 where it forbids."""
    if mask is None or arranged.weights is None or arranged.mask is None:
        return
    hidden = ~mask.window(slice(0, arranged.num_queries), slice(0, arranged.num_keys))
    read = ((arranged.weights[index] != 0) & hidden).nonzero()
    if len(read):
        head, query, key = read[0].tolist()
        place = f"layer {index}, head {head}, query {query}, key {key}"
        message = f"{arranged.prefix}weights is not 0 where the mask forbids reading: {place}."
        raise TensorsError(message, field=arranged.prefix + "weights")


def _uneven_rows(arranged: Arranged, masks: list[MaskRule | None]) -> str | None:
    """A sentence on rows that do not sum to 1, or None. Rows that a mask leaves nothing to read may be 0."""
    weights = arranged.weights
    assert weights is not None  # noqa: S101 - as called
    bound = ROW_SUM_BOUND.get(weights.dtype, 1e-3)
    count, first, lowest, highest = 0, "", float("inf"), float("-inf")
    for index, mask in enumerate(masks):
        sums = weights[index].double().sum(dim=-1)
        off = (sums - 1).abs() > bound
        if mask is not None:
            off &= mask.window(slice(0, arranged.num_queries), slice(0, arranged.num_keys)).any(dim=-1)
        if bool(off.any()):
            head, query = off.nonzero()[0].tolist()
            first = first or f"layer {index}, head {head}, query {query} with {float(sums[head, query]):.4g}"
            count += int(off.sum())
            lowest, highest = min(lowest, float(sums[off].min())), max(highest, float(sums[off].max()))
    if not count:
        return None
    total = weights.shape[0] * weights.shape[1] * weights.shape[2]
    name = arranged.prefix + "weights"
    return (
        f"In {count} of {total} rows of {name} the weights do not sum to 1, but to {lowest:.4g} … {highest:.4g}; "
        f"the first is {first}. They are shown as they are."
    )


def _wide(tensor: Tensor) -> Tensor:
    """float32 or wider: queries and keys in half precision are multiplied in full."""
    return tensor.to(torch.promote_types(tensor.dtype, torch.float32)).contiguous()


def _single(tensor: Tensor) -> Tensor:
    """float32 or narrower: what is shown of weights is float32."""
    return tensor.float() if tensor.dtype == torch.float64 else tensor
