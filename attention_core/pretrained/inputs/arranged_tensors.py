"""Normalise the arrays of one part of an upload to four axes and check that they agree."""

from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor

from attention_core.pretrained.errors import TensorsError, TensorsTooLargeError
from attention_core.pretrained.inputs.tensor_files import FLOATS, TensorFile
from attention_core.refusal import Sentence

MAX_LAYERS, MAX_HEADS = 256, 256
ABOVE_ONE = 1e-3
"""Rounding tolerance for weights above 1."""

AXES = {
    "weights": "(layers, heads, queries, keys)",
    "queries": "(layers, heads, queries, head size)",
    "keys": "(layers, key heads, keys, head size)",
    "values": "(layers, key heads, keys, value size)",
}


@dataclass(frozen=True, eq=False)
class PartTensors:
    """One part's arrays, each with all four axes as in ``AXES``."""

    prefix: str
    """Prefix of array names in errors, such as ``cross.``; may be empty."""
    weights: Float[Tensor, "_ _ _ _"] | None
    queries: Float[Tensor, "_ _ _ _"] | None
    keys: Float[Tensor, "_ _ _ _"] | None
    values: Float[Tensor, "_ _ _ _"] | None
    mask: Tensor | str | None

    @property
    def rows_named(self) -> str:
        """The array that determines the number of queries."""
        return self.prefix + ("queries" if self.weights is None else "weights")

    @property
    def cols_named(self) -> str:
        """The array that determines the number of keys."""
        return self.prefix + ("keys" if self.weights is None else "weights")

    @property
    def num_queries(self) -> int:
        """Number of rows."""
        return (self.queries if self.weights is None else self.weights).shape[2]  # type: ignore[union-attr]

    @property
    def num_keys(self) -> int:
        """Number of columns."""
        return self.keys.shape[2] if self.weights is None else self.weights.shape[3]  # type: ignore[union-attr]


def arrange(file: TensorFile, part: str) -> PartTensors:
    """Arrange the arrays of a part (``""`` for the unnamed one). Raises TensorsError."""
    prefix = f"{part}." if part else ""
    tensors = {what: _four_axes(prefix + what, file.tensors.get(prefix + what), axes) for what, axes in AXES.items()}
    weights, queries, keys, values = tensors.values()
    if weights is not None and (queries is not None or keys is not None):
        raise TensorsError(
            "{prefix}weights and {prefix}queries are both given: send the weights, or what they are made from.",
            prefix,
            field=prefix + "queries",
        )
    if weights is None and (queries is None or keys is None):
        missing = prefix + ("queries" if keys is not None else "keys" if queries is not None else "weights")
        raise TensorsError("{field} is missing: send weights, or queries and keys.", field=missing)
    mask = file.tensors.get(prefix + "mask", file.masks.get(prefix + "mask"))
    arranged = PartTensors(prefix, weights, queries, keys, values, mask)
    _check_sizes(arranged)
    for what, tensor in tensors.items():
        if tensor is not None:
            _check_numbers(prefix + what, tensor, is_weight=what == "weights")
    return arranged


def _four_axes(name: str, tensor: Tensor | None, axes: str) -> Tensor | None:
    if tensor is None:
        return None
    if tensor.ndim == 5 and tensor.shape[1] == 1:
        tensor = tensor.squeeze(1)
    if not 2 <= tensor.ndim <= 4:
        raise TensorsError("{field} must be {axes}, not of shape {shape}.", axes, tuple(tensor.shape), field=name)
    tensor = tensor.reshape((1,) * (4 - tensor.ndim) + tuple(tensor.shape))
    for count, limit, what in ((tensor.shape[0], MAX_LAYERS, "layers"), (tensor.shape[1], MAX_HEADS, "heads")):
        if count > limit:
            raise TensorsTooLargeError(
                "{field} has {count} {what}; at most {limit} are accepted.", count, what, field=name, limit=limit
            )
    return tensor if tensor.dtype in FLOATS else tensor.float()


def _check_sizes(arranged: PartTensors) -> None:
    prefix, values = arranged.prefix, arranged.values
    first = arranged.queries if arranged.weights is None else arranged.weights
    assert first is not None  # noqa: S101 - as arranged
    known = arranged.rows_named
    for what, tensor in (("keys", arranged.keys), ("values", values)):
        if tensor is None:
            continue
        name = prefix + what
        if tensor.shape[0] != first.shape[0]:
            raise TensorsError(
                "{field} has {layers} layers, {known} has {known_layers}.",
                tensor.shape[0],
                known,
                first.shape[0],
                field=name,
            )
        if first.shape[1] % tensor.shape[1]:
            raise TensorsError(
                "{field} has {heads} heads, which the {known_heads} of {known} cannot share evenly.",
                tensor.shape[1],
                first.shape[1],
                known,
                field=name,
            )
        if tensor.shape[2] != arranged.num_keys:
            raise TensorsError(
                "{field} has {keys} keys, {cols_named} has {num_keys}.",
                tensor.shape[2],
                arranged.cols_named,
                arranged.num_keys,
                field=name,
            )
    if arranged.keys is not None and arranged.keys.shape[3] != first.shape[3]:
        raise TensorsError(
            "{prefix}keys has head size {size}, {known} has {known_size}.",
            prefix,
            arranged.keys.shape[3],
            known,
            first.shape[3],
            field=prefix + "keys",
        )
    if arranged.keys is not None and values is not None and values.shape[1] != arranged.keys.shape[1]:
        raise TensorsError(
            "{prefix}values has {heads} heads, {prefix}keys has {key_heads}.",
            prefix,
            values.shape[1],
            arranged.keys.shape[1],
            field=prefix + "values",
        )


def _check_numbers(name: str, tensor: Float[Tensor, "L H rows cols"], *, is_weight: bool) -> None:
    for index, layer in enumerate(tensor):
        kinds = {Sentence("not a number (NaN)"): layer.isnan(), Sentence("infinite"): layer.isinf()}
        if is_weight:
            kinds |= {Sentence("negative"): layer < 0, Sentence("above 1"): layer > 1 + ABOVE_ONE}
        for problem, places in kinds.items():
            if bool(places.any()):
                head, row, col = places.nonzero()[0].tolist()
                axes = ("query", "key") if is_weight else ("token", "component")
                place = f"layer {index}, head {head}, {axes[0]} {row}, {axes[1]} {col}"
                raise TensorsError("{field} is {problem} at {place}.", problem, place, field=name)
