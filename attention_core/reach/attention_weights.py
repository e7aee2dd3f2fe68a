"""See the attention weights of any torch code while it runs: what is multiplied with the values.

A weight matrix is the left operand of a batched product if it has a row for each query and a column for each key, no
negative number and no row that sums to more than 1; of torch's fused attention, what it returns for the identity in
place of the values. Where a layer has neither, what a softmax returns in this shape counts. Kernels that torch does not
know (custom ones) stay unseen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

Found = Callable[[Tensor, bool], None]
"""Told weights (queries, keys), and whether they were seen to be multiplied with values."""
ROUTING = ("topk", "sort", "nonzero", "_grouped_mm", "histc", "bincount", "unique", "masked_select")
"""Operations by which shapes or orders of later products depend on the numbers: experts, routers."""
ROW_SUM = 1.01


class Watching(TorchDispatchMode):
    """Tells ``found`` of weights of ``rows`` batch rows; counts the largest result and whether anything is routed."""

    def __init__(self, found: Found, queries: set[int], keys: int, rows: int) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # torch's
        self._found, self._queries, self._keys, self._rows = found, queries, keys, rows
        self.largest = 0
        """Bytes of the largest tensor that any operation returned."""
        self.routes = False

    def __torch_dispatch__(
        self, func: Any, types: Sequence[type], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        options = dict(kwargs or {})
        result = func(*args, **options)
        name = func.overloadpacket.__name__
        for each in result if isinstance(result, (tuple, list)) else [result]:
            if isinstance(each, Tensor):
                self.largest = max(self.largest, each.numel() * each.element_size())
        if name in ROUTING:
            self.routes = True
        elif name == "bmm":
            self._product(args[0], args[1])
        elif name.startswith("_scaled_dot_product"):
            self._fused(func, args, options)
        elif "softmax" in name and "log" not in name and isinstance(result, Tensor) and result.dim() > 2:
            whole = result.flatten(0, -3)
            if self._is_weights(whole):
                self._tell(whole, is_used=False)
        return result

    def _product(self, left: Tensor, right: Tensor) -> None:
        if self._is_weights(left):
            self._tell(left)
        elif self._is_weights(right.transpose(-1, -2)):
            self._tell(right.transpose(-1, -2))

    def _is_weights(self, matrix: Tensor) -> bool:
        if matrix.dim() != 3 or matrix.shape[1] not in self._queries or matrix.shape[2] > self._keys:
            return False
        if matrix.shape[2] < matrix.shape[1] or not matrix.is_floating_point():
            return False
        sums = matrix.float().sum(-1)
        return bool((matrix >= 0).all() and (sums <= ROW_SUM).all() and (sums > 0).any())

    def _fused(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        names = [each.name for each in func._schema.arguments]
        arguments = dict(zip(names, args)) | dict(kwargs)  # noqa: B905 - fewer are given than there are
        query, key = arguments["query"], arguments["key"]
        rows = query.shape[-2]
        if rows not in self._queries and 1 in self._queries:  # the heads of a group, folded where a step has one query
            rows = 1
        if rows not in self._queries or key.shape[-2] > self._keys:
            return
        if key.shape[1] != query.shape[1]:
            key = key.repeat_interleave(query.shape[1] // key.shape[1], 1)
        mask = arguments.get("attn_mask")
        identity = torch.eye(key.shape[-2]).to(query).expand(*key.shape[:-1], key.shape[-2])
        weights = torch.nn.functional.scaled_dot_product_attention(
            query,
            key,
            identity,
            attn_mask=mask if mask is not None else arguments.get("attn_bias"),
            is_causal=bool(arguments.get("is_causal")),
            scale=arguments.get("scale"),
        )
        self._tell(weights.reshape(-1, rows, key.shape[-2]))

    def _tell(self, weights: Tensor, *, is_used: bool = True) -> None:
        """Of the first row of the batch, the largest over its heads."""
        heads = max(1, weights.shape[0] // self._rows)
        self._found(weights[:heads].float().amax(0).nan_to_num(0.0), is_used)


@contextmanager
def in_parts() -> Iterator[None]:
    """Let torch's modules run operation by operation, not as one that hides its weights."""
    before = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        yield
    finally:
        torch.backends.mha.set_fastpath_enabled(before)
