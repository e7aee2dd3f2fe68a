"""Head sizes, the mapping from query heads to key/value heads, and shape checks."""

from torch import Tensor

from attention_core.refusal import InvalidValueError, check_at_least


def kv_head_of_query_heads(num_heads: int, num_kv_heads: int) -> tuple[int, ...]:
    """``h // (num_heads / num_kv_heads)`` for each query head h: neighbours share (Ainslie et al. 2023, figure 2).

    Raises ValueError unless the query heads divide evenly.
    """
    check_at_least(1, num_heads=num_heads)
    if num_kv_heads < 1 or num_heads % num_kv_heads:
        raise InvalidValueError(
            "num_kv_heads must divide num_heads ({num_heads}), which {num_kv_heads} does not", num_heads, num_kv_heads
        )
    group = num_heads // num_kv_heads
    return tuple(head // group for head in range(num_heads))


def default_head_dim(d_model: int, num_heads: int) -> int:
    """``d_model / num_heads``: parameters do not depend on the number of heads. ValueError unless it divides."""
    check_at_least(1, d_model=d_model)
    if num_heads < 1 or d_model % num_heads:
        raise InvalidValueError(
            "num_heads must divide d_model ({d_model}), which {num_heads} does not; or give head_dim",
            d_model,
            num_heads,
        )
    return d_model // num_heads


def check_context(x: Tensor, context: Tensor | None, d_model: int, context_dim: int) -> Tensor:
    """What keys and values are made from: the context, or x in self-attention. Raises ValueError unless it fits."""
    if context is None:
        if context_dim != d_model:
            raise InvalidValueError(
                "context must be given: keys are made from size {context_dim}, x has {d_model}", context_dim, d_model
            )
        return x
    check_vectors("context", context, context_dim)
    if context.shape[0] != x.shape[0]:
        raise InvalidValueError("context holds {sequences} sequences but x holds {batch}", context.shape[0], x.shape[0])
    return context


def check_vectors(name: str, tensor: Tensor, size: int) -> Tensor:
    """Return the tensor if its shape is (batch, tokens, size), else raise."""
    if tensor.dim() != 3 or tensor.shape[-1] != size:
        raise InvalidValueError(
            "{name} must have shape (batch, tokens, {size}), not {shape}", name, size, tuple(tensor.shape)
        )
    return tensor
