"""One self-attention layer of a pretrained model: the vectors that it gets for a text, and its own four projections.

``Q = X W_Qᵀ + b_Q`` and likewise for keys and values, split into heads; ``W_O`` mixes the heads' outputs. Some models
do more between projections and weights (masks, RoPE, norms, biases of distance). So the weights that follow from these
projections alone are compared with the model's own, and a layer in which they differ is refused.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.inputs.tokens import Token, tokenise
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.model_run import body
from attention_core.pretrained.recording.output_projections import as_projection, candidates
from attention_core.pretrained.recording.recorder import LayerRecord, record
from attention_core.pretrained.recording.selection import check_index
from attention_core.pretrained.recording.shared_copy import copy_sharing_weights
from attention_core.pretrained.running.cancellation import stopping
from attention_core.projections import Projection, project_and_attend

NAMES = {
    "query": ("query", "q_lin", "q_proj"),
    "key": ("key", "k_lin", "k_proj"),
    "value": ("value", "v_lin", "v_proj"),
}
"""Of the linear layers inside attention modules of transformers, by role."""
LARGEST_DIFFERENCE = 1e-4
"""Of weights computed from the projections alone and the model's own."""


@dataclass(frozen=True, eq=False)
class LinearArrays:
    """One projection, ``y = x weightᵀ + bias``."""

    weight: Float[np.ndarray, "out in"]
    bias: Float[np.ndarray, "out"] | None

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return self.weight.nbytes + (0 if self.bias is None else self.bias.nbytes)

    def rows(self, start: int, stop: int) -> "LinearArrays":
        """The part that makes some of the outputs."""
        return LinearArrays(self.weight[start:stop], None if self.bias is None else self.bias[start:stop])


@dataclass(frozen=True, eq=False)
class AttentionLayer:
    """What a layer's attention gets and is made of, in float32."""

    tokens: list[Token]
    inputs: Float[np.ndarray, "tokens d_model"]
    query: LinearArrays
    """Of all heads, one after another."""
    key: LinearArrays
    value: LinearArrays
    output: LinearArrays
    heads: int

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        held = (self.inputs, self.query, self.key, self.value, self.output)
        return sum(each.nbytes for each in held) + 256 * len(self.tokens)

    def of_head(self, head: int) -> tuple[LinearArrays, LinearArrays, LinearArrays]:
        """The rows of W_Q, W_K and W_V that belong to one head. Raises SelectionError for a head out of range."""
        check_index("head", head, self.heads)
        query, key, value = (
            each.rows(head * (size := len(each.weight) // self.heads), (head + 1) * size)
            for each in (self.query, self.key, self.value)
        )
        return query, key, value


def attention_layer(
    loaded: LoadedModel,
    text: str,
    *,
    layer: int = 0,
    max_tokens: int | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> AttentionLayer:
    """Run the model on the text and take one layer out of it.

    Raises the errors of ``tokenise``, SelectionError for a layer that does not exist, ModelUnavailableError where the
    weights do not follow from the projections alone.
    """
    check = stopping(cancelled, "layer")
    loaded.check_carried()
    inputs, tokens = tokenise(loaded, text, max_tokens=max_tokens)
    check_index("layer", layer, loaded.parts[0].layers)
    if loaded.entry.kind == "encoder_decoder":
        raise _refused(loaded)
    model = copy_sharing_weights(loaded.model)  # hooks on the model itself would be seen by other requests
    seen: dict[nn.Module, Float[Tensor, "1 N M"]] = {}

    def note(module: nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        seen[module] = args[0] if args else kwargs["hidden_states"]

    for module in model.modules():
        if _named(module, "query") is not None:
            module.register_forward_pre_hook(note, with_kwargs=True)
    with torch.inference_mode(), record(check) as recording:
        body(model)(**inputs)
        attention = recording.layers[layer]
        module = attention.module
        output = None if module is None else candidates(model).get(module)
        roles = [] if module is None else [_named(module, role) for role in NAMES]
        if module is None or module not in seen or output is None or None in roles:
            raise _refused(loaded)
        query, key, value = (_arrays(role.weight, role.bias) for role in roles if role is not None)
        mixing = as_projection(output)
        taken = AttentionLayer(
            tokens=tokens,
            inputs=_array(seen[module][0]),
            query=query,
            key=key,
            value=value,
            output=_arrays(mixing.weight.T, mixing.bias),
            heads=attention.attention.num_heads,
        )
        if not _follows(taken, attention):
            raise _refused(loaded)
    return taken


def _follows(layer: AttentionLayer, found: LayerRecord) -> bool:
    """Whether every head's weights follow from its projections alone."""
    attention = found.attention
    inputs = torch.from_numpy(layer.inputs)
    if attention.keys.shape[1] != layer.heads or attention.num_keys != len(inputs):
        return False
    rows, cols = slice(0, attention.num_queries), slice(0, attention.num_keys)
    for head in range(layer.heads):
        query, key, value = (_tensors(each) for each in layer.of_head(head))
        own = project_and_attend(inputs, query, key, value).weights
        theirs = attention.head(head).weights(rows, cols, found.log_sum_exp[:, head : head + 1])[0, 0]
        if float((own - theirs.float().cpu()).abs().max()) > LARGEST_DIFFERENCE:
            return False
    return True


def _named(module: nn.Module, role: str) -> nn.Linear | None:
    children = dict(module.named_children())
    projection = next((children[name] for name in NAMES[role] if name in children), None)
    return projection if isinstance(projection, nn.Linear) else None


def _arrays(weight: Tensor, bias: Tensor | None) -> LinearArrays:
    return LinearArrays(_array(weight), None if bias is None else _array(bias))


def _tensors(arrays: LinearArrays) -> Projection:
    return Projection(torch.from_numpy(arrays.weight), None if arrays.bias is None else torch.from_numpy(arrays.bias))


def _array(tensor: Tensor) -> np.ndarray:
    return tensor.detach().float().cpu().numpy()


def _refused(loaded: LoadedModel) -> ModelUnavailableError:
    return ModelUnavailableError(
        "In {id}, more than three projections and a softmax makes the weights; choose an encoder such as BERT.",
        loaded.entry.id,
    )
