"""What transformers hands out as attentions, made into one array for each part; else refused with what to do."""

from __future__ import annotations

from typing import Any

from attention_observatory.arrays import as_array, needed
from attention_observatory.connection import ObservatoryError

EAGER = (
    "Fused attention (sdpa, flash attention) has no weights to hand out: load the model with "
    'from_pretrained(…, attn_implementation="eager") and call it, or its generate(), with output_attentions=True.'
)
NOTHING = f"A model's outputs.attentions is None unless it is asked for. {EAGER}"
ONCE = "Run the model once over what it has written and send that: {call}."
CALLS = {
    "weights": "model(outputs.sequences[:1], output_attentions=True).attentions",
    "decoder_weights": "model(inputs, decoder_input_ids=outputs.sequences[:1], output_attentions=True)"
    ".decoder_attentions",
    "cross_weights": "model(inputs, decoder_input_ids=outputs.sequences[:1], output_attentions=True).cross_attentions",
}
OF_QUERIES = ("weights", "decoder_weights")
"""Parts whose queries are the tokens that ``generate()`` writes."""


def whole(arrays: dict[str, Any], tokens: list[str] | None) -> tuple[dict[str, Any], list[str] | None]:
    """The arrays as they can be sent, and the names of the queries.

    ``generate()`` hands out a tuple of layers for each step; their rows are put together, which is exact with one text
    and one beam. The token that it wrote last was read by no step, so its name is left out.

    Raises ObservatoryError where there are no weights, or where steps cannot be put together.
    """
    tensors = {name: _whole(name, array) for name, array in arrays.items()}
    if tokens is not None:
        rows = {tensors[name].shape[2] for name in OF_QUERIES if _is_of_steps(arrays.get(name))}
        tokens = tokens[:-1] if rows == {len(tokens) - 1} else tokens
    return tensors, tokens


def unusable(name: str, message: str) -> ObservatoryError:
    """What to raise for an array that cannot be sent; named as the server does it."""
    return ObservatoryError(f"{name} {message}", code="tensors_invalid", field=name)


def _whole(name: str, value: Any) -> Any:
    if isinstance(value, dict):
        raise unusable(name, f"is a whole output of a model. Send what it has: {name}=outputs.attentions.")
    if not isinstance(value, (list, tuple)):
        return value
    if "weights" in name and all(_is_empty(each) for each in value):
        raise unusable(name, f"holds no tensors. {EAGER}")
    return _put_together(name, value) if _is_of_steps(value) else _of_one_shape(name, value)


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, (list, tuple)) and all(_is_empty(each) for each in value))


def _is_of_steps(value: Any) -> bool:
    """Whether it is a sequence of steps of layers; a sequence of layers of heads holds matrices."""
    inner = value[0] if isinstance(value, (list, tuple)) and value else None
    layers = [each for each in inner if each is not None] if isinstance(inner, (list, tuple)) else []
    return bool(layers) and hasattr(layers[0], "shape") and len(layers[0].shape) == 4


def _put_together(name: str, steps: Any) -> Any:
    np = needed("numpy", "the attentions of generate()")
    across = name == "cross_weights"
    try:
        layers = [
            _rows(np, [_matrices(step[layer]) for step in steps], across=across) for layer in range(len(steps[0]))
        ]
    except ValueError as error:
        how = ONCE.format(call=CALLS.get(name, CALLS["weights"]))
        raise unusable(name, f"is what generate() hands out, and {error}. {how}") from None
    return np.stack(_of_one_shape(name, layers))


def _of_one_shape(name: str, layers: Any) -> Any:
    """The layers as they are. Raises ObservatoryError if there is something else between them."""
    if gaps := [layer for layer, each in enumerate(layers) if _is_empty(each)]:
        numbers = ", ".join(map(str, gaps))
        raise unusable(name, f"has no tensor at {numbers}, as of layers without attention. Send the others alone.")
    shapes = {"×".join(map(str, each.shape)): None for each in layers if hasattr(each, "shape")}
    if len(shapes) > 1:
        raise unusable(name, f"has layers of different shapes, {', '.join(shapes)}. Send those of one shape together.")
    return layers


def _matrices(tensor: Any) -> Any:
    """(heads, queries, keys), a NumPy array."""
    if tensor is None:
        return None
    if tensor.shape[0] != 1:
        raise ValueError("several texts or beams share each step, so rows of one may not be those of another")
    return as_array(tensor)[0]


def _rows(np: Any, steps: list[Any], *, across: bool) -> Any:
    """One matrix for each head out of the rows of all steps. Raises ValueError where they do not follow each other."""
    if any(step is None for step in steps):
        return None
    queries = [step.shape[1] for step in steps]
    if len(steps) > 1 and queries == list(range(queries[0], queries[0] + len(steps))):
        return steps[-1]  # without a cache, every step computes the rows before it again
    if across:
        return np.concatenate(steps, axis=1)  # every row has the source's keys
    read, placed = 0, np.zeros((steps[0].shape[0], sum(queries), sum(queries)), steps[0].dtype)
    for step in steps:
        begin, read = read, read + step.shape[1]
        if step.shape[2] < read or step[..., read:].any():  # a static cache is longer, and masked there
            raise ValueError("a step has other keys than all tokens so far, as with a sliding window")
        placed[:, begin:read, :read] = step[..., :read]
    return placed
