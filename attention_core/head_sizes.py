"""How large a head is, and which key-value head each query head reads."""


def kv_head_of_query_heads(num_heads: int, num_kv_heads: int) -> tuple[int, ...]:
    """``h // (num_heads / num_kv_heads)`` for each query head h: neighbours share (Ainslie et al. 2023, figure 2).

    Raises ValueError unless the query heads can be shared out evenly.
    """
    if num_heads < 1:
        raise ValueError(f"num_heads must be at least 1, not {num_heads}")
    if num_kv_heads < 1 or num_heads % num_kv_heads:
        raise ValueError(f"num_kv_heads must divide num_heads ({num_heads}), which {num_kv_heads} does not")
    group = num_heads // num_kv_heads
    return tuple(head // group for head in range(num_heads))


def default_head_dim(d_model: int, num_heads: int) -> int:
    """``d_model / num_heads``: as many parameters whatever the number of heads. ValueError unless it divides."""
    if d_model < 1:
        raise ValueError(f"d_model must be at least 1, not {d_model}")
    if num_heads < 1 or d_model % num_heads:
        raise ValueError(f"num_heads must divide d_model ({d_model}), which {num_heads} does not; or give head_dim")
    return d_model // num_heads
